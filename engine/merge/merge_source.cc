#include <utility>

#include "engine/merge/merge.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

class TableSource final : public MergeSource {
 public:
  TableSource(std::vector<TablePart> parts, std::uint64_t read_ahead_bytes)
      : parts_(std::move(parts)), read_ahead_bytes_(read_ahead_bytes) {}

  [[nodiscard]] Result<bool> next() override {
    for (;;) {
      if (scanner_) {
        const bool has_entry = BOOST_OUTCOME_TRYX(scanner_->next());
        if (has_entry) return true;
        scanner_.reset();
        table_.reset();
      }
      if (next_part_ == parts_.size()) return false;
      const TablePart& part = parts_[next_part_++];
      table_ = BOOST_OUTCOME_TRYX(part.open());
      scanner_.emplace(*table_, part.windows, read_ahead_bytes_);
    }
  }
  [[nodiscard]] const EntryView& entry() const override { return scanner_->entry(); }
  [[nodiscard]] std::uint64_t window() const override { return scanner_->window(); }

 private:
  std::vector<TablePart> parts_;
  std::uint64_t read_ahead_bytes_;
  std::size_t next_part_ = 0;
  std::shared_ptr<const SstableReader> table_;
  std::optional<SstableScanner> scanner_;
};

class MemtableSource final : public MergeSource {
 public:
  explicit MemtableSource(const Memtable& memtable) : cursor_(memtable) {}

  [[nodiscard]] Result<bool> next() override {
    if (is_started_) {
      cursor_.next();
    } else {
      cursor_.seek_first();
      is_started_ = true;
    }
    if (!cursor_.valid()) return false;
    entry_ = cursor_.entry();
    return true;
  }
  [[nodiscard]] const EntryView& entry() const override { return entry_; }
  [[nodiscard]] std::uint64_t window() const override { return cursor_.window(); }

 private:
  Memtable::Cursor cursor_;
  EntryView entry_;
  bool is_started_ = false;
};

}  // namespace

std::unique_ptr<MergeSource> table_source(std::vector<TablePart> parts,
                                          std::uint64_t read_ahead_bytes) {
  return std::make_unique<TableSource>(std::move(parts), read_ahead_bytes);
}

std::unique_ptr<MergeSource> memtable_source(const Memtable& memtable, const KeyWindow& window) {
  CHECK(window.prefix() == memtable.window().prefix());
  return std::make_unique<MemtableSource>(memtable);
}

}  // namespace lsmlab::engine
