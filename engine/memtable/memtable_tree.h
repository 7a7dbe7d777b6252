// The memtable's index: a B-link tree (Lehman and Yao, "Efficient Locking for Concurrent Operations
// on B-Trees", 1981) whose nodes are read optimistically.
//
// Entries are records in an arena; leaves hold pointers to them, inner nodes pointers to those that
// separate their children. Beside each pointer stands the key's window, so that a search touches
// records only where windows are equal.
//
// A node has a version, odd while the writer changes it. A reader takes what it needs of a node and
// takes it again if the version was odd or is another one now. A split first fills a right sibling
// that nobody sees, then, as one change of the left node, cuts it, links the sibling and lowers the
// left one's fence: at every moment each entry is found by going down and then right while the key
// is not below the fence. Parents learn of siblings later. A node's lower bound never changes, and
// nodes stay until the tree goes, so a reader retries at the node where it is.
//
// Loads of what the writer changes are acquiring and stores of it releasing, also where only the
// version's place in the order matters: free on x86, and ThreadSanitizer knows no fences.
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

/// An entry; key and value stand behind it.
struct MemtableRecord {
  std::uint64_t tag;
  std::uint32_t key_bytes;
  std::uint32_t value_bytes;

  [[nodiscard]] const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  [[nodiscard]] std::string_view key() const { return {bytes(), key_bytes}; }
  [[nodiscard]] EntryView view() const { return {key(), {bytes() + key_bytes, value_bytes}, tag}; }
};

/// What is searched for: entries stand by key, then by falling tag.
struct MemtableTarget {
  std::uint64_t window;
  std::string_view key;
  std::uint64_t tag;
};

class MemtableTree {
 public:
  /// `chunk_bytes`: of memory for nodes that is taken at a time.
  explicit MemtableTree(std::size_t chunk_bytes, std::shared_ptr<ArenaReserve> reserve = nullptr);
  MemtableTree(const MemtableTree&) = delete;
  MemtableTree& operator=(const MemtableTree&) = delete;

  /// The record must outlive the tree. `window`: of its key. REQUIRES: no such key and tag yet.
  void insert(const MemtableRecord& record, std::uint64_t window);

  [[nodiscard]] MemtablePosition first() const;
  /// The first entry that does not stand before the target.
  [[nodiscard]] MemtablePosition find(const MemtableTarget& target) const;
  /// Of the nodes.
  [[nodiscard]] std::uint64_t memory_bytes() const { return arena_.memory_bytes(); }
  /// To the entry behind. REQUIRES: not past the end.
  static void advance(MemtablePosition& position);

 private:
  static constexpr std::size_t kLevelsMax = 24;

  [[nodiscard]] MemtableNode* new_node(std::uint32_t level);
  /// The leaf for the target, the inner nodes above it noted in path_.
  [[nodiscard]] MemtableNode* descend(const MemtableTarget& target);
  /// Puts an entry, or a separator with the child behind it, into a node of path_ or its sibling.
  void put(MemtableNode& node, const MemtableTarget& target, const MemtableRecord& record,
           MemtableNode* child);
  /// Moves the upper part of a full node into a new sibling. `is_append`: what is to be put stands
  /// behind all of the node.
  [[nodiscard]] MemtableNode& split(MemtableNode& node, bool is_append);
  void add_to_parent(MemtableNode& child);

  // Apart from the records, so that what searches pass stands close together.
  Arena arena_;
  std::atomic<MemtableNode*> root_;
  // The writer's own.
  std::array<MemtableNode*, kLevelsMax> path_{};  // by level
  MemtableNode* recent_leaf_;                     // that got an entry last
};

}  // namespace lsmlab::engine
