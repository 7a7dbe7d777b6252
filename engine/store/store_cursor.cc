// Scans merge memtables and sorted runs by key. They open files in the order of
// models/execution/scan_path.h, as the simulator's scans do (sim/keys/key_reader.h), so both count
// the same. A sorted run reads a block only when the scan needs the block's first entry.
#include <algorithm>

#include "engine/store/store_impl.h"
#include "models/execution/scan_path.h"

namespace lsmlab::engine {
namespace {

class StoreCursor final : public Cursor {
 public:
  StoreCursor(StoreImpl& store, ScanBounds bounds, std::shared_ptr<const ReadView> view,
              std::uint64_t sequence, bool is_counted)
      : store_(store),
        view_(std::move(view)),
        sequence_(sequence),
        is_counted_(is_counted),
        bounds_(std::move(bounds)),
        first_window_(store.window().of(bounds_.first_key)),
        last_window_(bounds_.last_key ? store.window().of(*bounds_.last_key) : ~std::uint64_t{0}) {}
  ~StoreCursor() override {
    if (is_counted_) store_.count_scan(figures_);
  }

  [[nodiscard]] Result<bool> next() override {
    return caught(store_.directory(), [this]() -> Result<bool> {
      if (error_) return *error_;
      Result<bool> outcome = caught(store_.directory(), [this] { return find_next(); });
      if (!outcome) keep_copy(outcome.error(), error_);
      return outcome;
    });
  }
  [[nodiscard]] std::string_view key() const override { return newest_.key; }
  [[nodiscard]] std::string_view value() const override { return newest_.value; }
  [[nodiscard]] std::uint64_t sequence() const override { return newest_.sequence(); }

 private:
  struct Source {
    std::unique_ptr<Memtable::Cursor> memtable;
    std::shared_ptr<const SstableReader> table;  // null for a memtable
    BlockHandle block;
    std::size_t block_index = 0;
    std::size_t index = 0;          // in the block
    std::uint64_t last_window = 0;  // the last one that the source may show
    EntryView entry;
    std::uint64_t window = 0;
  };
  [[nodiscard]] Result<bool> find_next();
  [[nodiscard]] Result<void> start();
  [[nodiscard]] Result<void> open_file(const FileLocation& at, bool is_run_touched);
  [[nodiscard]] Result<bool> open_table(FileId id, const KeyRange& keys);
  [[nodiscard]] Result<void> advance(std::size_t source);
  [[nodiscard]] Result<void> advance_table(std::size_t source);
  [[nodiscard]] Result<bool> find_next_in_table(Source& from, BlockHandle& passed_block);
  void advance_memtable(std::size_t source);
  [[nodiscard]] Result<bool> reaches_next_block(const Source& from) const;
  [[nodiscard]] Result<BlockHandle> fetch(const SstableReader& table, std::size_t block);
  [[nodiscard]] bool is_beyond(const EntryView& entry, std::uint64_t window,
                               std::uint64_t last_window) const;
  void show(std::size_t source);
  void push(const ScanEvent& event);
  [[nodiscard]] ScanEvent pop();

  StoreImpl& store_;
  std::shared_ptr<const ReadView> view_;
  std::uint64_t sequence_;
  bool is_counted_;
  ScanBounds bounds_;
  std::uint64_t first_window_;
  std::uint64_t last_window_;
  ScanFigures figures_;
  std::vector<Source> sources_;
  ScanEvents events_;                // by key window
  std::vector<std::size_t> passed_;  // sources positioned at the entry last shown
  EntryView newest_;
  bool has_started_ = false;
  std::optional<Error> error_;
};

void StoreCursor::push(const ScanEvent& event) {
  events_.push(event, [this](std::size_t a, std::size_t b) {
    return precedes(sources_[a].entry, sources_[b].entry);
  });
}

ScanEvent StoreCursor::pop() {
  return events_.pop([this](std::size_t a, std::size_t b) {
    return precedes(sources_[a].entry, sources_[b].entry);
  });
}

bool StoreCursor::is_beyond(const EntryView& entry, std::uint64_t window,
                            std::uint64_t last_window) const {
  if (window > last_window) return true;
  return bounds_.last_key && window == last_window_ && entry.key > *bounds_.last_key;
}

void StoreCursor::show(std::size_t source) { push({sources_[source].window, true, source}); }

Result<bool> StoreCursor::find_next() {
  if (!has_started_) {
    has_started_ = true;
    BOOST_OUTCOME_TRYV(start());
  }
  for (;;) {
    for (const std::size_t source : passed_) {
      BOOST_OUTCOME_TRYV(advance(source));
    }
    passed_.clear();
    while (!events_.empty() && !events_.front().is_entry) {
      const ScanEvent event = pop();
      BOOST_OUTCOME_TRYV(open_file(event.file, event.is_run_touched));
    }
    if (events_.empty()) return false;
    const ScanEvent event = pop();
    newest_ = sources_[event.source].entry;
    passed_.assign(1, event.source);
    while (!events_.empty() && events_.front().is_entry &&
           sources_[events_.front().source].entry.key == newest_.key) {
      passed_.push_back(pop().source);
    }
    if (newest_.is_tombstone()) continue;
    ++figures_.entries;
    return true;
  }
}

Result<void> StoreCursor::start() {
  if (bounds_.last_key && *bounds_.last_key < bounds_.first_key) return success();
  // Sources are referred to by number, entries by the bytes they point to: the vector may grow.
  for (const std::shared_ptr<MemtableSlot>& slot : view_->memtables) {
    Source& source = sources_.emplace_back();
    source.memtable = std::make_unique<Memtable::Cursor>(slot->table);
    source.memtable->seek(bounds_.first_key);
    source.last_window = last_window_;
    advance_memtable(sources_.size() - 1);
  }
  return open_first_files(view_->tree, first_window_,
                          [this](const FileLocation& at) { return open_file(at, false); });
}

Result<void> StoreCursor::open_file(const FileLocation& at, bool is_run_touched) {
  const ScanOpening opening = BOOST_OUTCOME_TRYX(
      open_scanned_file(view_->tree, at, is_run_touched, last_window_,
                        [this](FileId id, const KeyRange& keys) { return open_table(id, keys); }));
  if (is_counted_ && opening.is_touched) {
    const File& file = view_->tree.levels()[at.level].runs[at.run].files[at.file];
    store_.touch(*view_->files.at(file.id));
  }
  figures_.runs_touched += opening.runs_touched;
  if (opening.next) push(*opening.next);
  return success();
}

Result<BlockHandle> StoreCursor::fetch(const SstableReader& table, std::size_t block) {
  if (!is_counted_) return table.read(block);
  store_.note_fetch(table, block);
  return table.fetch(block, store_.block_cache(), figures_.blocks);
}

Result<bool> StoreCursor::open_table(FileId id, const KeyRange& keys) {
  if (std::max(keys.smallest, first_window_) > std::min(keys.largest, last_window_)) return false;
  Source source;
  source.table = BOOST_OUTCOME_TRYX(view_->files.at(id)->table());
  source.last_window = std::min(keys.largest, last_window_);
  const bool begins_with_range = keys.smallest > first_window_;
  source.block_index = begins_with_range
                           ? source.table->blocks_in({keys.smallest, keys.smallest}).first
                           : source.table->block_of(bounds_.first_key);
  if (source.block_index >= source.table->block_count()) return false;
  source.block = BOOST_OUTCOME_TRYX(fetch(*source.table, source.block_index));
  if (begins_with_range) {
    const KeyWindow& window = store_.window();
    while (source.index + 1 < source.block->count() &&
           window.of(source.block->entry(source.index).key) < keys.smallest) {
      ++source.index;
    }
  } else {
    source.index = source.block->lower_bound(bounds_.first_key);
  }
  source.entry = source.block->entry(source.index);
  source.window = store_.window().of(source.entry.key);
  if (is_beyond(source.entry, source.window, source.last_window)) return true;
  sources_.push_back(std::move(source));
  show(sources_.size() - 1);
  return true;
}

Result<void> StoreCursor::advance(std::size_t source) {
  if (sources_[source].table) return advance_table(source);
  Source& from = sources_[source];
  const std::string_view passed = from.entry.key;
  while (from.memtable->valid() && from.memtable->entry().key == passed) from.memtable->next();
  advance_memtable(source);
  return success();
}

// Moves the memtable's cursor to the next entry that the scan may see.
void StoreCursor::advance_memtable(std::size_t source) {
  Source& from = sources_[source];
  while (from.memtable->valid() && from.memtable->entry().sequence() > sequence_) {
    from.memtable->next();
  }
  if (!from.memtable->valid()) return;
  from.entry = from.memtable->entry();
  from.window = store_.window().of(from.entry.key);
  if (!is_beyond(from.entry, from.window, from.last_window)) show(source);
}

// Whether blocks after the current one hold a further key that the source must show. They must be
// read only if the index entry has the last window of a slice; those of older versions of the key
// alone are then none of the scan's.
Result<bool> StoreCursor::reaches_next_block(const Source& from) const {
  const std::size_t count = from.table->block_count();
  if (from.block_index + 1 == count) return false;
  if (from.window < from.last_window) return true;
  for (std::size_t block = from.block_index + 1; block < count; ++block) {
    const BlockHandle next = BOOST_OUTCOME_TRYX(from.table->read(block));
    for (std::size_t i = 0; i < next->count(); ++i) {
      const std::string_view key = next->entry(i).key;
      if (key != from.entry.key) return store_.window().of(key) <= from.last_window;
    }
  }
  return false;
}

// False if the source has nothing more to show. The first block that it leaves goes to
// `passed_block`.
Result<bool> StoreCursor::find_next_in_table(Source& from, BlockHandle& passed_block) {
  if (bounds_.last_key && from.entry.key >= *bounds_.last_key) return false;
  if (++from.index == from.block->count()) {
    const bool goes_on = BOOST_OUTCOME_TRYX(reaches_next_block(from));
    if (!goes_on) return false;
    BlockHandle next = BOOST_OUTCOME_TRYX(fetch(*from.table, ++from.block_index));
    std::swap(from.block, next);
    if (!passed_block) passed_block = std::move(next);
    from.index = 0;
  }
  from.entry = from.block->entry(from.index);
  from.window = store_.window().of(from.entry.key);
  return !is_beyond(from.entry, from.window, from.last_window);
}

Result<void> StoreCursor::advance_table(std::size_t source) {
  Source& from = sources_[source];
  // The table may have older versions of the key, whose bytes are in the block of the first one.
  const std::string_view passed = from.entry.key;
  BlockHandle passed_block;
  bool has_entry = true;
  do {
    has_entry = BOOST_OUTCOME_TRYX(find_next_in_table(from, passed_block));
  } while (has_entry && from.entry.key == passed);
  if (has_entry) {
    show(source);
  } else {
    // A long scan visits more files than may be open at once.
    from.table.reset();
    from.block.reset();
  }
  return success();
}

// Reports why the real cursor could not be made.
class FailedCursor final : public Cursor {
 public:
  explicit FailedCursor(Error error) : error_(std::move(error)) {}
  [[nodiscard]] Result<bool> next() override {
    return caught({}, [this]() -> Result<bool> { return error_; });
  }
  [[nodiscard]] std::string_view key() const override { return {}; }
  [[nodiscard]] std::string_view value() const override { return {}; }
  [[nodiscard]] std::uint64_t sequence() const override { return 0; }

 private:
  Error error_;
};

}  // namespace

std::unique_ptr<Cursor> StoreImpl::scan(ScanBounds bounds, const ReadOptions& options) {
  if (options.is_counted) {
    clock_.fetch_add(1, std::memory_order_relaxed);
    lookups_.fetch_add(1, std::memory_order_relaxed);
    scans_.fetch_add(1, std::memory_order_relaxed);
  }
  const auto begin = [&]() -> Result<std::unique_ptr<Cursor>> {
    std::shared_ptr<const ReadView> seen =
        options.snapshot != nullptr ? options.snapshot->view_ : view();
    if (!seen) return background_error().error();
    const std::uint64_t sequence = options.snapshot != nullptr
                                       ? options.snapshot->sequence_
                                       : last_sequence_.load(std::memory_order_acquire);
    return std::make_unique<StoreCursor>(*this, std::move(bounds), std::move(seen), sequence,
                                         options.is_counted);
  };
  Result<std::unique_ptr<Cursor>> cursor = caught(directory_, begin);
  if (cursor) return std::move(cursor).value();
  return std::make_unique<FailedCursor>(std::move(cursor).error());
}

}  // namespace lsmlab::engine
