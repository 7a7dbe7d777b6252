#include <utility>

#include "engine/merge/merge.h"
#include "engine/merge/merge_heads.h"
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

// Several sources as one.
class JoinedSource final : public MergeSource {
 public:
  explicit JoinedSource(std::vector<std::unique_ptr<MergeSource>> sources)
      : sources_(std::move(sources)), heads_(sources_) {}

  [[nodiscard]] Result<bool> next() override {
    if (is_started_) {
      BOOST_OUTCOME_TRYV(heads_.advance());
    } else {
      BOOST_OUTCOME_TRYV(heads_.start());
      is_started_ = true;
    }
    return !heads_.empty();
  }
  [[nodiscard]] const EntryView& entry() const override { return heads_.entry(); }
  [[nodiscard]] std::uint64_t window() const override { return heads_.window(); }

 private:
  std::vector<std::unique_ptr<MergeSource>> sources_;
  MergeHeads heads_;
  bool is_started_ = false;
};

}  // namespace

std::unique_ptr<MergeSource> table_source(std::vector<TablePart> parts,
                                          std::uint64_t read_ahead_bytes) {
  return std::make_unique<TableSource>(std::move(parts), read_ahead_bytes);
}

std::unique_ptr<MergeSource> memtable_source(const std::vector<const Memtable*>& memtables) {
  CHECK(!memtables.empty());
  if (memtables.size() == 1) return std::make_unique<MemtableSource>(*memtables.front());
  std::vector<std::unique_ptr<MergeSource>> sources;
  for (const Memtable* memtable : memtables) {
    sources.push_back(std::make_unique<MemtableSource>(*memtable));
  }
  return std::make_unique<JoinedSource>(std::move(sources));
}

}  // namespace lsmlab::engine
