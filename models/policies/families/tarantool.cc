// Tarantool's vinyl (src/box/vy_range.c, vy_lsm.c, vy_scheduler.c). The key space is cut into
// ranges. A range is a virtual file of level 1; its slices are parts of run files, and the run
// files are frozen files. A dump writes one run file, of which each range gets the slice that lies
// in it.
//
// 1. A pending memtable becomes a run file of level 0, which is linked to all ranges that it meets.
//    The first one becomes the first range. While a range that it meets is being compacted, it
//    waits.
// 2. The range with the highest compaction priority (ties: the smallest key) is looked at:
//    - if it has been compacted and its oldest slice has 4/3 of range_size, it is split in two;
//    - otherwise, if it and its neighbours have half of range_size, they become one range;
//    - otherwise its newest slices are merged: as many as its priority says. Deletes are dropped
//      where that takes the oldest slice.
//
// The priority of a range (vy_range_update_compaction_priority): the target size of the first level
// is the oldest slice's, divided by run_size_ratio until it is not above the newest slice's. Slices
// are looked at from the newest. One that is larger than the target begins a new level, whose
// target is run_size_ratio times as large. If a level has more than run_count_per_level slices, it
// is to be merged with all newer ones; a slice with a tenth of all seeds lets it have one more. The
// oldest level has one slice.
//
// Without range_size there are 4 times as many ranges as dumps between two merges of all slices of
// a range (vy_lsm_range_size): a range has the bytes of all oldest slices divided by that number,
// from range_size_min to range_size_max.
//
// vinyl compares the sizes that slices have before compression. A dump is not compressed, what a
// merge writes is (compression=none:zstd).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/decimal.h"
#include "models/policies/policy.h"
#include "models/sizes/store_options.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kRangeBytesLargest = std::uint64_t{1} << 50;
constexpr std::uint64_t kTargetBytesMax = std::uint64_t{1} << 62;
constexpr std::uint32_t kRangeLevel = 1;
constexpr std::size_t kRangesLookedAt = 64;

struct TarantoolOptions {
  std::uint64_t run_count_per_level = 2;
  Decimal run_size_ratio{7, 2};
  std::optional<Bytes> range_size;
  Bytes range_size_min{std::uint64_t{128} << 20};  // VY_MIN_RANGE_SIZE
  Bytes range_size_max{std::uint64_t{2} << 30};    // VY_MAX_RANGE_SIZE
  bool compresses = false;                         // the store does

  void declare(OptionTable& table) {
    table.count(
        "run_count_per_level", run_count_per_level, {1, 1024}, "runs",
        "most runs of similar size in a range before they are merged; more: fewer rewrites, "
        "but more runs to read");
    table.decimal("run_size_ratio", run_size_ratio, "1.05", "1000",
                  "size of a level's runs divided by that of the level above; more: fewer levels, "
                  "but more rewrites");
    table.optional_bytes(
        "range_size", range_size, {1, kRangeBytesLargest},
        "size of a range: it splits above 4/3 of it and joins its neighbours below "
        "half of it; larger: fewer, but larger merges; default: by the data");
    table.bytes("range_size_min", range_size_min, {1, kRangeBytesLargest},
                "least size of ranges where range_size is not given");
    table.bytes("range_size_max", range_size_max, {1, kRangeBytesLargest},
                "largest size of ranges where range_size is not given");
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    if (range_size_min <= range_size_max) return {};
    return {fmt::format("range_size_min={} is above range_size_max={}", range_size_min.value(),
                        range_size_max.value())};
  }
  void resolve(const StoreOptions& store) { compresses = store.compression.compresses(); }
};

struct Priority {
  std::uint64_t slices = 0;  // to be merged, the newest ones; 0: none
  bool is_for_last_level = false;
};

// Where vinyl draws a random number for a new slice. SplitMix64's finish.
bool is_deferring(const Slice& slice) {
  std::uint64_t x = slice.frozen_file.value() * 0x9E3779B97F4A7C15 ^ slice.keys.smallest;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  x ^= x >> 31;
  return x < std::numeric_limits<std::uint64_t>::max() / 10;
}

std::uint64_t divided_up(std::uint64_t bytes, const Decimal& ratio) {
  const Uint128 scaled = Uint128{bytes} * ratio.denominator() + ratio.numerator() - 1;
  return static_cast<std::uint64_t>(scaled / ratio.numerator());
}

std::uint64_t multiplied(std::uint64_t bytes, const Decimal& ratio) {
  const Uint128 product = Uint128{bytes} * ratio.numerator() / ratio.denominator();
  // vinyl does not end where a ratio near 1 leaves a small target as it is.
  return static_cast<std::uint64_t>(
      std::clamp<Uint128>(product, Uint128{bytes} + 1, Uint128{kTargetBytesMax} + bytes));
}

std::uint64_t first_target(std::uint64_t oldest, std::uint64_t newest, const Decimal& ratio) {
  newest = std::max<std::uint64_t>(1, newest);
  std::uint64_t target = 0;
  std::uint64_t size = std::max<std::uint64_t>(1, oldest);
  do {
    target = size;
    size = divided_up(target, ratio);
  } while (size > newest && size < target);
  return target;
}

class Tarantool final : public Policy {
 public:
  explicit Tarantool(const TarantoolOptions& options) : options_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] bool bounds_runs() const override { return true; }

  // Ranges that are to be compacted, the highest priority first.
  [[nodiscard]] std::vector<FileOrdering> orderings() const override {
    return {{"compaction priority", [this](const File& file) -> std::optional<FileRanks> {
               const Priority priority = priority_of(file);
               if (priority.slices == 0) return std::nullopt;
               FileRanks ranks{};
               ranks[0].number = std::numeric_limits<std::uint64_t>::max() - priority.slices;
               return ranks;
             }}};
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    if (tree.levels().empty()) return std::nullopt;
    if (!tree.levels()[0].runs.empty()) return distribute(tree);
    const SortedRun* const ranges = newest_run(tree, kRangeLevel);
    if (ranges == nullptr) return std::nullopt;
    for (const OrderedFile& first : tree.order(0, kRangeLevel)) {
      const FileLocation at = tree.location_of(kRangeLevel, first);
      if (!ranges->files[at.file].busy) return work_on(tree, *ranges, at.file);
    }
    return std::nullopt;
  }

 private:
  // The size that is compared with others: before compression.
  [[nodiscard]] std::uint64_t bytes_of(const Slice& slice) const {
    return (options_.compresses ? slice.entry_bytes : slice.bytes).value();
  }
  [[nodiscard]] std::uint64_t bytes_of(const File& range) const {
    std::uint64_t bytes = 0;
    for (const Slice& slice : range.slices) bytes += bytes_of(slice);
    return bytes;
  }

  [[nodiscard]] Priority priority_of(const File& range) const {
    Priority priority;
    const std::vector<Slice>& slices = range.slices;
    if (!range.is_virtual || slices.size() <= 1) return priority;
    std::uint64_t target =
        first_target(bytes_of(slices.front()), bytes_of(slices.back()), options_.run_size_ratio);
    std::uint64_t in_level = 0;
    std::uint64_t looked_at = 0;
    std::uint64_t bytes = 0;         // of the slices looked at
    std::uint64_t merged_bytes = 0;  // of the merge that is due so far
    for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
      ++in_level;
      ++looked_at;
      const std::uint64_t size = bytes_of(*slice);
      bytes += size;
      while (size > target) {
        // A merge of upper levels whose output belongs to this one takes its first slice too.
        in_level = merged_bytes > target ? 2 : 1;
        target = multiplied(target, options_.run_size_ratio);
      }
      if (in_level > options_.run_count_per_level + (is_deferring(*slice) ? 1 : 0)) {
        priority.slices = looked_at;
        merged_bytes = bytes;
      }
    }
    if (in_level > 1) priority = {looked_at, priority.slices != looked_at};
    return priority;
  }

  // A dump: vinyl adds a slice of its run to each range that it meets.
  [[nodiscard]] static std::optional<Plan> distribute(const TreeView& tree) {
    const SortedRun& dumped = tree.levels()[0].runs.back();
    const File& file = dumped.files.front();
    if (file.busy) return std::nullopt;
    PlanInput upper{0, dumped.id, {file.id}};
    const SortedRun* const ranges = newest_run(tree, kRangeLevel);
    if (ranges == nullptr) {
      return Plan{PlanReason::kMemtableFull,
                  ReferPlan{{std::move(upper)}, {kRangeLevel, std::nullopt}},
                  {}};
    }
    LinkPlan link{std::move(upper), {}};
    const RunFiles& files = ranges->files;
    std::size_t i = std::min(files.first_ending_from(file.keys.smallest), files.size() - 1);
    do {
      if (files[i].busy) return std::nullopt;
      link.lower_files.push_back(files[i].id);
    } while (++i < files.size() && files[i - 1].keys.largest < file.keys.largest);
    return Plan{PlanReason::kMemtableFull, std::move(link), {}};
  }

  [[nodiscard]] Plan work_on(const TreeView& tree, const SortedRun& ranges,
                             std::size_t index) const {
    const File& range = ranges.files[index];
    if (const auto key = split_key(tree, ranges, range)) {
      ReferPlan split{{{kRangeLevel, ranges.id, {range.id}}}, {kRangeLevel, ranges.id}, {*key}};
      return {PlanReason::kRangeSize, std::move(split), {}};
    }
    const FileSpan joined = coalesced(tree, ranges, index);
    if (joined.size() > 1) {
      ReferPlan join{{input_of(kRangeLevel, ranges, joined)}, {kRangeLevel, ranges.id}};
      return {PlanReason::kRangeSize, std::move(join), {}};
    }
    const Priority priority = priority_of(range);
    MergePlan merge;
    merge.inputs = {{kRangeLevel, ranges.id, {range.id}}};
    merge.target = {kRangeLevel, ranges.id};
    merge.newest_slices = priority.slices;
    merge.drops_tombstones = priority.slices == range.slices.size();
    return {
        priority.is_for_last_level ? PlanReason::kSpaceAmplification : PlanReason::kSortedRunCount,
        std::move(merge),
        {}};
  }

  // vy_range_needs_split.
  [[nodiscard]] std::optional<std::uint64_t> split_key(const TreeView& tree,
                                                       const SortedRun& ranges,
                                                       const File& range) const {
    const Slice& oldest = range.slices.front();
    const std::uint64_t bytes = bytes_of(oldest);
    const Bytes least = options_.range_size.value_or(options_.range_size_min);
    if (bytes < least.value() * 4 / 3) return std::nullopt;
    if (!was_compacted(tree, range) || bytes < range_bytes(tree, ranges) * 4 / 3) {
      return std::nullopt;
    }
    const std::uint64_t middle =
        oldest.keys.smallest + (oldest.keys.largest - oldest.keys.smallest + 1) / 2;
    return middle > oldest.keys.smallest ? std::optional(middle) : std::nullopt;
  }

  // Whether a merge of several dumps has ended since the range was made.
  [[nodiscard]] static bool was_compacted(const TreeView& tree, const File& range) {
    return std::any_of(range.slices.begin(), range.slices.end(), [&](const Slice& slice) {
      if (slice.frozen_file < range.id) return false;
      const FlushSpan& dumps = tree.frozen_files().at(slice.frozen_file).file.flushes;
      return dumps.first < dumps.last;
    });
  }

  // vy_range_needs_coalesce.
  [[nodiscard]] FileSpan coalesced(const TreeView& tree, const SortedRun& ranges,
                                   std::size_t index) const {
    const RunFiles& files = ranges.files;
    std::uint64_t total = bytes_of(files[index]);
    std::size_t first = index;
    std::size_t last = index;
    if (total > options_.range_size.value_or(options_.range_size_max).value() / 2) {
      return {files, first, last + 1};
    }
    const std::uint64_t most = range_bytes(tree, ranges) / 2;
    const auto fits = [&](std::size_t i) {
      if (files[i].busy || total + bytes_of(files[i]) > most) return false;
      total += bytes_of(files[i]);
      return true;
    };
    while (last + 1 < files.size() && fits(last + 1)) ++last;
    while (first > 0 && fits(first - 1)) --first;
    return {files, first, last + 1};
  }

  // vy_lsm_range_size, by some ranges. The dumps between merges of all slices: twice those since
  // the last one.
  [[nodiscard]] std::uint64_t range_bytes(const TreeView& tree, const SortedRun& ranges) const {
    if (options_.range_size) return options_.range_size->value();
    const std::size_t step = 1 + (ranges.files.size() - 1) / kRangesLookedAt;
    std::uint64_t looked_at = 0;
    std::uint64_t bytes = 0;
    std::uint64_t dumps = 0;
    for (std::size_t i = 0; i < ranges.files.size(); i += step, ++looked_at) {
      const std::vector<Slice>& slices = ranges.files[i].slices;
      if (slices.empty()) continue;
      bytes += bytes_of(slices.front());
      dumps +=
          tree.flush_count() - tree.frozen_files().at(slices.front().frozen_file).file.flushes.last;
    }
    const std::uint64_t all_bytes = bytes / looked_at * ranges.files.size();
    const std::uint64_t wanted = 4 * (2 * dumps / looked_at);
    return std::clamp(wanted == 0 ? 0 : all_bytes / wanted, options_.range_size_min.value(),
                      options_.range_size_max.value());
  }

  TarantoolOptions options_;
};

std::vector<RuleFidelity> tarantool_fidelity() {
  const char* const kRange = "src/box/vy_range.c, tarantool@67428d092e";
  const char* const kLsm = "src/box/vy_lsm.c, tarantool@67428d092e";
  const char* const kScheduler = "src/box/vy_scheduler.c, tarantool@67428d092e";
  return {
      {"how many of a range's runs are merged, and the priority of ranges", Fidelity::kExact,
       kRange},
      {"a tenth of all slices lets a level have one more run", Fidelity::kSimplified, kRange,
       "by a hash of the slice instead of a random number; a slice keeps it when its range splits"},
      {"a dump writes one run, and each range gets a slice of it", Fidelity::kExact, kScheduler},
      {"the range of highest priority splits or joins its neighbours before it is merged",
       Fidelity::kExact, kScheduler},
      {"ranges split at 4/3 of range_size, once they were merged, and join below half of it",
       Fidelity::kSimplified, kRange,
       "that a range was merged is seen from its runs: one is newer and of several dumps"},
      {"a range splits at the middle page of its oldest run", Fidelity::kSimplified, kRange,
       "at the middle of the slice's key range"},
      {"the size of ranges where range_size is not given", Fidelity::kSimplified, kLsm,
       "by 64 ranges; the dumps between merges of all runs are twice those since the last one"},
      {"the sizes of slices", Fidelity::kSimplified, "src/box/vy_run.c, tarantool@67428d092e",
       "the bytes of the pages that a slice meets; where the store compresses, the keys and values "
       "of its run, by the slice's part of the run's bytes; vinyl counts pages before compression"},
      {"a dump is not compressed, what a merge writes is", Fidelity::kSimplified, kScheduler,
       "by the option compression: none:zstd in tarantool-defaults; by default nothing is "
       "compressed"},
      {"deletes are dropped where a merge takes the oldest run", Fidelity::kExact, kScheduler},
      {"a run file is deleted with its last slice", Fidelity::kExact, kScheduler},
      {"several ranges are merged at a time, while others are dumped to", Fidelity::kSimplified,
       kScheduler, "one range at a time; a dump waits for the ranges that it meets"},
      {"dumps begin before the memory is full, and writers are slowed by it",
       Fidelity::kNotModelled, "src/box/vy_regulator.c, tarantool@67428d092e",
       "a memtable is flushed when it is full"},
  };
}

}  // namespace

PolicyFamily tarantool_family() {
  PolicyFamily family = make_family<TarantoolOptions, Tarantool>(
      "tarantool",
      "Tarantool's vinyl: the key space in ranges that split and join, each with levels of runs by "
      "size; the last level has one run",
      "Tarantool, src/box/vy_range.c (tarantool@67428d092e)");
  family.fidelity = tarantool_fidelity();
  return family;
}

}  // namespace lsmlab
