// AsterixDB's Prefix (PrefixMergePolicy of hyracks-storage-am-lsm-common; the default in 2017): for
// each start, oldest first, extend towards newer components until their total passes the cap, or
// until the end of the list holds at least max_tolerance_files; merge them if the oldest of them is
// smaller than ratio times the rest. Components above the cap are never merged again.
#include "models/policies/stack_policy.h"

namespace lsmlab {
namespace {

struct PrefixOptions : FlushModeOption {
  Bytes max_mergeable_bytes{std::uint64_t{1} << 30};
  std::uint64_t max_tolerance_files = 5;
  Decimal ratio{6, 5};
  void declare(OptionTable& table) {
    table.bytes("max_mergeable_bytes", max_mergeable_bytes, {1, kFlushedBytesMax},
                "cap: larger SSTables stay as they are; more: fewer runs, more rewrites");
    table.count("max_tolerance_files", max_tolerance_files, {2, 1024}, "SSTables",
                "this many small SSTables at the new end are merged");
    table.decimal("ratio", ratio, "0.000000001", "1000",
                  "the oldest input must be smaller than this times the others together");
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
    std::size_t count = 0;  // SSTables from the start to merge; 0 for none
    bool reached_end = false;
  };

  // oldest < ratio * rest
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
      // As the source has it: newer SSTables are taken to be no larger than this one, so where even
      // that would not satisfy the ratio the start is given up.
      if (!is_small(oldest_bytes, rest_bytes + Uint128{bytes} * (depth - j - 1))) return {};
    }
    const bool merges = depth - start >= max_tolerance_files_ && is_small(oldest_bytes, rest_bytes);
    return {merges ? depth - start : 0, true};
  }

  std::uint64_t cap_bytes_;
  std::uint64_t max_tolerance_files_;
  Decimal ratio_;
};

}  // namespace

PolicyFamily prefix_family() {
  return make_family<PrefixOptions, Prefix>(
      "prefix", "merge recent SSTables until they pass a size cap", "AsterixDB PrefixMergePolicy");
}

}  // namespace lsmlab
