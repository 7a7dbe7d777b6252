// Point lookups, and the read views that all reads use.
#include <algorithm>

#include "engine/store/store_impl.h"
#include "models/execution/lookup_path.h"

namespace lsmlab::engine {
namespace {

// The state of one lookup as it visits the tables.
class PointLookup {
 public:
  PointLookup(StoreImpl& store, const ReadView& view, std::string_view key, DataBlockCache* cache,
              bool is_age_ordered)
      : store_(store), view_(view), key_(key), cache_(cache), is_age_ordered_(is_age_ordered) {}

  /// The file that the lookup visits now.
  LiveFile& reach(FileId id) {
    reached_ = view_.files.at(id).get();
    return *reached_;
  }
  /// True if the lookup ends here: a version was found, or an error occurred.
  [[nodiscard]] bool ask(FileId id) {
    const bool is_slice = reached_->id() != id;
    const Result<bool> outcome = search(is_slice ? *view_.files.at(id) : *reached_);
    if (outcome) return outcome.value();
    error_ = outcome.error();
    return true;
  }

  /// Whether the file may have the key; a read that follows does not check its filter again. True,
  /// too, if an error occurs, which that read then meets.
  [[nodiscard]] bool may_hold() {
    const Result<std::shared_ptr<const SstableReader>> table = reached_->table();
    if (!table || !table.value()->has_filter()) return true;
    ++figures.filter_checks;
    if (!table.value()->may_contain(hash())) return false;
    passed_ = reached_;
    return true;
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] const std::optional<EntryView>& entry() const { return entry_; }
  LookupFigures figures;

 private:
  [[nodiscard]] Result<bool> search(const LiveFile& file) {
    ++figures.runs_touched;
    std::shared_ptr<const SstableReader> opened;
    const SstableReader* table = file.kept_table();
    if (table == nullptr) {
      opened = BOOST_OUTCOME_TRYX(file.table());
      table = opened.get();
    }
    if (table->has_filter() && passed_ != &file) {
      ++figures.filter_checks;
      if (!table->may_contain(hash())) return false;
    }
    const std::size_t block = table->block_of(key_);
    if (block < table->block_count()) {
      BlockHandle handle = cache_ != nullptr
                               ? BOOST_OUTCOME_TRYX(table->fetch(block, *cache_, figures.blocks))
                               : BOOST_OUTCOME_TRYX(table->read(block));
      const std::size_t at = handle->lower_bound(key_);
      const bool is_found = at < handle->count() && handle->entry(at).key == key_;
      if (cache_ != nullptr && (is_found || !table->has_filter())) {
        store_.note_fetch(*table, block);
      }
      if (is_found) {
        take(std::move(handle), at);
        return is_age_ordered_;
      }
    }
    figures.false_positives += table->has_filter();
    return false;
  }

  [[nodiscard]] std::uint64_t hash() {
    if (!key_hash_) key_hash_ = hash_of_key(key_);
    return *key_hash_;
  }

  void take(BlockHandle handle, std::size_t at) {
    const EntryView found = handle->entry(at);
    if (entry_ && entry_->tag > found.tag) return;
    entry_ = found;
    block_ = std::move(handle);
  }

  StoreImpl& store_;
  const ReadView& view_;
  std::string_view key_;
  LiveFile* reached_ = nullptr;
  const LiveFile* passed_ = nullptr;  // whose filter has passed the key
  DataBlockCache* cache_;             // null: do not use the cache
  bool is_age_ordered_;
  std::optional<std::uint64_t> key_hash_;
  BlockHandle block_;  // owns the bytes of entry_
  std::optional<EntryView> entry_;
  std::optional<Error> error_;
};

}  // namespace

std::shared_ptr<const ReadView> StoreImpl::view() {
  {
    const std::lock_guard lock(view_mutex_);
    if (view_) return view_;
  }
  const Lock state(mutex_);
  const std::lock_guard lock(view_mutex_);
  if (view_ || is_tree_torn_) return view_;
  auto view = std::make_shared<ReadView>();
  view->memtables.push_back(active_);
  view->memtables.insert(view->memtables.end(), waiting_.rbegin(), waiting_.rend());
  view->tree = tree_;
  view->files = live_;
  view_ = std::move(view);
  return view_;
}

Result<std::shared_ptr<const Snapshot>> StoreImpl::snapshot() {
  // No write happens between the two, so the number is that of the newest write in the view.
  const Lock lock(write_mutex_);
  const std::shared_ptr<const ReadView> now = view();
  if (!now) return background_error().error();
  return std::make_shared<Snapshot>(now, last_sequence_.load(std::memory_order_acquire));
}

void StoreImpl::touch(LiveFile& file) const {
  file.note_access(clock_.load(std::memory_order_relaxed));
}

void StoreImpl::charge_seek(const ReadView& view, const FileLocation& at) {
  const File& file = view.tree.file_at(at);
  const std::optional<std::uint64_t> seeks_max = policy_.seeks_max(file);
  const std::uint64_t seeks = view.files.at(file.id)->note_seek();
  if (!seeks_max || seeks < *seeks_max) return;
  Lock state(mutex_);
  if (is_stepped()) {
    // The next write reports an error here; the lookup itself was answered.
    const Result<void> settled = caught(directory_, [&] { return settle_stepped(state); });
    if (state.owns_lock()) state.unlock();
    if (!settled) set_error(settled.error());
  } else {
    changed_.notify_all();
  }
}

Result<std::optional<std::string>> StoreImpl::get(std::string_view key,
                                                  const ReadOptions& options) {
  if (options.is_counted) {
    clock_.fetch_add(1, std::memory_order_relaxed);
    lookups_.fetch_add(1, std::memory_order_relaxed);
  }
  const std::shared_ptr<const ReadView> seen =
      options.snapshot != nullptr ? options.snapshot->view_ : view();
  if (!seen) return background_error().error();
  const std::uint64_t sequence = options.snapshot != nullptr
                                     ? options.snapshot->sequence_
                                     : last_sequence_.load(std::memory_order_acquire);
  PointLookup lookup(*this, *seen, key, options.is_counted ? &block_cache_ : nullptr,
                     policy_.keeps_age_order());
  lookup.figures.count = 1;
  std::optional<EntryView> found;
  for (const std::shared_ptr<MemtableSlot>& memtable : seen->memtables) {
    found = memtable->table.find(key, sequence);
    if (found) break;
  }
  lookup.figures.memtable_hits = found.has_value();
  std::optional<FileLocation> in_vain;
  if (!found) {
    in_vain = walk_lookup(
        seen->tree, window_.of(key),
        [&](const FileLocation& at) {
          LiveFile& file = lookup.reach(seen->tree.file_at(at).id);
          if (options.is_counted) touch(file);
        },
        [&](const FileLocation&, FileId id) { return lookup.ask(id); },
        [&](const FileLocation&, FileId) { return lookup.may_hold(); });
    if (lookup.error()) return *lookup.error();
    found = lookup.entry();
  }
  std::optional<std::string> value;
  if (found && !found->is_tombstone()) value.emplace(found->value);
  if (!options.is_counted) return value;
  read_bytes_.fetch_add(static_cast<std::uint64_t>(lookup.figures.blocks.bytes_read),
                        std::memory_order_relaxed);
  {
    const Lock figures(figures_mutex_);
    (value ? reads_.gets_found : reads_.gets_absent) += lookup.figures;
  }
  if (in_vain) charge_seek(*seen, *in_vain);
  return value;
}

void StoreImpl::count_scan(const ScanFigures& figures) {
  read_bytes_.fetch_add(static_cast<std::uint64_t>(figures.blocks.bytes_read),
                        std::memory_order_relaxed);
  const Lock lock(figures_mutex_);
  ++reads_.scans.count;
  reads_.scans.entries += figures.entries;
  reads_.scans.runs_touched += figures.runs_touched;
  reads_.scans.blocks += figures.blocks;
}

}  // namespace lsmlab::engine
