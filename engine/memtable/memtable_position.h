// A position in a memtable's tree (memtable_tree.h), which cursors keep.
#pragma once

#include <cstdint>

namespace lsmlab::engine {

struct MemtableNode;
struct MemtableRecord;

struct MemtablePosition {
  const MemtableRecord* record = nullptr;  // null: past the end
  std::uint64_t window = 0;                // of the record's key
  // The record's place, valid as long as the leaf has this version.
  const MemtableNode* leaf = nullptr;
  std::uint64_t version = 0;
  std::uint32_t slot = 0;
  std::uint32_t count = 0;  // of slots in the leaf
};

}  // namespace lsmlab::engine
