// The memtable: every version written since the last switch, in a B+-tree over an arena
// (memtable_tree.h).
//
// Threading: one thread adds at a time; any number may read meanwhile, without locks, and see every
// entry whose add() ended before they began. Entries stay where they are until the memtable goes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/memtable/memtable_position.h"
#include "engine/sstable/entry_view.h"
#include "engine/sstable/key_window.h"
#include "models/base/units.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class ArenaReserve;

class Memtable {
 public:
  /// The window must outlive the memtable. `reserve`: where its memory comes from, and goes to.
  Memtable(const KeyWindow& window, Bytes capacity,
           std::shared_ptr<ArenaReserve> reserve = nullptr);
  ~Memtable();
  Memtable(const Memtable&) = delete;
  Memtable& operator=(const Memtable&) = delete;

  /// Copies key and value. `now`: the policies' clock. REQUIRES: a tag above those of all earlier
  /// entries.
  void add(const EntryView& entry, Instant now);
  [[nodiscard]] const KeyWindow& window() const { return window_; }
  /// What entries take in data blocks (buffered_entry_bytes), overwritten ones included.
  [[nodiscard]] std::uint64_t charged_bytes() const;
  [[nodiscard]] bool is_full() const { return charged_bytes() >= capacity_.value(); }
  [[nodiscard]] std::uint64_t writes() const;
  /// Memory held by entries and index.
  [[nodiscard]] std::uint64_t memory_bytes() const;

  /// The newest version of the key that is not newer than `sequence`, be it a tombstone.
  [[nodiscard]] std::optional<EntryView> find(std::string_view key, std::uint64_t sequence) const;

  /// Walks all versions, by key, those of one key newest first. Stays valid while entries are
  /// added; whether it shows those is open.
  class Cursor {
   public:
    explicit Cursor(const Memtable& memtable);
    void seek_first();
    /// To the first entry whose key is not below.
    void seek(std::string_view key);
    [[nodiscard]] bool valid() const { return position_.record != nullptr; }
    /// REQUIRES: valid(), here and below.
    void next();
    [[nodiscard]] EntryView entry() const;
    /// Of the entry's key.
    [[nodiscard]] std::uint64_t window() const { return position_.window; }

   private:
    const Memtable* memtable_;
    MemtablePosition position_;
  };

  /// When the write of this sequence number, a tombstone, was made. REQUIRES: nobody adds.
  [[nodiscard]] std::optional<Instant> tombstone_written(std::uint64_t sequence) const;

 private:
  struct Tree;
  const KeyWindow& window_;
  Bytes capacity_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace lsmlab::engine
