#include "models/policies/droppable_tombstones.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// Files of a run that overlap a file are looked at one by one up to this many.
constexpr std::size_t kFilesLookedAt = 64;

struct Candidate {
  KeyRange keys;
  SequenceSpan sequences;
  Instant written;
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  std::uint64_t ripe = 0;  // tombstones that gc_grace lets go; known of the SSTable to be merged
};

// Another SSTable that overlaps the candidate.
struct Overlapping {
  KeyRange keys;
  std::optional<std::uint64_t> oldest_data;  // nothing if it has tombstones only
};

// The files of a run are written by one merge; a run that was moved together counts its newest.
Candidate candidate_of(const SortedRun& run) {
  const File& front = run.files[0];
  Candidate of{range_of(FileSpan(run.files)), front.sequences, front.created,
               run.files.sums().entries, run.files.sums().tombstones};
  for (const File& file : run.files) {
    of.sequences.first = std::min(of.sequences.first, file.sequences.first);
    of.sequences.last = std::max(of.sequences.last, file.sequences.last);
    of.written = std::max(of.written, file.created);
  }
  return of;
}

Candidate candidate_of(const File& file) {
  return {file.keys, file.sequences, file.created, file.entries.value(), file.tombstones.value()};
}

Overlapping overlapping_of(const Candidate& other) {
  Overlapping of{other.keys, std::nullopt};
  if (other.tombstones != other.entries) of.oldest_data = other.sequences.first;
  return of;
}

std::vector<Overlapping> others_of(const TreeView& tree, const SortedRun& run) {
  std::vector<Overlapping> others;
  const KeyRange keys = range_of(FileSpan(run.files));
  for (const Level& level : tree.levels()) {
    for (const SortedRun& other : level.runs) {
      if (other.id == run.id || !range_of(FileSpan(other.files)).overlaps(keys)) continue;
      others.push_back(overlapping_of(candidate_of(other)));
    }
  }
  return others;
}

std::vector<Overlapping> others_of(const TreeView& tree, const SortedRun& run, const File& file) {
  std::vector<Overlapping> others;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& other : level.runs) {
      if (other.id == run.id) continue;
      const FileSpan files = overlapping_files(other, file.keys);
      if (files.size() > kFilesLookedAt) {
        others.push_back({range_of(files), 0});
        continue;
      }
      for (const File& one : files) others.push_back(overlapping_of(candidate_of(one)));
    }
  }
  return others;
}

// `ripe_until`: the newest write that gc_grace lets go; nothing if it lets all go.
bool is_fully_expired(const Candidate& candidate, const std::vector<Overlapping>& others,
                      const std::optional<std::uint64_t>& ripe_until) {
  if (candidate.tombstones != candidate.entries) return false;
  if (ripe_until && candidate.sequences.last > *ripe_until) return false;
  std::uint64_t oldest_data = std::numeric_limits<std::uint64_t>::max();
  for (const Overlapping& other : others) {
    if (other.oldest_data) oldest_data = std::min(oldest_data, *other.oldest_data);
  }
  return candidate.sequences.last < oldest_data;
}

// The share of a key range that no other SSTable overlaps, in 2^-32ths.
std::uint64_t free_share(const KeyRange& keys, std::vector<Overlapping> others) {
  std::sort(others.begin(), others.end(), [](const Overlapping& a, const Overlapping& b) {
    return a.keys.smallest < b.keys.smallest;
  });
  Uint128 free = 0;
  Uint128 next = keys.smallest;  // the first key that is not looked at yet
  const Uint128 end = Uint128{keys.largest} + 1;
  for (const Overlapping& other : others) {
    if (other.keys.smallest > next) free += other.keys.smallest - next;
    next = std::max(next, Uint128{other.keys.largest} + 1);
  }
  if (next < end) free += end - next;
  return static_cast<std::uint64_t>((free << 32) / (end - keys.smallest));
}

bool has_enough(const DroppableTombstones& rule, const TreeView& tree, const Candidate& candidate) {
  return Uint128{tree.now().value()} >= Uint128{candidate.written.value()} + *rule.interval &&
         !rule.threshold->times_is_at_least(candidate.entries, candidate.ripe);
}

bool may_drop(const DroppableTombstones& rule, const TreeView& tree, const Candidate& candidate,
              const std::vector<Overlapping>& others) {
  if (others.empty()) return true;
  std::optional<std::uint64_t> until;
  if (rule.grace.writes > 0) until = ripe_until(tree.newest_write(), rule.grace.writes);
  if (is_fully_expired(candidate, others, until)) return true;
  return Uint128{free_share(candidate.keys, others)} * candidate.ripe *
             rule.threshold->denominator() >
         (Uint128{rule.threshold->numerator()} * candidate.entries << 32);
}

}  // namespace

void TombstoneGrace::declare(OptionTable& table) {
  table.count("gc_grace", writes, {0, std::uint64_t{1} << 62}, "writes",
              "gc_grace_seconds of Cassandra and ScyllaDB: a merge keeps a tombstone until this "
              "many writes (puts and deletes) came after it, so that replicas that were down do "
              "not bring deleted data back; there the default is ten days; more: tombstones take "
              "space for longer, and need a merge later");
}

std::uint64_t TombstoneGrace::ripe(const TreeView& tree, const File& file) const {
  if (writes == 0) return file.tombstones.value();
  const std::uint64_t until = ripe_until(tree.newest_write(), writes);
  if (file.sequences.last <= until) return file.tombstones.value();
  if (file.deletion_times == nullptr) return 0;
  return std::min(file.tombstones.value(), file.deletion_times->until(until));
}

std::uint64_t TombstoneGrace::ripe(const TreeView& tree, const SortedRun& run) const {
  if (writes == 0) return run.files.sums().tombstones;
  std::uint64_t sum = 0;
  for (const File& file : run.files) sum += ripe(tree, file);
  return sum;
}

void TombstoneGrace::add_name(std::vector<std::string>& options_that_need_keys) const {
  if (writes > 0) options_that_need_keys.emplace_back("gc_grace");
}

RuleFidelity purge_fidelity(std::string source) {
  return {"which tombstones a merge drops", Fidelity::kSimplified, std::move(source),
          "filters pass the keys that their file holds, and none in vain; at resolution range, how "
          "many tombstones stay follows from how many keys of each cell older files hold"};
}

void DroppableTombstones::declare(OptionTable& table) {
  grace.declare(table);
  table.optional_decimal("tombstone_threshold", threshold, "0", "1",
                         "Cassandra's option: if nothing else is to be merged, an SSTable of which "
                         "more than this share is tombstones is merged by itself; lower: "
                         "tombstones go sooner, for more merges; Cassandra's default is 0.2; here "
                         "the default is none, because the rule needs single keys");
  table.optional_count("tombstone_compaction_interval", interval, {1}, "operations",
                       "with tombstone_threshold: the least age of an SSTable that is merged by "
                       "itself; Cassandra's default is a day; less: tombstones go sooner, but "
                       "merges that drop none repeat more often");
  table.flag("unchecked_tombstone_compaction", is_unchecked,
             "with tombstone_threshold: merges such an SSTable even if others overlap most of its "
             "keys, so that few of its tombstones may go");
}

std::vector<std::string> DroppableTombstones::validate() const {
  std::vector<std::string> faults;
  if (threshold && !interval) {
    faults.emplace_back(
        "tombstone_threshold needs tombstone_compaction_interval, the least age of an SSTable that "
        "is merged by itself");
  }
  if (interval && !threshold) {
    faults.emplace_back(
        "tombstone_compaction_interval applies only with tombstone_threshold, the share of "
        "tombstones from which an SSTable is merged by itself");
  }
  if (is_unchecked && !threshold) {
    faults.emplace_back(
        "unchecked_tombstone_compaction applies only with tombstone_threshold and "
        "tombstone_compaction_interval, which are 0.2 and a day in Cassandra and ScyllaDB");
  }
  return faults;
}

std::vector<std::string> DroppableTombstones::options_that_need_keys() const {
  std::vector<std::string> options;
  if (threshold) options.emplace_back("tombstone_threshold");
  grace.add_name(options);
  return options;
}

bool DroppableTombstones::is_worth_merging(const TreeView& tree, const SortedRun& run) const {
  Candidate candidate = candidate_of(run);
  candidate.ripe = grace.ripe(tree, run);
  if (!has_enough(*this, tree, candidate)) return false;
  return is_unchecked || may_drop(*this, tree, candidate, others_of(tree, run));
}

bool DroppableTombstones::is_worth_merging(const TreeView& tree, const SortedRun& run,
                                           const File& file) const {
  Candidate candidate = candidate_of(file);
  candidate.ripe = grace.ripe(tree, file);
  if (!has_enough(*this, tree, candidate)) return false;
  return is_unchecked || may_drop(*this, tree, candidate, others_of(tree, run, file));
}

std::optional<Plan> DroppableTombstones::pick(const TreeView& tree) const {
  const SortedRun* best = nullptr;
  std::uint32_t best_level = 0;
  for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {  // newest first
      if (run.busy() || (best != nullptr && run.bytes() < best->bytes())) continue;
      if (!is_worth_merging(tree, run)) continue;
      best = &run;
      best_level = level;
    }
  }
  if (best == nullptr) return std::nullopt;
  MergePlan merge;
  merge.inputs = {input_of(best_level, *best, FileSpan(best->files, 0, best->files.size()))};
  merge.target = {best_level, best->id};
  return Plan{PlanReason::kTombstoneDensity, std::move(merge), {}};
}

}  // namespace lsmlab
