#include "sim/ranges/range_tree.h"

#include <algorithm>
#include <tuple>

#include "models/base/check.h"
#include "models/base/random.h"
#include "models/execution/plan_schedule.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

EntryMix mix_of(const RangeContents& contents) {
  const ClassCounts sum = sum_of(contents.classes);
  const std::uint64_t entries = rounded(sum.entries);
  const std::uint64_t tombstones = std::min(entries, rounded(sum.tombstones));
  return {entries - tombstones, tombstones, id_gap_of(contents.keys, entries)};
}

// The mean gap between keys in an output of so many entries.
std::uint64_t output_gap(const std::vector<SourceCursor>& sources, std::uint64_t entries) {
  KeyRange keys{~std::uint64_t{0}, 0};
  for (const SourceCursor& source : sources) {
    for (const SourcePart& part : source.parts()) keys = hull_of(keys, part.window);
  }
  return id_gap_of(keys, entries);
}

// Every file of a store with filters has one here.
PreRemove rule_in_force(const StoreOptions& store) {
  const bool has_filters = store.bits_per_key.numerator() > 0;
  const bool asks_filters = store.pre_remove == PreRemove::kFilters;
  return asks_filters && !has_filters ? PreRemove::kFiles : store.pre_remove;
}

bool chooses_by_age(const Policy& policy) {
  const std::vector<FileOrdering> orderings = policy.orderings();
  return std::any_of(orderings.begin(), orderings.end(),
                     [](const FileOrdering& ordering) { return ordering.by_age; });
}

}  // namespace

EntryMix RangeMemtable::mix() const { return mix_of(contents); }

RangeTree::RangeTree(const ConfiguredPolicy& policy, const RangeSizes& sizes, std::size_t cells,
                     std::uint64_t seed, const PlanLogSink& log)
    : policy_(*policy.policy),
      store_(policy.store),
      sizes_(sizes),
      cells_{.count = cells, .has_ages = chooses_by_age(policy_), .are_keys_at_random = true},
      seed_(seed),
      ledger_(log, WalSize(policy.store)),
      grace_(policy_.gc_grace()) {
  tree_.keep(policy_.orderings());
}

const RangeContents& RangeTree::contents(FileId id) const {
  const auto found = contents_.find(id.value());
  CHECK(found != contents_.end());
  return found->second;
}

void RangeTree::count_writes(std::uint64_t puts, std::uint64_t deletes) {
  for (const EqualEntries& part : sizes_.puts(puts)) {
    ledger_.add_writes(part.count, part.key_bytes, part.value_bytes, tree_.now());
  }
  for (const EqualEntries& part : sizes_.tombstones(deletes)) {
    ledger_.add_writes(part.count, part.key_bytes, std::nullopt, tree_.now());
  }
}

void RangeTree::set_writes(std::uint64_t puts, std::uint64_t deletes) {
  ledger_.set_user_bytes(Uint128{sizes_.key_bytes(puts + deletes)} + sizes_.value_bytes(puts));
  Uint128 logged = 0;
  for (const EqualEntries& part : sizes_.puts(puts)) {
    logged += Uint128{part.count} * ledger_.wal().write_bytes(part.key_bytes, part.value_bytes);
  }
  for (const EqualEntries& part : sizes_.tombstones(deletes)) {
    logged += Uint128{part.count} * ledger_.wal().write_bytes(part.key_bytes, std::nullopt);
  }
  ledger_.set_wal_bytes_written(logged);
}

EntryMix RangeTree::flushed(const RangeMemtable& memtable) const {
  EntryMix mix = memtable.mix();
  if (!flush_keeps_overwritten(policy_, store_)) return mix;
  const std::uint64_t keys = mix.entries();
  const Traffic& traffic = memtable.traffic;
  mix.puts = std::max(mix.puts, traffic.writes - traffic.deletes);
  mix.tombstones = std::max(mix.tombstones, traffic.deletes);
  mix.overwritten = mix.entries() - keys;
  return mix;
}

PendingFlush RangeTree::flush_of(const RangeMemtable& memtable) const {
  const EntryMix mix = flushed(memtable);
  const Plan plan{PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}};
  const SstableFormat format = output_format(policy_, store_, tree_, plan, Entries(mix.entries()));
  return {sizes_.file_bytes(format, mix), Entries(mix.entries()), memtable.contents.keys,
          Entries(mix.tombstones),        memtable.traffic,       memtable.first_write};
}

void RangeTree::begin_flush(const RangeMemtable& memtable, std::optional<std::uint64_t> full_ns) {
  flushing_ = &memtable;
  flushing_deletes_.clear();
  const FixedCount tombstones = sum_of(memtable.contents.classes).tombstones;
  const std::uint64_t number = tree_.flush_count() + 1;
  if (tombstones > 0) {
    flushing_deletes_.push_back({{{number, number}, tombstones}});
  }
  grace_.add_flush(memtable.sequences);
  const PendingFlush pending = flush_of(memtable);
  tree_.begin_flush(pending);
  ledger_.begin_flush(pending, full_ns);
}

void RangeTree::merge_classes(const ClassMerges& merges) {
  CHECK(flushing_ == nullptr);
  for (auto& file : contents_) file.second.merge(merges);
  for (auto& run : run_classes_) lsmlab::merge_classes(run.second, merges);
  for (auto& file : virtual_classes_) lsmlab::merge_classes(file.second, merges);
  lsmlab::merge_classes(classes_, merges);
  std::vector<FixedCount> lost;
  for (std::size_t c = 0; c < lost_.size(); ++c) {
    if (lost.size() <= merges[c]) lost.resize(merges[c] + 1);
    lost[merges[c]] += lost_[c];
  }
  lost_ = std::move(lost);
  KeyCounts owed;
  for (std::size_t c = 0; c < owed_.size(); ++c) {
    if (owed.size() <= merges[c]) owed.resize(merges[c] + 1);
    owed[merges[c]] += owed_[c];
  }
  owed_ = std::move(owed);
}

void RangeTree::open_reader() {
  CHECK(!reader_ && contents_.empty());
  tables_.emplace(sizes_);
  reader_.emplace(tree_, *tables_,
                  RangeReader::Setup{store_.block_cache, policy_.keeps_age_order(), are_keys_even_,
                                     placed_ != nullptr, seed_});
}

EntryMix RangeTree::mix_of(const File& file, const RangeContents& contents) {
  const std::uint64_t entries = file.entries.value();
  const std::uint64_t tombstones = file.tombstones.value();
  return {entries - tombstones, tombstones, id_gap_of(file.keys, entries - contents.overwritten),
          contents.overwritten};
}

void RangeTree::keep(const File& file, RangeContents contents, const SstableFormat& format) {
  const auto kept = contents_.emplace(file.id.value(), std::move(contents)).first;
  if (!tables_) return;
  tables_->add(file.id, kept->second, format, mix_of(file, kept->second), reader_->reads());
}

void RangeTree::forget(FileId id) {
  contents_.erase(id.value());
  if (tables_) tables_->forget(id);
}

RangeJob RangeTree::start(const Plan& plan) {
  RangeJob job;
  job.plan = plan;
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) sum_dropped(*drop, job);
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  const auto* flush = std::get_if<FlushPlan>(&plan.action);
  if (merge == nullptr && flush == nullptr) return job;
  const Entries from_memtable(flushing_ != nullptr ? flushed(*flushing_).entries() : 0);
  job.format = output_format(policy_, store_, tree_, plan, from_memtable);
  if (merge != nullptr) {
    write_merge(*merge, job);
  } else if (flush->cut.makes_one_file()) {
    write_flush(job);
  } else {
    write_merge(as_merge(*flush), job);
    for (RangeContents& written : job.contents) renew_lost(written.classes);
    job.read.clear();  // it was in no file
  }
  return job;
}

void RangeTree::adopt(RangeFile written, RangeJob& job) {
  written.file.id = tree_.allocate_file_id();
  const std::uint64_t flushes = tree_.flush_count() + 1;
  for (CohortList& cohorts : written.contents.deletes) {
    if (grace_.is_on()) {
      grace_.merge(cohorts, flushes, tree_.newest_write());
    } else {
      merge_cohorts(cohorts, flushes);
    }
  }
  if (grace_.is_on()) written.file.deletion_times = grace_.times(written.contents.deletes);
  if (placed_ != nullptr) written.contents.key_step = PlacedKeys::kStep;
  if (!are_keys_even_ && !cells_.has_mixes) {
    written.contents.seed = derive_seed(seed_, written.file.id.value());
  }
  job.files.push_back(std::move(written.file));
  job.contents.push_back(std::move(written.contents));
}

PlanOutcome RangeTree::finish(RangeJob job, bool ran_beside_others) {
  count_classes(job);
  TreeEdit edit = make_edit(job);
  if (ran_beside_others) {
    const Result<void> fits = fit_edit(tree_, job.plan, edit);
    CHECK(fits.has_value());
  }
  PlanOutcome outcome;
  apply(job, edit, outcome);
  return outcome;
}

void RangeTree::apply(const RangeJob& job, const TreeEdit& edit, PlanOutcome& outcome) {
  ledger_.set_live_bytes(live_file_bytes());
  ledger_.record(tree_, job.plan, edit, &job.sums);
  FileFinder finder(tree_);
  for (const FileId id : edit.removed) {
    const File& file = finder.at(id);
    if (!file.is_virtual) outcome.removed.emplace_back(id, file.bytes);
  }
  for (const FileId id : dropped_frozen_files(tree_, edit)) {
    outcome.removed.emplace_back(id, tree_.frozen_files().at(id).file.bytes);
  }
  if (const auto* drop = std::get_if<DropPlan>(&job.plan.action)) let_older_go(*drop);
  for (const FileId id : edit.removed) count_in_run(id, false);
  for (const TreeEdit::Moved& moved : edit.moved) {
    for (const FileId id : moved.files) count_in_run(id, false);
  }
  for (const FileId id : edit.frozen) count_in_run(id, false);
  const std::vector<FileId> resliced = resliced_files(edit);
  for (const FileId id : resliced) count_in_run(id, false);
  const Result<void> applied = tree_.apply(edit);
  CHECK(applied.has_value());
  for (const FileId id : edit.removed) virtual_classes_.erase(id.value());
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      if (file.is_virtual) virtual_classes_.emplace(file.id.value(), classes_of(file.slices));
      if (!added.into) count_in_run(file.id, true);
      if (!file.is_virtual) outcome.added.emplace_back(file.id, file.bytes);
    }
  }
  for (const FileId id : resliced) {
    virtual_classes_[id.value()] = classes_of(tree_.file_at(*tree_.find_file(id)).slices);
    count_in_run(id, true);
  }
  count_linked(edit);
  for (const TreeEdit::Moved& moved : edit.moved) {
    for (const FileId id : moved.files) count_in_run(id, true);
  }
  for (const auto& [id, bytes] : outcome.removed) forget(id);
  outcome.takes_memtable = edit.takes_memtable;
  if (edit.takes_memtable) flushing_ = nullptr;
}

void RangeTree::count_classes(const RangeJob& job) {
  const auto* merge = std::get_if<MergePlan>(&job.plan.action);
  if (merge != nullptr && merge->takes_memtable) add_to(classes_, flushing_->contents.classes);
  for (const RangeContents& written : job.contents) add_to(classes_, written.classes);
  for (std::size_t c = 0; c < job.read.size(); ++c) {
    ClassCounts& counts = classes_[c];
    // Windows of slices are rounded, so that a class may come out a hair below 0.
    counts.entries -= std::min(counts.entries, job.read[c].entries);
    counts.oldest -= std::min(counts.oldest, job.read[c].oldest);
    counts.tombstones -= std::min(counts.tombstones, job.read[c].tombstones);
  }
}

void RangeTree::count_in_run(FileId id, bool is_added) {
  const std::optional<FileLocation> at = tree_.find_file(id);
  CHECK(at);
  const RunId run = tree_.levels()[at->level].runs[at->run].id;
  const ClassList& classes = file_classes(id);
  if (is_added) {
    add_to(run_classes_[run], classes);
    return;
  }
  const auto sum = run_classes_.find(run);
  if (sum == run_classes_.end()) {
    CHECK(total_entries(classes) == 0);
    return;
  }
  for (std::size_t c = 0; c < classes.size(); ++c) sum->second[c].subtract(classes[c]);
  if (total_entries(sum->second) == 0) run_classes_.erase(sum);
}

void RangeTree::write_flush(RangeJob& job) {
  job.sums = flush_sums(tree_, flushing_->oldest_tombstone);
  RangeFile written;
  written.contents = flushing_->contents;
  renew_lost(written.contents.classes);
  written.contents.deletes = flushing_deletes_;
  const EntryMix mix = flushed(*flushing_);
  written.contents.overwritten = mix.overwritten;
  File& file = written.file;
  file.keys = written.contents.keys;
  file.entries = Entries(mix.entries());
  file.tombstones = Entries(mix.tombstones);
  file.bytes = sizes_.file_bytes(job.format, mix);
  file.key_bytes = Bytes(sizes_.key_bytes(mix.entries()));
  file.value_bytes = Bytes(sizes_.value_bytes(mix.puts));
  file.sequences = flushing_->sequences;
  adopt(std::move(written), job);
}

std::vector<SourceCursor> RangeTree::sources_of(const MergePlan& plan, PlanSums& sums) const {
  // Newest first: the memtable, then by level and by run. A slice is newer than the run of the file
  // that it is linked to; of two slices the later one is newer.
  struct Placed {
    std::size_t level = 0;
    std::size_t run = 0;
    std::size_t slice = 0;  // from the newest; a run follows its slices
    std::vector<SourcePart> parts;
  };
  std::vector<Placed> placed;
  for (const PlanInput& input : plan.inputs) {
    if (input.files.empty()) continue;
    const FileLocation first = *tree_.find_file(input.files.front());
    Placed run{first.level, first.run, ~std::size_t{0}, {}};
    for (const FileId id : input.files) {
      const File& file = tree_.file_at(*tree_.find_file(id));
      if (!file.is_virtual) run.parts.push_back(part_of_file(id, file.keys));
      const std::span<const Slice> slices = merged_slices(plan, file);
      for (std::size_t i = 0; i < slices.size(); ++i) {
        const Slice& slice = slices[i];
        placed.push_back({first.level,
                          first.run,
                          slices.size() - i,
                          {part_of_file(slice.frozen_file, slice.keys)}});
      }
    }
    if (!run.parts.empty()) placed.push_back(std::move(run));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.level, a.run, a.slice) < std::tie(b.level, b.run, b.slice);
  });
  std::vector<SourceCursor> sources;
  if (plan.takes_memtable) {
    sources.emplace_back(std::vector<SourcePart>{{&flushing_->contents, flushing_->contents.keys,
                                                  flushing_->sequences, &flushing_deletes_}});
  }
  for (Placed& source : placed) {
    const bool is_slice = source.slice != ~std::size_t{0};
    sources.emplace_back(std::move(source.parts));
    if (is_slice) sums.add_slice_entries(rounded(total_entries(sources.back().total())));
  }
  return sources;
}

// Keys in the plan's inputs or in older data: all but those that only newer runs hold.
KeyCounts RangeTree::keys_of(const MergePlan& plan) const {
  std::pair<std::size_t, std::size_t> newest{tree_.levels().size(), 0};
  if (plan.takes_memtable) newest = {0, 0};
  for (const PlanInput& input : plan.inputs) {
    if (input.files.empty()) continue;
    const FileLocation at = *tree_.find_file(input.files.front());
    newest = std::min(newest, std::pair{at.level, at.run});
  }
  KeyCounts keys;
  const auto add = [&](const ClassList& classes, std::int64_t sign) {
    if (keys.size() < classes.size()) keys.resize(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      keys[c] += sign * new_keys(classes[c]);
    }
  };
  add(classes_, 1);
  if (plan.takes_memtable) add(flushing_->contents.classes, 1);
  for (std::size_t level = 0; level <= newest.first && level < tree_.levels().size(); ++level) {
    const std::vector<SortedRun>& runs = tree_.levels()[level].runs;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      if (level == newest.first && run >= newest.second) break;
      const auto found = run_classes_.find(runs[run].id);
      if (found != run_classes_.end()) add(found->second, -1);
    }
  }
  return keys;
}

std::vector<std::vector<SourcePart>> RangeTree::older_parts_of(
    const TombstoneRule& rule, const std::vector<SourceCursor>& sources) const {
  KeyRange keys{~std::uint64_t{0}, 0};
  for (const SourceCursor& source : sources) {
    for (const SourcePart& part : source.parts()) {
      keys = hull_of(keys, part.window);
    }
  }
  std::vector<std::vector<SourcePart>> lists;
  for (const std::vector<TombstoneRule::OlderPart>& parts : rule.older_parts(keys)) {
    std::vector<SourcePart>& list = lists.emplace_back();
    for (const TombstoneRule::OlderPart& part : parts) {
      list.push_back(part_of_file(part.file, part.keys));
    }
  }
  return lists;
}

void RangeTree::write_merge(const MergePlan& plan, RangeJob& job) {
  std::optional<Instant> oldest_tombstone;
  if (plan.takes_memtable) oldest_tombstone = flushing_->oldest_tombstone;
  job.sums = merge_sums(tree_, plan, oldest_tombstone);
  std::vector<SourceCursor> sources = sources_of(plan, job.sums);
  bool has_updates = false;
  for (const SourceCursor& source : sources) {
    const ClassCounts own = sum_of(source.total());
    has_updates = has_updates || own.entries > own.oldest;
    add_to(job.read, source.total());
  }
  const ClassCounts total = sum_of(job.read);
  // As the densities have them: the whole numbers of the files differ by halves of entries.
  job.sums.entries = rounded(total.entries);
  const std::uint64_t entries = std::max<std::uint64_t>(1, job.sums.entries);
  const std::uint64_t tombstones = std::min(entries, rounded(total.tombstones));
  const OlderKeys keys{has_updates && sources.size() > 1 ? keys_of(plan) : KeyCounts{}, placed_};
  RangeOutputs outputs(job.format, sizes_, OutputCutter(tree_, plan),
                       {{entries - tombstones, tombstones, output_gap(sources, entries)},
                        tree_.next_file_id().value()},
                       cells_);
  RipeSplits ripe(grace_, tree_.newest_write());
  const TombstoneRule rule(tree_, plan, rule_in_force(store_), policy_.gc_grace());
  std::optional<OlderSources> older;
  if (rule.asks_filters() && tombstones > 0) older.emplace(older_parts_of(rule, sources));
  RangeMergeSums sums = merge_ranges(sources, keys, rule, outputs,
                                     {cells_.has_mixes ? &owed_ : nullptr,
                                      grace_.is_on() ? &ripe : nullptr, older ? &*older : nullptr});
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) job.sums.entries += overwritten_in(id);
  }
  job.sums.tombstones_dropped = rounded(sums.tombstones_dropped);
  job.sums.dropped_cohorts = std::move(sums.dropped);
  for (RangeFile& written : outputs.finish()) adopt(std::move(written), job);
}

TreeEdit RangeTree::make_edit(RangeJob& job) {
  TreeEdit edit = begin_edit(tree_, job.plan);
  if (const auto* link = std::get_if<LinkPlan>(&job.plan.action)) {
    const FileId upper = link->upper.files.front();
    add_links(
        tree_, *link, [&](const KeyRange& keys) { return bytes_in(upper, keys); }, edit);
  }
  if (const auto* refer = std::get_if<ReferPlan>(&job.plan.action)) {
    const VirtualFileSource source{
        [&](FileId id, const KeyRange& keys) -> Result<Bytes> { return bytes_in(id, keys); },
        [&] { return tree_.allocate_file_id(); }};
    const Result<void> added = add_virtual_files(tree_, *refer, source, edit);
    CHECK(added.has_value());
  }
  edit.slice_entries = Entries(job.sums.slice_entries);
  const auto* flush = std::get_if<FlushPlan>(&job.plan.action);
  const auto* merge = std::get_if<MergePlan>(&job.plan.action);
  if (flush == nullptr && merge == nullptr) return edit;
  TreeEdit::Added added = begin_added(job.plan);
  added.files.reserve(job.files.size());
  for (std::size_t i = 0; i < job.files.size(); ++i) {
    File& file = job.files[i];
    finish_output(file, job.sums, tree_.now());
    keep(file, std::move(job.contents[i]), job.format);
    added.files.push_back(std::move(file));
  }
  edit.added.push_back(std::move(added));
  if (merge != nullptr) add_copies(tree_, merge->inputs, merge->copies_max, edit);
  return edit;
}

Result<std::uint64_t> RangeTree::live_bytes() { return live_file_bytes(); }

std::uint64_t RangeTree::live_file_bytes() const {
  const ClassCounts sum = sum_of(classes_);
  const std::uint64_t keys = rounded(sum.oldest - std::min(sum.oldest, sum.tombstones));
  return sizes_.key_bytes(keys) + sizes_.value_bytes(keys);
}

}  // namespace lsmlab
