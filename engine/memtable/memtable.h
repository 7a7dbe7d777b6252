// The memtable holds every version written since the last rotation, in a B+-tree over an arena
// (memtable_tree.h).
//
// A memtable that replaces entries (memtable=in-place) holds them too, because readers and
// snapshots may need older versions. Only what it charges is that of the newest version of each
// key.
//
// Threading: one thread adds at a time. Meanwhile any number of threads may read without locks.
// They see every entry whose add() ended before they began. Entries never move while the memtable
// lives.
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
#include "models/sizes/store_options.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class ArenaReserve;

class Memtable {
 public:
  /// The window must outlive the memtable. `reserve`: its memory comes from and returns to this
  /// reserve.
  Memtable(const KeyWindow& window, Bytes capacity, std::shared_ptr<ArenaReserve> reserve = nullptr,
           MemtableKind kind = MemtableKind::kVersions);
  ~Memtable();
  Memtable(const Memtable&) = delete;
  Memtable& operator=(const Memtable&) = delete;

  /// Adds an entry with copies of key and value. `now`: the policies' clock. REQUIRES: the tag
  /// exceeds those of all earlier entries.
  void add(const EntryView& entry, Instant now);
  [[nodiscard]] const KeyWindow& window() const { return window_; }
  /// Bytes that the entries take in data blocks (buffered_entry_bytes), including overwritten
  /// entries unless the memtable replaces them.
  [[nodiscard]] std::uint64_t charged_bytes() const;
  [[nodiscard]] bool is_full() const { return charged_bytes() >= capacity_.value(); }
  [[nodiscard]] std::uint64_t writes() const;
  /// Memory of entries and index, in bytes.
  [[nodiscard]] std::uint64_t memory_bytes() const;

  /// The newest version of the key that is not newer than `sequence`; it may be a tombstone.
  [[nodiscard]] std::optional<EntryView> find(std::string_view key, std::uint64_t sequence) const;

  /// Visits all versions by key, those of one key newest first. Stays valid while entries are
  /// added; it may or may not show those.
  class Cursor {
   public:
    explicit Cursor(const Memtable& memtable);
    void seek_first();
    /// Moves to the first entry whose key is not smaller.
    void seek(std::string_view key);
    [[nodiscard]] bool valid() const { return position_.record != nullptr; }
    /// REQUIRES, for the functions from here on: valid().
    void next();
    [[nodiscard]] EntryView entry() const;
    /// The window of the entry's key.
    [[nodiscard]] std::uint64_t window() const { return position_.window; }

   private:
    const Memtable* memtable_;
    MemtablePosition position_;
  };

  /// Tombstones that were added, overwritten ones included. REQUIRES: no thread adds.
  [[nodiscard]] std::uint64_t deletes() const;
  /// The time of the tombstone with this sequence number. REQUIRES: no thread adds.
  [[nodiscard]] std::optional<Instant> tombstone_written(std::uint64_t sequence) const;
  /// The time of the first entry; nothing if there is none. REQUIRES: no thread adds.
  [[nodiscard]] std::optional<Instant> first_written() const;

 private:
  struct Tree;
  /// What is charged for the newest entry with the key, if a write of the key replaces it.
  [[nodiscard]] std::uint64_t replaced_bytes(std::string_view key) const;

  const KeyWindow& window_;
  Bytes capacity_;
  MemtableKind kind_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace lsmlab::engine
