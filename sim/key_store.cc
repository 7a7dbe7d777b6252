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

void KeyStore::Inputs::include(FlushSpan span) {
  if (flushes.first == 0) flushes = span;
  flushes = {std::min(flushes.first, span.first), std::max(flushes.last, span.last)};
}

void KeyStore::Inputs::include(const File& file) {
  include(file.flushes);
  if (!file.oldest_tombstone) return;
  if (!oldest_tombstone || *file.oldest_tombstone < *oldest_tombstone) {
    oldest_tombstone = file.oldest_tombstone;
  }
}

KeyStore::KeyStore(const ConfiguredPolicy& policy, const PlanLogSink& log, StoreObserver* observer)
    : policy_(*policy.policy),
      store_(policy.store),
      log_(log),
      observer_(observer),
      memtable_(policy.store.buffer) {}

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
  const std::uint32_t number = BOOST_OUTCOME_TRYX(classes_.number_of(key_bytes, value_bytes));
  const Entry entry = Entry::make(key, ++writes_, is_tombstone, number);
  memtable_.add(entry, classes_[number], tree_.now());
  totals_.user_bytes += std::uint64_t{key_bytes} + value_bytes;
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
  tree_.begin_flush({file.bytes, file.entries, file.keys, file.tombstones, traffic_});
  traffic_ = {};
  totals_.bytes_flushed += file.bytes.value();
  ++totals_.flushes;
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
  TreeEdit edit;
  edit.cursors = plan.cursors;
  edit.takes_memtable = takes_memtable(plan);
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) {
    execute_flush(*flush, format_of(plan), edit);
  }
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
    execute_merge(*merge, format_of(plan), edit);
  }
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) execute_move(*move, edit);
  if (const auto* link = std::get_if<LinkPlan>(&plan.action)) execute_link(*link, edit);
  apply(plan, edit);
}

File KeyStore::adopt(BuiltFile built, const SstableFormat& format, FlushSpan flushes,
                     std::optional<Instant> oldest_tombstone) {
  File file = std::move(built.file);
  file.id = tree_.allocate_file_id();
  file.flushes = flushes;
  file.created = file.level_since = file.last_access = tree_.now();
  if (file.tombstones > Entries(0)) file.oldest_tombstone = oldest_tombstone;
  lists_.emplace(file.id.value(), StoredFile{std::move(built.entries), format});
  file_bytes_ += file.bytes.value();
  return file;
}

void KeyStore::execute_flush(const FlushPlan& plan, const SstableFormat& format, TreeEdit& edit) {
  FileSums sums(format);
  for (const Entry& entry : sorted_memtable_) sums.add(entry, classes_[entry.size_class()]);
  BuiltFile built{EntryList(pool_), sums.file()};
  built.entries.append(sorted_memtable_);
  const std::uint64_t number = tree_.flush_count() + 1;
  File file = adopt(std::move(built), format, {number, number}, memtable_.oldest_tombstone());
  totals_.flush_bytes_written += file.bytes.value();
  edit.added.push_back({plan.target, {std::move(file)}});
}

void KeyStore::execute_move(const MovePlan& plan, TreeEdit& edit) {
  ++totals_.moves;
  TreeEdit::Moved moved{{}, plan.target};
  for (const PlanInput& input : plan.inputs) {
    moved.files.insert(moved.files.end(), input.files.begin(), input.files.end());
  }
  edit.moved.push_back(std::move(moved));
}

void KeyStore::execute_link(const LinkPlan& plan, TreeEdit& edit) {
  ++totals_.links;
  CHECK(plan.upper.files.size() == 1);
  const FileId upper_id = plan.upper.files.front();
  const std::optional<FileLocation> upper_at = tree_.find_file(upper_id);
  CHECK(upper_at);
  const File& upper = tree_.file_at(*upper_at);
  const BlockMap blocks(list_of(upper_id), classes_, store_.format());
  edit.frozen.push_back(upper_id);
  for (const FileId lower_id : plan.lower_files) {
    const std::optional<FileLocation> at = tree_.find_file(lower_id);
    CHECK(at);
    const SortedRun& run = tree_.levels()[at->level].runs[at->run];
    KeyRange keys = responsible_range(run, at->file);
    keys = {std::max(keys.smallest, upper.keys.smallest),
            std::min(keys.largest, upper.keys.largest)};
    CHECK(keys.smallest <= keys.largest);
    edit.linked.push_back({upper_id, lower_id, {upper_id, keys, blocks.bytes_in(keys)}});
  }
}

void KeyStore::add_slices(const File& file, Inputs& inputs) {
  for (const Slice& slice : file.slices) {
    EntryList& list = list_of(slice.frozen_file);
    const auto [first, last] = list.range_of(slice.keys);
    auto stream = std::make_unique<ListStream>();
    stream->add(list, first, last, false);
    const std::uint64_t entries = stream->entries();
    inputs.entries += entries;
    inputs.slice_entries += entries;
    inputs.streams.push_back({std::move(stream), entries});
    const File& frozen = tree_.frozen_files().at(slice.frozen_file).file;
    inputs.include(frozen);
    inputs.tombstones += frozen.tombstones.value();  // at most: the slice may hold fewer
    inputs.read_bytes += slice.bytes.value();
  }
}

KeyStore::Inputs KeyStore::gather(const MergePlan& plan) {
  Inputs inputs;
  if (plan.takes_memtable) {
    inputs.streams.push_back(
        {std::make_unique<SpanStream>(sorted_memtable_), sorted_memtable_.size()});
    const std::uint64_t number = tree_.flush_count() + 1;
    inputs.include(FlushSpan{number, number});
    inputs.entries += sorted_memtable_.size();
    inputs.tombstones += tree_.pending_flush()->tombstones.value();
    inputs.oldest_tombstone = memtable_.oldest_tombstone();
  }
  for (const PlanInput& input : plan.inputs) {
    auto stream = std::make_unique<ListStream>();
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = tree_.find_file(id);
      CHECK(at);
      const File& file = tree_.file_at(*at);
      EntryList& list = list_of(id);
      stream->add(list, 0, list.size(), true);
      inputs.include(file);
      inputs.read_bytes += file.bytes.value();
      inputs.tombstones += file.tombstones.value();
      add_slices(file, inputs);
    }
    const std::uint64_t entries = stream->entries();
    inputs.entries += entries;
    inputs.streams.push_back({std::move(stream), entries});
  }
  return inputs;
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

void KeyStore::execute_merge(const MergePlan& plan, const SstableFormat& format, TreeEdit& edit) {
  edit.is_merge = true;
  Inputs inputs = gather(plan);
  edit.slice_entries = Entries(inputs.slice_entries);
  OutputBuilder builder(format, OutputCutter(tree_, plan), classes_, pool_);
  const std::unique_ptr<EntryStream> stream = merged_stream(std::move(inputs.streams));
  totals_.tombstones_dropped +=
      pour(*stream, TombstoneRule(tree_, plan), inputs.tombstones > 0, builder);
  TreeEdit::Added added{plan.target, {}};
  std::uint64_t entries_out = 0;
  std::uint64_t written_bytes = 0;
  for (BuiltFile& built : builder.finish()) {
    added.files.push_back(adopt(std::move(built), format, inputs.flushes, inputs.oldest_tombstone));
    entries_out += added.files.back().entries.value();
    written_bytes += added.files.back().bytes.value();
  }
  edit.added.push_back(std::move(added));
  for (const PlanInput& input : plan.inputs) {
    edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
  }
  ++totals_.merges;
  totals_.merge_bytes_read += inputs.read_bytes;
  totals_.merge_bytes_written += written_bytes;
  totals_.entries_dropped += inputs.entries - entries_out;
  merge_bytes_.push_back(inputs.read_bytes + written_bytes);
}

void KeyStore::apply(const Plan& plan, const TreeEdit& edit) {
  transient_.observe(file_bytes_, static_cast<std::uint64_t>(totals_.bytes_flushed));
  if (log_) log_(make_plan_record(tree_, plan, edit, plans_ + 1));
  ++plans_;
  std::vector<FileId> frozen;  // whose slices go
  for (const FileId id : edit.removed) {
    const File& file = tree_.file_at(*tree_.find_file(id));
    file_bytes_ -= file.bytes.value();
    for (const Slice& slice : file.slices) frozen.push_back(slice.frozen_file);
  }
  std::sort(frozen.begin(), frozen.end());
  frozen.erase(std::unique(frozen.begin(), frozen.end()), frozen.end());
  std::uint64_t frozen_bytes = 0;
  for (const FileId id : frozen) frozen_bytes += tree_.frozen_files().at(id).file.bytes.value();

  const Result<void> applied = tree_.apply(edit);
  CHECK(applied.has_value());
  for (const FileId id : edit.removed) drop_contents(id);
  for (const FileId id : frozen) {
    const auto still = tree_.frozen_files().find(id);
    if (still != tree_.frozen_files().end()) {
      frozen_bytes -= still->second.file.bytes.value();
    } else {
      drop_contents(id);
    }
  }
  file_bytes_ -= frozen_bytes;
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
