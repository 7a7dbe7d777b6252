#include "sim/key_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/check.h"
#include "models/monkey.h"
#include "models/tree_query.h"
#include "sim/block_map.h"

namespace lsmlab {
namespace {

// More plans after one flush than any policy can want; a policy that never stops asking is a bug.
constexpr std::uint64_t kPlansPerFlushMax = 1'000'000;

}  // namespace

KeyStore::KeyStore(const ConfiguredPolicy& policy, const PlanLogSink& log, StoreObserver* observer)
    : policy_(*policy.policy),
      store_(policy.store),
      observer_(observer),
      ledger_(log),
      memtable_(policy.store) {}

SstableFormat KeyStore::format_of(const Plan& plan) const {
  return output_format(store_, tree_, plan, Entries(sorted_memtable_.size()));
}

EntryList& KeyStore::list_of(FileId id) {
  const auto list = lists_.find(id.value());
  CHECK(list != lists_.end());
  return list->second.entries;
}

void KeyStore::drop_contents(FileId id) {
  lists_.erase(id.value());
  tables_.forget(id);
}

Result<void> KeyStore::write(std::uint64_t key, std::uint32_t key_bytes, std::uint32_t value_bytes,
                             bool is_tombstone) {
  if (writes_ == kWritesMax) {
    return input_error(fmt::format("a run holds at most {} writes", kWritesMax));
  }
  if (store_.layout != SstableLayout::kLsmlab && key_bytes < sizeof key) {
    return input_error(
        fmt::format("key {} has {} bytes; with table_format=rocksdb or leveldb a key has at least "
                    "{}, which its "
                    "id takes",
                    key, key_bytes, sizeof key));
  }
  const std::uint32_t number = BOOST_OUTCOME_TRYX(classes_.number_of(key_bytes, value_bytes));
  const Entry entry = Entry::make(key, ++writes_, is_tombstone, number);
  memtable_.add(entry, classes_[number], tree_.now());
  ledger_.add_write(key_bytes, value_bytes);
  ++traffic_.writes;
  if (observer_ != nullptr) observer_->on_write(stored_entry(entry, classes_), tree_.now());
  if (memtable_.is_full()) flush();
  return success();
}

std::optional<Entry> KeyStore::get(std::uint64_t key) {
  ++traffic_.lookups;
  const KeyReader::Lookup lookup = reader_.get(key);
  if (lookup.searched_in_vain) {
    const std::uint64_t seeks = tree_.charge_seek(*lookup.searched_in_vain);
    const auto seeks_max = policy_.seeks_max(tree_.file_at(*lookup.searched_in_vain));
    if (seeks_max && seeks >= *seeks_max) settle();
  }
  return lookup.entry;
}

void KeyStore::scan(const ScanRange& range, const KeyReader::Visit& visit) {
  ++traffic_.lookups;
  reader_.scan(range, visit);
}

void KeyStore::flush() {
  if (memtable_.empty()) return;
  sorted_memtable_ = memtable_.sort();
  FileSums sums(format_of({PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}}));
  for (const Entry& entry : sorted_memtable_) sums.add(entry, classes_[entry.size_class()]);
  const File file = sums.file();
  const PendingFlush pending{file.bytes, file.entries, file.keys, file.tombstones, traffic_};
  tree_.begin_flush(pending);
  ledger_.begin_flush(pending);
  traffic_ = {};
  settle();
  CHECK(!tree_.pending_flush());
}

void KeyStore::settle() {
  std::uint64_t plans = 0;
  // What is pending is taken even so; between later plans the tree is whole.
  while (tree_.pending_flush() || !should_stop()) {
    const std::optional<Plan> plan = policy_.pick(tree_);
    if (!plan) return;
    execute(*plan);
    CHECK(++plans < kPlansPerFlushMax);
  }
}

void KeyStore::execute(const Plan& plan) {
  if (observer_ != nullptr) observer_->on_plan(tree_, plan);
  const Result<void> reserved = tree_.reserve(plan);
  CHECK(reserved.has_value());
  TreeEdit edit = begin_edit(tree_, plan);
  PlanSums sums;
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) {
    sums = execute_flush(*flush, format_of(plan), edit);
  }
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
    sums = execute_merge(*merge, format_of(plan), edit);
  }
  if (const auto* link = std::get_if<LinkPlan>(&plan.action)) execute_link(*link, edit);
  apply(plan, edit, sums);
}

File KeyStore::adopt(BuiltFile built, const SstableFormat& format, const PlanSums& sums) {
  File file = std::move(built.file);
  finish_file(file, tree_.allocate_file_id(), sums.flushes, sums.oldest_tombstone, tree_.now());
  lists_.emplace(file.id.value(), StoredFile{std::move(built.entries), format});
  return file;
}

PlanSums KeyStore::execute_flush(const FlushPlan& plan, const SstableFormat& format,
                                 TreeEdit& edit) {
  FileSums sums(format);
  for (const Entry& entry : sorted_memtable_) sums.add(entry, classes_[entry.size_class()]);
  BuiltFile built{EntryList(pool_), sums.file()};
  built.entries.append(sorted_memtable_);
  const PlanSums taken = flush_sums(tree_, memtable_.oldest_tombstone());
  edit.added.push_back({plan.target, {adopt(std::move(built), format, taken)}});
  return taken;
}

void KeyStore::execute_link(const LinkPlan& plan, TreeEdit& edit) {
  const BlockMap blocks(list_of(edit.frozen.front()), classes_, store_.format());
  add_links(
      tree_, plan, [&](const KeyRange& keys) { return blocks.bytes_in(keys); }, edit);
}

void KeyStore::add_slices(const File& file, std::vector<MergeInput>& streams, PlanSums& sums) {
  for (const Slice& slice : file.slices) {
    EntryList& list = list_of(slice.frozen_file);
    const auto [first, last] = list.range_of(slice.keys);
    auto stream = std::make_unique<ListStream>();
    stream->add(list, first, last, false);
    const std::uint64_t entries = stream->entries();
    sums.add_slice_entries(entries);
    streams.push_back({std::move(stream), entries});
  }
}

std::vector<MergeInput> KeyStore::streams_of(const MergePlan& plan, PlanSums& sums) {
  std::vector<MergeInput> streams;
  if (plan.takes_memtable) {
    streams.push_back({std::make_unique<SpanStream>(sorted_memtable_), sorted_memtable_.size()});
  }
  for (const PlanInput& input : plan.inputs) {
    auto stream = std::make_unique<ListStream>();
    for (const FileId id : input.files) {
      EntryList& list = list_of(id);
      stream->add(list, 0, list.size(), true);
      add_slices(tree_.file_at(*tree_.find_file(id)), streams, sums);
    }
    const std::uint64_t entries = stream->entries();
    streams.push_back({std::move(stream), entries});
  }
  return streams;
}

std::uint64_t KeyStore::pour(EntryStream& stream, TombstoneRule rule, bool has_tombstones,
                             OutputBuilder& builder) {
  const bool keeps_all = !has_tombstones || rule.drops_none();
  std::uint64_t dropped = 0;
  std::array<Entry, ChunkPool::kChunkEntries> kept;
  for (;;) {
    const std::span<const Entry> piece = stream.peek();
    if (piece.empty()) return dropped;
    if (keeps_all) {
      builder.append(piece);
    } else {
      std::size_t count = 0;
      for (const Entry& entry : piece) {
        if (entry.is_tombstone() && rule.drops(entry.key)) continue;
        kept[count++] = entry;
      }
      dropped += piece.size() - count;
      builder.append(std::span(kept).first(count));
    }
    stream.skip(piece.size());
  }
}

PlanSums KeyStore::execute_merge(const MergePlan& plan, const SstableFormat& format,
                                 TreeEdit& edit) {
  PlanSums sums = merge_sums(tree_, plan, memtable_.oldest_tombstone());
  OutputBuilder builder(format, OutputCutter(tree_, plan), classes_, pool_);
  const std::unique_ptr<EntryStream> stream = merged_stream(streams_of(plan, sums));
  edit.slice_entries = Entries(sums.slice_entries);
  sums.tombstones_dropped =
      pour(*stream, TombstoneRule(tree_, plan), sums.tombstones_max > 0, builder);
  TreeEdit::Added added{plan.target, {}};
  for (BuiltFile& built : builder.finish()) {
    added.files.push_back(adopt(std::move(built), format, sums));
  }
  edit.added.push_back(std::move(added));
  return sums;
}

void KeyStore::apply(const Plan& plan, const TreeEdit& edit, const PlanSums& sums) {
  ledger_.record(tree_, plan, edit, &sums);
  const std::vector<FileId> dropped = dropped_frozen_files(tree_, edit);
  const Result<void> applied = tree_.apply(edit);
  CHECK(applied.has_value());
  for (const FileId id : edit.removed) drop_contents(id);
  for (const FileId id : dropped) drop_contents(id);
  if (edit.takes_memtable) {
    memtable_.clear();
    sorted_memtable_ = {};
  }
  if (observer_ != nullptr) {
    observer_->on_edit(tree_, plan, edit, [this](FileId id) { return contents(id); });
  }
}

std::vector<StoredEntry> KeyStore::contents(FileId id) const {
  std::vector<StoredEntry> entries;
  const auto list = lists_.find(id.value());
  if (list == lists_.end()) return entries;
  for (std::size_t i = 0; i < list->second.entries.size(); ++i) {
    entries.push_back(stored_entry(list->second.entries[i], classes_));
  }
  return entries;
}

}  // namespace lsmlab
