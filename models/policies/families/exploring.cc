// Exploring, HBase's default policy, with a bound on the number of SSTables (merge-policies paper,
// Section 2). The flush counts as the newest SSTable. A window is a row of C to D SSTables that are
// adjacent in age. It qualifies if its largest SSTable is at most lambda times the sum of the
// others. The policy merges:
//   - at most k SSTables: the longest window that qualifies; ties: fewest bytes, then oldest;
//   - more than k SSTables: the qualifying window of smallest mean size; ties: longest, then
//     oldest;
//   - more than k SSTables and no window qualifies: the C adjacent SSTables of smallest total size;
//     ties: oldest.
//
// HBase itself differs (ExploringCompactionPolicy.java): a window smaller than min_size qualifies
// whatever its SSTables are. With more than k SSTables (stuck=hbase) it looks at the windows from
// the oldest SSTable on, the shortest first, and takes the next one only if it has more than 1.05
// times as many SSTables a byte as the best so far. Only a merge of all SSTables drops deletes
// (deletes_go_with=all; Compactor.java, defaultScannerFactory).
#include <fmt/format.h>

#include <algorithm>

#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

enum class Stuck { kPaper, kHbase };
enum class DeletesGoWith { kOldest, kAll };

struct ExploringOptions : DepthBoundOptions {
  Decimal lambda{6, 5};
  Bytes min_size;
  Stuck stuck = Stuck::kPaper;
  DeletesGoWith deletes_go_with = DeletesGoWith::kOldest;
  std::uint64_t min_files = 3;
  std::uint64_t max_files = 10;
  void declare(OptionTable& table) {
    declare_depth(table, "more: fewer rewrites, but more sorted runs for a read to visit");
    table.decimal("lambda", lambda, "0", "1000",
                  "a window (SSTables adjacent in age) may be merged if its largest SSTable is at "
                  "most this many times the sum of the others");
    table.count("min_files", min_files, {2, 1024}, "SSTables",
                "C: smallest number of SSTables in a merge");
    table.count("max_files", max_files, {2, 1024}, "SSTables",
                "D: largest number of SSTables in a merge");
    table.bytes("min_size", min_size, {0, kFlushedBytesMax},
                "a window of fewer bytes may be merged whatever lambda says (HBase: its flush "
                "size); more: more merges of small SSTables");
    table.choice<Stuck>("stuck", stuck, {{"paper", Stuck::kPaper}, {"hbase", Stuck::kHbase}},
                        "which window is merged at more than k SSTables: paper: that of the "
                        "smallest mean size; hbase: nearly that, where older and shorter windows "
                        "come first");
    table.choice<DeletesGoWith>(
        "deletes_go_with", deletes_go_with,
        {{"oldest", DeletesGoWith::kOldest}, {"all", DeletesGoWith::kAll}},
        "which merges drop deletes: oldest: those of the oldest SSTable; all: only those of all "
        "SSTables, as HBase's: deletes stay longer");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    if (min_files > max_files) {
      faults.push_back(fmt::format("min_files={} is above max_files={}", min_files, max_files));
    }
    if (min_files > k + 1) {
      faults.push_back(fmt::format(
          "min_files={} is above k+1={}: k SSTables and a flush would be too few to merge",
          min_files, k + 1));
    }
    return faults;
  }
};

// How many times as many SSTables a byte, in hundredths (REPLACE_IF_BETTER_BY).
constexpr std::uint64_t kBetterHundredths = 105;

struct MergeWindow {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t bytes = 0;
};

// Whether a's mean size is below b's, or equal and a is longer: the order of the second choice. b
// may be empty.
template <class Wide>
bool has_lower_mean(const MergeWindow& a, const MergeWindow& b) {
  if (b.count == 0) return true;
  const Wide left = Wide{a.bytes} * b.count;
  const Wide right = Wide{b.bytes} * a.count;
  return left < right || (left == right && a.count > b.count);
}

class Exploring final : public StackPolicy {
 public:
  explicit Exploring(const ExploringOptions& options)
      : StackPolicy(options.flush, PlanReason::kSizeRatio), options_(options) {
    const std::uint64_t factor = std::max({options.lambda.numerator(), options.lambda.denominator(),
                                           options.max_files * kBetterHundredths});
    narrow_bytes_max_ = ~std::uint64_t{0} / factor;
  }

  [[nodiscard]] StackDecision decide(const StackView& stack) const override {
    if (stack.tables.size() < options_.min_files) return StackDecision::none();
    const MergeWindow chosen = stack.total_bytes <= narrow_bytes_max_ ? select<std::uint64_t>(stack)
                                                                      : select<Uint128>(stack);
    return chosen.count == 0 ? StackDecision::none()
                             : StackDecision::merge(chosen.first, chosen.count);
  }
  [[nodiscard]] std::optional<std::uint64_t> depth_max() const override { return options_.k; }
  [[nodiscard]] bool keeps_tombstones_beside_newer() const override {
    return options_.deletes_go_with == DeletesGoWith::kAll;
  }

 private:
  // Wide can hold any sum of sizes times lambda's numerator, its denominator or max_files.
  template <class Wide>
  [[nodiscard]] MergeWindow select(const StackView& stack) const {
    const bool is_over = stack.tables.size() > options_.k;
    const MergeWindow passing = is_over ? best_when_stuck<Wide>(stack) : longest<Wide>(stack);
    return passing.count == 0 && is_over ? least_total(stack) : passing;
  }

  template <class Wide>
  [[nodiscard]] bool passes(std::uint64_t largest, std::uint64_t bytes) const {
    if (bytes < options_.min_size.value()) return true;
    return Wide{largest} * options_.lambda.denominator() <=
           Wide{bytes - largest} * options_.lambda.numerator();
  }

  template <class Wide>
  [[nodiscard]] MergeWindow longest(const StackView& stack) const {
    const std::size_t depth = stack.tables.size();
    MergeWindow best;
    for (std::size_t first = 0; first + options_.min_files <= depth; ++first) {
      // A window that starts here cannot be longer than the rest of the stack, so no later one can
      // win.
      if (depth - first < best.count) break;
      extend(stack, first, [&](const MergeWindow& window, std::uint64_t largest) {
        const bool is_better =
            window.count > best.count || (window.count == best.count && window.bytes < best.bytes);
        if (window.count >= options_.min_files && is_better &&
            passes<Wide>(largest, window.bytes)) {
          best = window;
        }
      });
    }
    return best;
  }

  template <class Wide>
  [[nodiscard]] MergeWindow best_when_stuck(const StackView& stack) const {
    MergeWindow best;
    for (std::size_t first = 0; first + options_.min_files <= stack.tables.size(); ++first) {
      extend(stack, first, [&](const MergeWindow& window, std::uint64_t largest) {
        if (window.count >= options_.min_files && passes<Wide>(largest, window.bytes) &&
            is_better_when_stuck<Wide>(window, best)) {
          best = window;
        }
      });
    }
    return best;
  }

  template <class Wide>
  [[nodiscard]] bool is_better_when_stuck(const MergeWindow& window,
                                          const MergeWindow& best) const {
    if (options_.stuck == Stuck::kPaper || best.count == 0) {
      return has_lower_mean<Wide>(window, best);
    }
    return Wide{window.count} * best.bytes * 100 >
           Wide{best.count} * window.bytes * kBetterHundredths;
  }

  // Calls visit(window, its largest SSTable) for the windows of 1, 2, ... max_files SSTables that
  // start at `first`.
  template <class Visit>
  void extend(const StackView& stack, std::size_t first, Visit visit) const {
    const std::size_t count_max =
        std::min<std::size_t>(stack.tables.size() - first, options_.max_files);
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;
    for (std::size_t count = 1; count <= count_max; ++count) {
      const std::uint64_t newest = stack.tables[first + count - 1].bytes;
      bytes += newest;
      largest = std::max(largest, newest);
      visit(MergeWindow{first, count, bytes}, largest);
    }
  }

  [[nodiscard]] MergeWindow least_total(const StackView& stack) const {
    MergeWindow best;
    for (std::size_t first = 0; first + options_.min_files <= stack.tables.size(); ++first) {
      MergeWindow window{first, options_.min_files, 0};
      for (std::size_t i = 0; i < window.count; ++i) window.bytes += stack.tables[first + i].bytes;
      if (best.count == 0 || window.bytes < best.bytes) best = window;
    }
    return best;
  }

  ExploringOptions options_;
  std::uint64_t narrow_bytes_max_ = 0;  // largest total size for which 64 bits suffice
};

std::vector<RuleFidelity> exploring_fidelity() {
  const char* const kExploring = "HBase, ExploringCompactionPolicy.java, apache/hbase@00eec436f7";
  const char* const kSorted = "HBase, SortedCompactionPolicy.java, apache/hbase@00eec436f7";
  return {
      {"which windows are in ratio, and which of them is merged", Fidelity::kExact, kExploring},
      {"a window below hbase.hstore.compaction.min.size is always in ratio", Fidelity::kExact,
       kExploring},
      {"with hbase.hstore.blockingStoreFiles files, the window of most files a byte, or the "
       "smallest of all",
       Fidelity::kExact, kExploring},
      {"a flush writes a file, and then a merge is looked for", Fidelity::kSimplified, kSorted,
       "with flush=separate, as in hbase-defaults; by default a merge takes the flush"},
      {"files of running merges, and all older ones, are left out", Fidelity::kSimplified, kSorted,
       "a window with a file of a running merge waits for it"},
      {"after a merge, another is looked for while flushes are blocked, and every 2.8 hours",
       Fidelity::kSimplified, "HBase, CompactSplit.java, HRegionServer.java",
       "after a flush, and again while there are more than k files"},
      {"a file above hbase.hstore.compaction.max.size is not merged", Fidelity::kNotModelled,
       kSorted, "it is unlimited by default"},
      {"another ratio at off-peak hours", Fidelity::kNotModelled, kExploring,
       "a run has no hours; off by default"},
      {"all files merge after hbase.hregion.majorcompaction, a week", Fidelity::kNotModelled,
       "HBase, RatioBasedCompactionPolicy.java, apache/hbase@024007b9b7", "a run has no week"},
      {"deletes only go with merges of all files", Fidelity::kSimplified,
       "HBase, SortedCompactionPolicy.java, Compactor.java, apache/hbase@00eec436f7",
       "with deletes_go_with=all, as in hbase-defaults; by default with those of the oldest file"},
      {"flushes wait up to 90 s while there are hbase.hstore.blockingStoreFiles files, and writers "
       "while a region holds 4 memstores",
       Fidelity::kNotModelled, "HBase, MemStoreFlusher.java, HRegion.java",
       "the engine's stall rules hold"},
  };
}

}  // namespace

PolicyFamily exploring_family() {
  PolicyFamily family = make_family<ExploringOptions, Exploring>(
      "exploring",
      "HBase's default: merges the longest row of SSTables of similar sizes; at most k exist",
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2 (Apache HBase)");
  family.cost_model = bounded_depth_model;
  family.fidelity = exploring_fidelity();
  return family;
}

}  // namespace lsmlab
