// Two policies that merge SSTables of similar sizes, as presets.
//
// hbase: RatioBased, HBase's default before Exploring. Starting from the oldest, it skips an
// SSTable while at least min_files remain and the SSTable is larger than both min_size and ratio
// times the sum of the max_files - 1 SSTables after it. Then it merges up to max_files SSTables, if
// at least min_files remain. With a bound k: if it chooses nothing and there are more than k
// SSTables, it merges the newest min_files.
//
// accumulo: Accumulo's RatioBasedCompactionPlanner. It sorts SSTables by size and slides a window
// of max_files from the smallest on. A prefix of the window qualifies if ratio times its largest
// SSTable is below its sum. The policy takes the longest qualifying prefix, unless a shorter one
// can be merged first without harm: its sum is at most the largest SSTable of the longer prefix. If
// no window has a qualifying prefix and there are more than file_max SSTables, the policy lowers
// the ratio towards 1 by bisection, to within 0.1. Inputs need not be adjacent in age, so the ages
// of runs may come to overlap.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/policies/stack_policy.h"

namespace lsmlab {
namespace {

enum class RatioPreset { kHbase, kAccumulo };

struct RatioBasedOptions : FlushModeOption {
  RatioPreset preset = RatioPreset::kHbase;
  std::optional<Decimal> ratio;
  std::uint64_t max_files = 10;
  std::optional<std::uint64_t> min_files;  // hbase
  std::optional<Bytes> min_size;           // hbase
  std::optional<std::uint64_t> k;          // hbase
  std::optional<std::uint64_t> file_max;   // accumulo
  void declare(OptionTable& table) {
    table.choice<RatioPreset>(
        "preset", preset, {{"hbase", RatioPreset::kHbase}, {"accumulo", RatioPreset::kAccumulo}},
        "hbase: HBase's RatioBased policy; accumulo: Accumulo's compaction planner");
    table.optional_decimal(
        "ratio", ratio, "0", "1000",
        "hbase: skips an SSTable larger than this many times its newer neighbours together "
        "(default 1.2); accumulo: merges a set only if its sum exceeds this many times its "
        "largest SSTable (default 3)");
    table.count("max_files", max_files, {2, 1024}, "SSTables",
                "largest number of SSTables in a merge");
    table.optional_count("min_files", min_files, {2, 1024}, "SSTables",
                         "hbase: smallest number of SSTables in a merge (default 3)");
    table.optional_bytes(
        "min_size", min_size, {0, kFlushedBytesMax},
        "hbase: never skips SSTables up to this size (default 0; HBase itself uses its flush "
        "size)");
    table.optional_count("k", k, {1, 1024}, "SSTables",
                         "hbase: if more than k SSTables exist and none qualify, merges the "
                         "newest min_files; default: no bound");
    table.optional_count(
        "file_max", file_max, {1, 1024}, "SSTables",
        "accumulo: if there are more SSTables, lowers the ratio until a set qualifies (default "
        "15)");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    const auto refuse = [&faults](bool given, const char* name, const char* where) {
      if (given) faults.push_back(fmt::format("{} applies to preset={} only", name, where));
    };
    const bool hbase = preset == RatioPreset::kHbase;
    refuse(!hbase && min_files, "min_files", "hbase");
    refuse(!hbase && min_size, "min_size", "hbase");
    refuse(!hbase && k, "k", "hbase");
    refuse(hbase && file_max, "file_max", "accumulo");
    if (!hbase && ratio && *ratio < Decimal(1, 1)) {
      faults.push_back(
          fmt::format("ratio={} is below 1, the least that Accumulo allows", ratio->text()));
    }
    const std::uint64_t fewest = min_files.value_or(kMinFilesDefault);
    if (hbase && fewest > max_files) {
      faults.push_back(fmt::format("min_files={} is above max_files={}", fewest, max_files));
    }
    if (k && fewest > *k + 1) {
      faults.push_back(fmt::format("min_files={} is above k+1={}", fewest, *k + 1));
    }
    return faults;
  }
  void resolve() {
    if (preset == RatioPreset::kHbase) {
      if (!ratio) ratio = Decimal(6, 5);
      if (!min_files) min_files = kMinFilesDefault;
      if (!min_size) min_size = Bytes(0);
    } else {
      if (!ratio) ratio = Decimal(3, 1);
      if (!file_max) file_max = 15;
    }
  }

 private:
  static constexpr std::uint64_t kMinFilesDefault = 3;
};

class HbaseRatioBased final : public StackPolicy {
 public:
  explicit HbaseRatioBased(const RatioBasedOptions& options)
      : StackPolicy(options.flush, PlanReason::kSizeRatio),
        ratio_(*options.ratio),
        min_files_(*options.min_files),
        max_files_(options.max_files),
        min_bytes_(options.min_size->value()),
        k_(options.k) {}

  [[nodiscard]] StackDecision decide(const StackView& stack) const override {
    const std::size_t depth = stack.tables.size();
    std::size_t start = 0;
    while (depth - start >= min_files_ && is_passed_over(stack, start)) ++start;
    if (depth - start >= min_files_) {
      return StackDecision::merge(start, std::min<std::size_t>(depth - start, max_files_));
    }
    const bool is_stuck = k_ && depth > *k_;
    return is_stuck ? StackDecision::merge(depth - min_files_, min_files_) : StackDecision::none();
  }
  [[nodiscard]] std::optional<std::uint64_t> depth_max() const override { return k_; }

 private:
  [[nodiscard]] bool is_passed_over(const StackView& stack, std::size_t start) const {
    const std::uint64_t bytes = stack.tables[start].bytes;
    const std::size_t end = std::min<std::size_t>(stack.tables.size(), start + max_files_);
    std::uint64_t newer_bytes = 0;
    for (std::size_t i = start + 1; i < end; ++i) newer_bytes += stack.tables[i].bytes;
    return bytes > min_bytes_ && !ratio_.times_is_at_least(newer_bytes, bytes);
  }

  Decimal ratio_;
  std::uint64_t min_files_;
  std::uint64_t max_files_;
  std::uint64_t min_bytes_;
  std::optional<std::uint64_t> k_;
};

// A ratio during the bisection: exact, as numerator over denominator.
struct Ratio {
  Uint128 numerator;
  Uint128 denominator;
};

class Accumulo final : public RunSetPolicy {
 public:
  explicit Accumulo(const RatioBasedOptions& options)
      : RunSetPolicy(options.flush, PlanReason::kSizeRatio),
        ratio_(*options.ratio),
        max_files_(options.max_files),
        file_max_(*options.file_max) {}

  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] Choice choose(const StackView& stack) const override {
    std::vector<std::size_t> by_size(stack.tables.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
      return stack.tables[a].bytes < stack.tables[b].bytes;
    });
    std::vector<std::size_t> chosen =
        find_set(stack, by_size, {ratio_.numerator(), ratio_.denominator()});
    if (chosen.empty() && by_size.size() > file_max_) chosen = find_at_lower_ratio(stack, by_size);
    if (chosen.empty()) return {};
    std::sort(chosen.begin(), chosen.end());
    return {StackAction::kMerge, std::move(chosen), 0};
  }
  [[nodiscard]] bool cascades() const override { return true; }

 private:
  using Positions = std::vector<std::size_t>;

  [[nodiscard]] Positions find_set(const StackView& stack, const Positions& by_size,
                                   const Ratio& ratio) const {
    const std::size_t width = std::min<std::size_t>(by_size.size(), max_files_);
    for (std::size_t start = 0; width >= 2 && start + width <= by_size.size(); ++start) {
      const std::span<const std::size_t> window(by_size.data() + start, width);
      if (const std::size_t count = prefix_to_merge(stack, window, ratio); count > 0) {
        return {window.begin(), window.begin() + static_cast<std::ptrdiff_t>(count)};
      }
    }
    return {};
  }

  // Number of SSTables in the prefix of the window to merge; 0: none.
  [[nodiscard]] static std::size_t prefix_to_merge(const StackView& stack,
                                                   std::span<const std::size_t> window,
                                                   const Ratio& ratio) {
    const auto bytes_of = [&](std::size_t i) { return stack.tables[window[i]].bytes; };
    std::size_t chosen = 0;  // length of the chosen prefix
    std::uint64_t chosen_bytes = 0;
    std::size_t qualifying = 0;  // length of the longest qualifying prefix so far
    std::uint64_t sum = bytes_of(0);
    for (std::size_t i = 1; i <= window.size(); ++i) {
      const bool at_end = i == window.size();
      if (!at_end &&
          Uint128{bytes_of(i)} * ratio.numerator < Uint128{sum + bytes_of(i)} * ratio.denominator) {
        qualifying = i + 1;
      } else if (qualifying == i) {
        if (chosen != 0 && chosen_bytes <= bytes_of(i - 1)) break;
        chosen = i;
        chosen_bytes = sum;
      }
      if (!at_end) sum += bytes_of(i);
    }
    return chosen;
  }

  [[nodiscard]] Positions find_at_lower_ratio(const StackView& stack,
                                              const Positions& by_size) const {
    std::size_t goal = by_size.size() - file_max_ + 1;
    if (goal > max_files_) goal = 0;
    // Both ends of the interval, over one denominator. Each step doubles all three numbers.
    Uint128 low = ratio_.denominator();
    Uint128 high = ratio_.numerator();
    Uint128 denominator = ratio_.denominator();
    Positions found;
    while ((high - low) * 10 > denominator) {
      low *= 2;
      high *= 2;
      denominator *= 2;
      const Uint128 middle = low + (high - low) / 2;
      Positions candidate = find_set(stack, by_size, {middle, denominator});
      if (candidate.empty() || candidate.size() < goal) {
        high = middle;
      } else {
        low = middle;
        found = std::move(candidate);
      }
    }
    return found;
  }

  Decimal ratio_;
  std::uint64_t max_files_;
  std::uint64_t file_max_;
};

std::vector<RuleFidelity> ratio_based_fidelity() {
  const char* const kHbase = "HBase, RatioBasedCompactionPolicy.java, apache/hbase@024007b9b7";
  const char* const kAccumulo =
      "Accumulo, RatioBasedCompactionPlanner.java, apache/accumulo@05fc075481";
  return {
      {"hbase: from the oldest file on, those that are too large for the newer ones are passed "
       "over",
       Fidelity::kExact, kHbase},
      {"hbase: of the rest, the oldest hbase.hstore.compaction.max are merged", Fidelity::kExact,
       kHbase},
      {"hbase: the newest files merge where nothing else is found and flushes are blocked",
       Fidelity::kSimplified, kHbase,
       "with k; in the source, a file is always left where two are the fewest that merge, so that "
       "this branch is never reached"},
      {"hbase: a flush writes a file, and then a merge is looked for", Fidelity::kSimplified,
       "HBase, SortedCompactionPolicy.java, apache/hbase@00eec436f7",
       "with flush=separate, as in hbase-ratio-based; by default a merge takes the flush"},
      {"hbase: deletes only go with merges of all files", Fidelity::kSimplified,
       "HBase, SortedCompactionPolicy.java, Compactor.java, apache/hbase@00eec436f7",
       "with those of the oldest file, so that they go earlier"},
      {"hbase: all files merge once a week; another ratio at off-peak hours",
       Fidelity::kNotModelled, kHbase, "a run has no week and no hours"},
      {"accumulo: which window and which files of it are merged", Fidelity::kExact, kAccumulo},
      {"accumulo: above table.file.max files, the ratio is lowered by bisection", Fidelity::kExact,
       kAccumulo},
      {"accumulo: a set that the output of a running merge would belong to waits for it",
       Fidelity::kNotModelled, kAccumulo, "a merge looks at the files that are there"},
      {"accumulo: the ratio is lowered only while nothing merges", Fidelity::kSimplified, kAccumulo,
       "also while a merge runs"},
      {"accumulo: files of a set above a group's maxSize are left out", Fidelity::kNotModelled,
       kAccumulo, "the last group has no maxSize by default"},
      {"accumulo: writers are paused at table.file.pause files", Fidelity::kNotModelled,
       "Accumulo, Property.java", "the engine's stall rules hold"},
  };
}

}  // namespace

PolicyFamily ratio_based_family() {
  PolicyFamily family = make_family<RatioBasedOptions>(
      "ratio-based",
      "merges SSTables of similar sizes: HBase's default before Exploring, or Accumulo's planner",
      "HBase RatioBasedCompactionPolicy; Accumulo RatioBasedCompactionPlanner",
      [](const RatioBasedOptions& options) -> std::shared_ptr<const Policy> {
        if (options.preset == RatioPreset::kAccumulo) return std::make_shared<Accumulo>(options);
        return std::make_shared<HbaseRatioBased>(options);
      });
  family.fidelity = ratio_based_fidelity();
  family.is_idealised = true;  // an older default, and one of two systems
  return family;
}

}  // namespace lsmlab
