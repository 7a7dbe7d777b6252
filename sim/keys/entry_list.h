// The sorted entries of a simulated file, in chunks. A merge gives chunks back as it passes them,
// so that a merge of the whole tree needs little more memory than its inputs.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "models/tree/plan.h"
#include "sim/keys/entry.h"

namespace lsmlab {

/// Chunks that are reused after they come back. Most are full chunks; a smaller one holds the end
/// of a list that will not grow, so that small files take little memory. REQUIRES: the pool
/// outlives the lists made from it.
class ChunkPool {
 public:
  static constexpr std::size_t kChunkEntries = 1024;

  /// A chunk for up to `entries` entries. REQUIRES: 0 < entries <= kChunkEntries.
  [[nodiscard]] Entry* take(std::size_t entries = kChunkEntries);
  /// REQUIRES: the chunk was taken for as many entries.
  void give_back(Entry* chunk, std::size_t entries = kChunkEntries) {
    free_[size_class(entries)].push_back(chunk);
  }

 private:
  static constexpr std::size_t kClassEntries = 8;  // sizes of chunks are multiples of it
  [[nodiscard]] static std::size_t size_class(std::size_t entries) {
    return (entries - 1) / kClassEntries;
  }
  std::vector<std::unique_ptr<Entry[]>> slabs_;
  std::size_t unused_ = 0;  // entries at the end of the last slab that were never taken
  std::array<std::vector<Entry*>, kChunkEntries / kClassEntries> free_;  // by size class
};

/// A list of entries that rise by key. It can only grow at its end.
class EntryList {
 public:
  explicit EntryList(ChunkPool& pool) : pool_(&pool) {}
  EntryList(EntryList&& other) noexcept;
  EntryList& operator=(EntryList&& other) noexcept;
  ~EntryList() { release_before(chunks_.size() * ChunkPool::kChunkEntries); }

  /// REQUIRES: trim() was not called.
  void append(std::span<const Entry> entries);
  /// Gives back the memory after the last entry. The list cannot grow any more.
  void trim();
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Tells the processor that the first entries will be read.
  void prefetch() const;
  /// REQUIRES: index < size(), and the entry was not released.
  [[nodiscard]] const Entry& operator[](std::size_t index) const {
    return chunks_[index / ChunkPool::kChunkEntries][index % ChunkPool::kChunkEntries];
  }
  /// The entries from `index` to the end of its chunk.
  [[nodiscard]] std::span<const Entry> chunk_from(std::size_t index) const;
  /// The first index whose key is at or above `key`; size() if there is none.
  [[nodiscard]] std::size_t lower_bound(std::uint64_t key) const;
  /// The first index and the index after the last one of the keys in a range.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range_of(const KeyRange& keys) const;
  /// Gives back the chunks that end before `index`.
  void release_before(std::size_t index);

 private:
  ChunkPool* pool_;
  // Null if released. Most files of many have one.
  boost::container::small_vector<Entry*, 1> chunks_;
  std::size_t size_ = 0;
  std::size_t released_chunks_ = 0;
  bool is_trimmed_ = false;
};

}  // namespace lsmlab
