// AsterixDB's Prefix policy (PrefixMergePolicy of hyracks-storage-am-lsm-common; the default in
// 2017). It tries each SSTable as a start, oldest first, and extends the range towards newer ones.
// A range is complete when its total exceeds the limit, or when it reaches the newest SSTable and
// holds at least max_tolerance_files. The policy merges the range if its oldest SSTable is smaller
// than ratio times the others together. SSTables above the limit are never merged again.
#include "models/policies/stack_policy.h"

namespace lsmlab {
namespace {

struct PrefixOptions : FlushModeOption {
  Bytes max_mergeable_bytes{std::uint64_t{1} << 30};
  std::uint64_t max_tolerance_files = 5;
  Decimal ratio{6, 5};
  void declare(OptionTable& table) {
    table.bytes("max_mergeable_bytes", max_mergeable_bytes, {1, kFlushedBytesMax},
                "size limit: SSTables above it are never merged again; more: fewer sorted runs, "
                "but more rewrites");
    table.count("max_tolerance_files", max_tolerance_files, {2, 1024}, "SSTables",
                "number of small SSTables at the newest end that starts a merge even if their "
                "total is below max_mergeable_bytes");
    table.decimal("ratio", ratio, "0.000000001", "1000",
                  "a merge's oldest input must be smaller than this many times its other inputs "
                  "together; more: more merges");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class Prefix final : public StackPolicy {
 public:
  explicit Prefix(const PrefixOptions& options)
      : StackPolicy(options.flush, PlanReason::kTotalSize),
        cap_bytes_(options.max_mergeable_bytes.value()),
        max_tolerance_files_(options.max_tolerance_files),
        ratio_(options.ratio) {}

  [[nodiscard]] StackDecision decide(const StackView& stack) const override {
    const std::size_t depth = stack.tables.size();
    for (std::size_t start = 0; start < depth; ++start) {
      if (stack.tables[start].bytes > cap_bytes_) continue;
      const Extension extension = extend(stack, start);
      if (extension.count > 0) return StackDecision::merge(start, extension.count);
      if (extension.reached_end && depth - start < max_tolerance_files_) break;
    }
    return StackDecision::none();
  }
  [[nodiscard]] bool cascades() const override { return true; }

 private:
  struct Extension {
    std::size_t count = 0;  // number of SSTables to merge from the start on; 0: none
    bool reached_end = false;
  };

  // True if oldest < ratio * rest.
  [[nodiscard]] bool is_small(std::uint64_t oldest_bytes, Uint128 rest_bytes) const {
    return Uint128{oldest_bytes} * ratio_.denominator() < rest_bytes * ratio_.numerator();
  }

  [[nodiscard]] Extension extend(const StackView& stack, std::size_t start) const {
    const std::size_t depth = stack.tables.size();
    const std::uint64_t oldest_bytes = stack.tables[start].bytes;
    std::uint64_t rest_bytes = 0;
    for (std::size_t j = start + 1; j < depth; ++j) {
      const std::uint64_t bytes = stack.tables[j].bytes;
      if (bytes > cap_bytes_) return {};
      rest_bytes += bytes;
      if (oldest_bytes + rest_bytes > cap_bytes_ && is_small(oldest_bytes, rest_bytes)) {
        return {j - start + 1, false};
      }
      // As in AsterixDB's source: it assumes that newer SSTables are no larger than this one. If
      // the ratio fails even then, it gives the start up.
      if (!is_small(oldest_bytes, rest_bytes + Uint128{bytes} * (depth - j - 1))) return {};
    }
    const bool merges = depth - start >= max_tolerance_files_ && is_small(oldest_bytes, rest_bytes);
    return {merges ? depth - start : 0, true};
  }

  std::uint64_t cap_bytes_;
  std::uint64_t max_tolerance_files_;
  Decimal ratio_;
};

std::vector<RuleFidelity> prefix_fidelity() {
  const char* const kPrefix = "PrefixMergePolicy.java, AsterixDB 02c3eb9f86";
  return {
      {"which neighbouring components merge", Fidelity::kExact, kPrefix},
      {"a flush writes a component, and then a merge is looked for", Fidelity::kSimplified, kPrefix,
       "with flush=separate; by default a merge takes the flush"},
      replacement_fidelity("LSMBTree.java, modify, AsterixDB 02c3eb9f86",
                           "with memtable=in-place; by default flushes are those of the other "
                           "policies of its papers"),
      {"flushes wait while merges lag behind", Fidelity::kNotModelled, kPrefix,
       "the engine's stall rules hold"},
  };
}

}  // namespace

PolicyFamily prefix_family() {
  PolicyFamily family = make_family<PrefixOptions, Prefix>(
      "prefix", "merges recent SSTables until their total size exceeds a limit",
      "AsterixDB PrefixMergePolicy");
  family.fidelity = prefix_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab
