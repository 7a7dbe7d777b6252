#include "sim/keys/entry_list.h"

#include <algorithm>
#include <utility>

namespace lsmlab {

Entry* ChunkPool::take(std::size_t entries) {
  constexpr std::size_t kSlabEntries = 64 * kChunkEntries;
  const std::size_t number = size_class(entries);
  std::vector<Entry*>& free = free_[number];
  if (!free.empty()) {
    Entry* chunk = free.back();
    free.pop_back();
    return chunk;
  }
  const std::size_t size = (number + 1) * kClassEntries;
  if (unused_ < size) {
    // The array is not initialised, so that the system maps a page only when it is written.
    slabs_.emplace_back(new Entry[kSlabEntries]);
    unused_ = kSlabEntries;
  }
  Entry* chunk = slabs_.back().get() + (kSlabEntries - unused_);
  unused_ -= size;
  return chunk;
}

EntryList::EntryList(EntryList&& other) noexcept
    : pool_(other.pool_),
      chunks_(std::move(other.chunks_)),
      size_(std::exchange(other.size_, 0)),
      released_chunks_(std::exchange(other.released_chunks_, 0)),
      is_trimmed_(std::exchange(other.is_trimmed_, false)) {
  other.chunks_.clear();
}

EntryList& EntryList::operator=(EntryList&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(chunks_, other.chunks_);
  std::swap(size_, other.size_);
  std::swap(released_chunks_, other.released_chunks_);
  std::swap(is_trimmed_, other.is_trimmed_);
  return *this;
}

void EntryList::append(std::span<const Entry> entries) {
  while (!entries.empty()) {
    const std::size_t used = size_ % ChunkPool::kChunkEntries;
    if (used == 0) chunks_.push_back(pool_->take());
    const std::size_t count = std::min(entries.size(), ChunkPool::kChunkEntries - used);
    std::copy_n(entries.begin(), count, chunks_.back() + used);
    size_ += count;
    entries = entries.subspan(count);
  }
}

void EntryList::trim() {
  const std::size_t used = size_ % ChunkPool::kChunkEntries;
  if (is_trimmed_ || used == 0) return;
  is_trimmed_ = true;
  Entry* const wide = chunks_.back();
  chunks_.back() = pool_->take(used);
  std::copy_n(wide, used, chunks_.back());
  pool_->give_back(wide);
}

void EntryList::prefetch() const {
  constexpr std::size_t kEntriesMax = 64;
  constexpr std::size_t kLineEntries = 64 / sizeof(Entry);
  if (chunks_.empty() || chunks_.front() == nullptr) return;
  for (std::size_t i = 0; i < std::min(size_, kEntriesMax); i += kLineEntries) {
    __builtin_prefetch(chunks_.front() + i);
  }
}

std::span<const Entry> EntryList::chunk_from(std::size_t index) const {
  if (index >= size_) return {};
  const std::size_t used = index % ChunkPool::kChunkEntries;
  return {chunks_[index / ChunkPool::kChunkEntries] + used,
          std::min(size_ - index, ChunkPool::kChunkEntries - used)};
}

std::size_t EntryList::lower_bound(std::uint64_t key) const {
  std::size_t first = 0;
  std::size_t count = size_;
  while (count > 0) {
    const std::size_t half = count / 2;
    if ((*this)[first + half].key < key) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

std::pair<std::size_t, std::size_t> EntryList::range_of(const KeyRange& keys) const {
  const bool has_end = keys.largest != ~std::uint64_t{0};
  return {lower_bound(keys.smallest), has_end ? lower_bound(keys.largest + 1) : size_};
}

void EntryList::release_before(std::size_t index) {
  const std::size_t chunks = std::min(index / ChunkPool::kChunkEntries, chunks_.size());
  for (; released_chunks_ < chunks; ++released_chunks_) {
    const bool is_small = is_trimmed_ && released_chunks_ + 1 == chunks_.size();
    pool_->give_back(std::exchange(chunks_[released_chunks_], nullptr),
                     is_small ? size_ % ChunkPool::kChunkEntries : ChunkPool::kChunkEntries);
  }
}

}  // namespace lsmlab
