#include "sim/keys/key_tree.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "models/base/check.h"
#include "models/execution/plan_schedule.h"
#include "models/execution/starting_tree.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree_query.h"
#include "sim/keys/block_map.h"

namespace lsmlab {

KeyTree::KeyTree(const ConfiguredPolicy& policy, Inputs inputs, const PlanLogSink& log,
                 StoreObserver* observer, const std::vector<KeyMemtable*>& memtables)
    : policy_(*policy.policy),
      store_(policy.store),
      inputs_(inputs),
      observer_(observer),
      ledger_(log, WalSize(policy.store)),
      reader_(tree_, memtables, tables_, policy_.keeps_age_order()) {
  tree_.keep(policy_.orderings());
  if (policy_.keeps_copies()) tables_.count_cached_blocks(store_.block_cache);
}

SstableFormat KeyTree::format_of(const Plan& plan) const {
  return output_format(policy_, store_, tree_, plan, Entries(flushing_entries_.size()));
}

StoredFile& KeyTree::stored(FileId id) const {
  StoredFile* const file = files_.find(id);
  CHECK(file != nullptr);
  return *file;
}

void KeyTree::drop_contents(FileId id) {
  files_.erase(id);
  tables_.forget(id);
}

Result<Entry> KeyTree::number_write(std::uint64_t key, std::uint32_t key_bytes,
                                    std::uint32_t value_bytes, bool is_tombstone) {
  if (writes_ == kWritesMax) {
    return input_error(fmt::format("a run holds at most {} writes", kWritesMax));
  }
  if (store_.layout != SstableLayout::kLsmlab && key_bytes < store_.keys.id_bytes()) {
    return input_error(
        fmt::format("key {} has {} bytes; with table_format=rocksdb or leveldb a key needs at "
                    "least {} for its id",
                    key, key_bytes, store_.keys.id_bytes()));
  }
  const std::uint32_t number = BOOST_OUTCOME_TRYX(classes_.number_of(key_bytes, value_bytes));
  const Entry entry = Entry::make(key, ++writes_, is_tombstone, number);
  const std::uint64_t bytes = std::uint64_t{key_bytes} + value_bytes;
  is_tombstone ? live_.remove(key) : live_.put(key, bytes, writes_);
  return entry;
}

Result<Entry> KeyTree::accept(std::uint64_t key, std::uint32_t key_bytes, std::uint32_t value_bytes,
                              bool is_tombstone) {
  const Entry entry = BOOST_OUTCOME_TRYX(number_write(key, key_bytes, value_bytes, is_tombstone));
  ledger_.add_write(key_bytes, is_tombstone ? std::nullopt : std::optional(value_bytes),
                    tree_.now());
  if (observer_ != nullptr) observer_->on_write(stored_entry(entry, classes_), tree_.now());
  return entry;
}

Result<void> KeyTree::place(std::uint32_t level, const SstableFormat& format,
                            const std::vector<std::vector<StartingRecord>>& files) {
  const OutputTarget target = starting_target(tree_, level);
  TreeEdit edit;
  for (const std::vector<StartingRecord>& records : files) {
    OutputSums sums(format, TombstoneNotes(policy_));
    BuiltFile built{EntryList(pool_), false, {}};
    for (const StartingRecord& record : records) {
      const Entry entry =
          BOOST_OUTCOME_TRYX(number_write(record.key, record.key_bytes, record.value_bytes, false));
      sums.add(entry, size_of(entry));
      built.entries.append(std::span(&entry, 1));
    }
    built.entries.trim();
    built.file = sums.file();
    File file = adopt(std::move(built), format);
    finish_file(file, file.id, {}, std::nullopt, tree_.now());
    // Each file of level 0 is a run.
    if (level == 0 || edit.added.empty()) edit.added.push_back({target, {}});
    edit.added.back().files.push_back(std::move(file));
  }
  const Result<void> applied = tree_.apply(edit);
  CHECK(applied.has_value());
  ledger_.restore_file_bytes(tree_);
  ledger_.set_live_bytes(live_.bytes());
  return success();
}

void KeyTree::forget_dropped() {
  for (; dropped_ < ledger_.dropped().size(); ++dropped_) {
    live_.drop(ledger_.dropped()[dropped_].sequences, ledger_.dropped()[dropped_].keys);
  }
}

PendingFlush KeyTree::flush_of(const KeyMemtable& memtable, const Traffic& traffic) const {
  const std::span<const Entry> entries = memtable.entries();
  const Plan flush{PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}};
  OutputSums sums(output_format(policy_, store_, tree_, flush, Entries(entries.size())));
  for (const Entry& entry : entries) sums.add(entry, size_of(entry));
  const File file = sums.file();
  return {file.bytes, file.entries, file.keys, file.tombstones, traffic, memtable.first_write()};
}

void KeyTree::begin_flush(KeyMemtable& memtable, const Traffic& traffic,
                          std::optional<std::uint64_t> full_ns) {
  flushing_ = &memtable;
  flushing_entries_ = memtable.sort();
  const PendingFlush pending = flush_of(memtable, traffic);
  tree_.begin_flush(pending);
  ledger_.begin_flush(pending, full_ns);
}

KeyJob KeyTree::start(const Plan& plan) {
  KeyJob job;
  job.plan = plan;
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) {
    write_flush(*flush, format_of(plan), job);
  }
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
    write_merge(*merge, format_of(plan), job);
  }
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) sum_dropped(*drop, job);
  return job;
}

File KeyTree::adopt(BuiltFile built, const SstableFormat& format) {
  File file = std::move(built.file);
  file.id = tree_.allocate_file_id();
  if (store_.keeps_ranges()) {
    const Bytes range_bytes = tuned_options(store_, tree_).range_bytes;
    keep_ranges(file, range_bytes, store_,
                kept_ranges_of(built.entries, classes_, format, range_bytes));
  }
  files_.add(file.id, {std::move(built.entries), format, built.has_overwritten});
  return file;
}

void KeyTree::write_flush(const FlushPlan& plan, const SstableFormat& format, KeyJob& job) {
  if (!plan.cut.makes_one_file()) {
    write_merge(as_merge(plan), format, job);
    return;
  }
  OutputSums sums(format, TombstoneNotes(policy_));
  for (const Entry& entry : flushing_entries_) sums.add(entry, size_of(entry));
  BuiltFile built{EntryList(pool_), flushing_->has_overwritten(), sums.file()};
  built.entries.append(flushing_entries_);
  built.entries.trim();
  job.sums = flush_sums(tree_, flushing_->oldest_tombstone());
  job.files.push_back(adopt(std::move(built), format));
}

void KeyTree::add_slices(std::span<const Slice> slices, std::vector<MergeInput>& streams,
                         PlanSums& sums) {
  for (const Slice& slice : slices) {
    StoredFile& file = stored(slice.frozen_file);
    const auto [first, last] = file.entries.range_of(slice.keys);
    auto stream = std::make_unique<ListStream>();
    stream->add(file.entries, first, last, false);
    const std::uint64_t entries = stream->entries();
    sums.add_slice_entries(entries);
    streams.push_back({newest_of(std::move(stream), file.has_overwritten), entries});
  }
}

std::vector<MergeInput> KeyTree::streams_of(const MergePlan& plan, PlanSums& sums) {
  std::vector<MergeInput> streams;
  const bool has_slices = !tree_.frozen_files().empty();
  FileFinder finder(tree_);
  if (plan.takes_memtable) {
    streams.push_back(
        {newest_of(std::make_unique<SpanStream>(flushing_entries_), flushing_->has_overwritten()),
         flushing_entries_.size()});
  }
  // Small files lie scattered: all are fetched at once while the first ones are merged.
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      if (const StoredFile* const file = files_.find(id)) file->entries.prefetch();
    }
  }
  for (const PlanInput& input : plan.inputs) {
    auto stream = std::make_unique<ListStream>();
    bool has_overwritten = false;
    for (const FileId id : input.files) {
      if (has_slices) {
        const File& file = finder.at(id);
        add_slices(merged_slices(plan, file), streams, sums);
        if (file.is_virtual) continue;
      }
      StoredFile& file = stored(id);
      has_overwritten |= file.has_overwritten;
      stream->add(file.entries, 0, file.entries.size(),
                  inputs_ == Inputs::kLetGo && plan.copies_max == 0);
    }
    const std::uint64_t entries = stream->entries();
    streams.push_back({newest_of(std::move(stream), has_overwritten), entries});
  }
  return streams;
}

std::vector<std::uint64_t> KeyTree::pour(EntryStream& stream, std::optional<TombstoneRule>& rule,
                                         OutputBuilder& builder) {
  std::vector<std::uint64_t> dropped;
  std::array<Entry, ChunkPool::kChunkEntries> kept;
  for (;;) {
    const std::span<const Entry> piece = stream.peek();
    if (piece.empty()) return dropped;
    if (!rule) {
      builder.append(piece);
    } else {
      std::size_t count = 0;
      for (const Entry& entry : piece) {
        const auto is_held = [&](FileId id) { return passes(id, entry.key); };
        if (entry.is_tombstone() && rule->drops(entry.key, entry.sequence(), is_held)) {
          dropped.push_back(entry.sequence());
          continue;
        }
        kept[count++] = entry;
      }
      builder.append(std::span(kept).first(count));
    }
    stream.skip(piece.size());
  }
}

bool KeyTree::passes(FileId id, std::uint64_t key) const {
  const StoredFile& file = stored(id);
  if (filter_lines(file.format, file.entries.size()) == 0) return true;
  const std::size_t index = file.entries.lower_bound(key);
  return index < file.entries.size() && file.entries[index].key == key;
}

void KeyTree::write_merge(const MergePlan& plan, const SstableFormat& format, KeyJob& job) {
  std::optional<Instant> oldest_tombstone;
  if (plan.takes_memtable) oldest_tombstone = flushing_->oldest_tombstone();
  job.sums = merge_sums(tree_, plan, oldest_tombstone);
  OutputBuilder builder(format, TombstoneNotes(policy_), OutputCutter(tree_, plan), classes_,
                        pool_);
  const std::unique_ptr<EntryStream> stream = merged_stream(streams_of(plan, job.sums));
  std::optional<TombstoneRule> rule;
  if (plan.drops_tombstones && job.sums.tombstones_max > 0) {
    rule.emplace(tree_, plan, store_.pre_remove, policy_.gc_grace());
  }
  job.sums.dropped_sequences = pour(*stream, rule, builder);
  job.sums.tombstones_dropped = job.sums.dropped_sequences.size();
  if (rule) job.sums.range_tests = rule->tests();
  std::vector<BuiltFile> files = builder.finish();
  job.files.reserve(files.size());
  for (BuiltFile& built : files) job.files.push_back(adopt(std::move(built), format));
}

void KeyTree::sum_dropped(const DropPlan& plan, KeyJob& job) {
  job.sums = drop_sums(tree_, plan);
  FileFinder finder(tree_);
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      if (finder.at(id).tombstones == Entries(0)) continue;
      const EntryList& list = list_of(id);
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].is_tombstone()) job.sums.dropped_sequences.push_back(list[i].sequence());
      }
    }
  }
  job.sums.tombstones_dropped = job.sums.dropped_sequences.size();
}

TreeEdit KeyTree::make_edit(KeyJob& job) {
  TreeEdit edit = begin_edit(tree_, job.plan);
  if (const auto* link = std::get_if<LinkPlan>(&job.plan.action)) {
    SstableFormat format = store_.format();
    const std::uint32_t level = link->upper.level;
    format.compression = level == 0 ? store_.compression.of_flush()
                                    : store_.compression.at(level, 1, tree_.levels().size(), true);
    const BlockMap blocks(list_of(link->upper.files.front()), classes_, format);
    add_links(
        tree_, *link, [&](const KeyRange& keys) { return blocks.bytes_in(keys); }, edit);
  }
  if (const auto* refer = std::get_if<ReferPlan>(&job.plan.action)) refer_to(*refer, edit);
  edit.slice_entries = Entries(job.sums.slice_entries);
  const auto* flush = std::get_if<FlushPlan>(&job.plan.action);
  const auto* merge = std::get_if<MergePlan>(&job.plan.action);
  if (flush == nullptr && merge == nullptr) return edit;
  TreeEdit::Added added = begin_added(job.plan);
  added.files.reserve(job.files.size());
  for (File& file : job.files) {
    finish_output(file, job.sums, tree_.now());
    added.files.push_back(std::move(file));
  }
  edit.added.push_back(std::move(added));
  if (merge != nullptr) add_copies(tree_, merge->inputs, merge->copies_max, edit);
  return edit;
}

void KeyTree::look_at_copies() {
  if (!policy_.looks_at_copies(tree_)) return;
  std::vector<FileId> ids;
  for (const FrozenFile& frozen : tree_.frozen_files()) ids.push_back(frozen.file.id);
  for (const FileId id : ids) tree_.note_blocks(id, tables_.cached_blocks(id));
}

void KeyTree::refer_to(const ReferPlan& plan, TreeEdit& edit) {
  // A file may be cut into many slices.
  std::map<FileId, BlockMap> blocks;
  const VirtualFileSource source{
      [&](FileId id, const KeyRange& keys) -> Result<Bytes> {
        const StoredFile& file = stored(id);
        const auto map = blocks.try_emplace(id, file.entries, classes_, file.format).first;
        return map->second.bytes_in(keys);
      },
      [&] { return tree_.allocate_file_id(); }};
  const Result<void> added = add_virtual_files(tree_, plan, source, edit);
  CHECK(added.has_value());
}

PlanOutcome KeyTree::finish(KeyJob job, bool ran_beside_others) {
  TreeEdit edit = make_edit(job);
  if (ran_beside_others) {
    const Result<void> fits = fit_edit(tree_, job.plan, edit);
    CHECK(fits.has_value());
  }
  PlanOutcome outcome;
  apply(job, edit, outcome);
  return outcome;
}

void KeyTree::apply(const KeyJob& job, const TreeEdit& edit, PlanOutcome& outcome) {
  ledger_.set_live_bytes(live_.bytes());
  ledger_.record(tree_, job.plan, edit, &job.sums);
  forget_dropped();
  outcome.removed.reserve(edit.removed.size());
  FileFinder finder(tree_);
  for (const FileId id : edit.removed) {
    const File& file = finder.at(id);
    if (!file.is_virtual) outcome.removed.emplace_back(id, file.bytes);
  }
  for (const FileId id : dropped_frozen_files(tree_, edit)) {
    outcome.removed.emplace_back(id, tree_.frozen_files().at(id).file.bytes);
  }
  const Result<void> applied = tree_.apply(edit);
  CHECK(applied.has_value());
  outcome.takes_memtable = edit.takes_memtable;
  for (const auto& [id, bytes] : outcome.removed) drop_contents(id);
  for (const TreeEdit::Added& added : edit.added) {
    outcome.added.reserve(added.files.size());
    for (const File& file : added.files) {
      if (!file.is_virtual) outcome.added.emplace_back(file.id, file.bytes);
    }
  }
  if (edit.takes_memtable) {
    flushing_ = nullptr;
    flushing_entries_ = {};
  }
  if (observer_ != nullptr) {
    observer_->on_edit(tree_, job.plan, edit, [this](FileId id) { return contents(id); });
  }
}

std::vector<StoredEntry> KeyTree::contents(FileId id) const {
  std::vector<StoredEntry> entries;
  const StoredFile* const file = files_.find(id);
  if (file == nullptr) return entries;
  for (std::size_t i = 0; i < file->entries.size(); ++i) {
    entries.push_back(stored_entry(file->entries[i], classes_));
  }
  return entries;
}

}  // namespace lsmlab
