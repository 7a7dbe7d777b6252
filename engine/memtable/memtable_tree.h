// The memtable's index: a B-link tree (Lehman and Yao, "Efficient Locking for Concurrent Operations
// on B-Trees", 1981) whose nodes are read optimistically.
//
// Entries are records in an arena. Leaves hold pointers to them; inner nodes hold pointers to the
// records that separate their children. Each pointer is stored with its key's window, so a search
// reads a record only if windows are equal.
//
// A node has a version, which is odd while the writer changes the node. A reader copies what it
// needs from a node, and repeats that if the version was odd or has changed. A split first fills a
// right sibling that no reader sees. Then one change of the left node cuts it, links the sibling
// and lowers the left node's fence. So a reader always finds each entry by going down, and then
// right while the key is not below the fence. Parents get the sibling later. A node's lower bound
// never changes, and nodes live as long as the tree, so a reader retries at the same node.
//
// Loads of data that the writer changes are acquire loads, and its stores are release stores, even
// where only their order with the version matters. On x86 they cost nothing, and ThreadSanitizer
// does not support fences.
//
// Threading: one thread inserts; any number may read meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/memtable/arena.h"
#include "engine/memtable/memtable_position.h"
#include "engine/sstable/entry_view.h"

namespace lsmlab::engine {

/// An entry; key and value follow it in memory.
struct MemtableRecord {
  std::uint64_t tag;
  std::uint32_t key_bytes;
  std::uint32_t value_bytes;

  [[nodiscard]] const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  [[nodiscard]] std::string_view key() const { return {bytes(), key_bytes}; }
  [[nodiscard]] EntryView view() const { return {key(), {bytes() + key_bytes, value_bytes}, tag}; }
};

/// The target of a search. Entries are ordered by key, then by falling tag.
struct MemtableTarget {
  std::uint64_t window;
  std::string_view key;
  std::uint64_t tag;
};

class MemtableTree {
 public:
  /// `chunk_bytes`: how much memory for nodes to take at a time.
  explicit MemtableTree(std::size_t chunk_bytes, std::shared_ptr<ArenaReserve> reserve = nullptr);
  MemtableTree(const MemtableTree&) = delete;
  MemtableTree& operator=(const MemtableTree&) = delete;

  /// Inserts a record, which must outlive the tree. `window`: of its key. REQUIRES: the tree has no
  /// record of this key and tag.
  void insert(const MemtableRecord& record, std::uint64_t window);

  [[nodiscard]] MemtablePosition first() const;
  /// The first entry that is not ordered before the target.
  [[nodiscard]] MemtablePosition find(const MemtableTarget& target) const;
  /// Memory of the nodes, in bytes.
  [[nodiscard]] std::uint64_t memory_bytes() const { return arena_.memory_bytes(); }
  /// Moves to the next entry. REQUIRES: not past the end.
  static void advance(MemtablePosition& position);

 private:
  static constexpr std::size_t kLevelsMax = 24;

  [[nodiscard]] MemtableNode* new_node(std::uint32_t level);
  /// The leaf for the target; path_ then has the inner nodes above it.
  [[nodiscard]] MemtableNode* descend(const MemtableTarget& target);
  /// Puts an entry, or a separator and the child right of it, into a node of path_ or its sibling.
  void put(MemtableNode& node, const MemtableTarget& target, const MemtableRecord& record,
           MemtableNode* child);
  /// Moves the upper part of a full node into a new sibling. `is_append`: the new entry follows all
  /// entries of the node.
  [[nodiscard]] MemtableNode& split(MemtableNode& node, bool is_append);
  void add_to_parent(MemtableNode& child);

  // Separate from the records, so that the memory of searches is dense.
  Arena arena_;
  std::atomic<MemtableNode*> root_;
  // Only the writer uses these.
  std::array<MemtableNode*, kLevelsMax> path_{};  // by level
  MemtableNode* recent_leaf_;                     // the leaf that got the last entry
};

}  // namespace lsmlab::engine
