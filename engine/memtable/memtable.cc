#include "engine/memtable/memtable.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "engine/memtable/arena.h"
#include "engine/memtable/memtable_tree.h"
#include "engine/sstable/table_codec.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kChunkBytesMin = std::uint64_t{8} << 10;
constexpr std::uint64_t kChunkBytesMax = std::uint64_t{2} << 20;
constexpr std::uint64_t kNewestTag = std::numeric_limits<std::uint64_t>::max();

// A small memtable must not take much more memory than it charges for.
std::size_t chunk_bytes(Bytes capacity) {
  return std::clamp(capacity.value() / 4, kChunkBytesMin, kChunkBytesMax);
}

// REQUIRES: only one thread changes the counter.
void count(std::atomic<std::uint64_t>& counter, std::uint64_t by) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace

struct Memtable::Tree {
  struct Tombstone {
    std::uint64_t sequence;
    Instant written;
  };
  Tree(Bytes capacity, const std::shared_ptr<ArenaReserve>& reserve)
      : arena(chunk_bytes(capacity), reserve), index(chunk_bytes(capacity), reserve) {}

  Arena arena;
  MemtableTree index;
  std::vector<Tombstone> tombstones;  // all tombstones, in order
  std::optional<Instant> first_written;
  std::atomic<std::uint64_t> charged_bytes = 0;
  std::atomic<std::uint64_t> writes = 0;
};

Memtable::Memtable(const KeyWindow& window, Bytes capacity, std::shared_ptr<ArenaReserve> reserve,
                   MemtableKind kind)
    : window_(window),
      capacity_(capacity),
      kind_(kind),
      tree_(std::make_unique<Tree>(capacity, std::move(reserve))) {}

Memtable::~Memtable() = default;

void Memtable::add(const EntryView& entry, Instant now) {
  CHECK(entry.key.size() <= kKeyBytesMax);
  CHECK(entry.value.size() <= std::numeric_limits<std::uint32_t>::max());
  const std::size_t bytes = sizeof(MemtableRecord) + entry.key.size() + entry.value.size();
  auto* record = new (tree_->arena.allocate(bytes, alignof(MemtableRecord)))
      MemtableRecord{entry.tag, static_cast<std::uint32_t>(entry.key.size()),
                     static_cast<std::uint32_t>(entry.value.size())};
  auto* contents = reinterpret_cast<char*>(record + 1);
  // An empty view may be null, which memcpy does not allow.
  if (!entry.key.empty()) std::memcpy(contents, entry.key.data(), entry.key.size());
  if (!entry.value.empty()) {
    std::memcpy(contents + entry.key.size(), entry.value.data(), entry.value.size());
  }
  if (!tree_->first_written) tree_->first_written = now;
  if (entry.is_tombstone()) tree_->tombstones.push_back({entry.sequence(), now});
  // Below 0 if the entry is smaller than the one that it replaces: the sum wraps around to it.
  const std::uint64_t charge =
      buffered_entry_bytes(entry.key.size(), entry.value.size()) - replaced_bytes(entry.key);
  tree_->index.insert(*record, window_.of(entry.key));
  count(tree_->charged_bytes, charge);
  count(tree_->writes, 1);
}

std::uint64_t Memtable::replaced_bytes(std::string_view key) const {
  if (kind_ == MemtableKind::kVersions) return 0;
  const std::optional<EntryView> replaced = find(key, kSequenceMax);
  return replaced ? buffered_entry_bytes(key.size(), replaced->value.size()) : 0;
}

std::uint64_t Memtable::charged_bytes() const {
  return tree_->charged_bytes.load(std::memory_order_relaxed);
}

std::uint64_t Memtable::writes() const { return tree_->writes.load(std::memory_order_relaxed); }

std::uint64_t Memtable::memory_bytes() const {
  return tree_->arena.memory_bytes() + tree_->index.memory_bytes();
}

std::optional<EntryView> Memtable::find(std::string_view key, std::uint64_t sequence) const {
  const MemtablePosition found =
      tree_->index.find({window_.of(key), key, make_tag(sequence, true)});
  if (found.record == nullptr || found.record->key() != key) return std::nullopt;
  return found.record->view();
}

std::uint64_t Memtable::deletes() const { return tree_->tombstones.size(); }

std::optional<Instant> Memtable::tombstone_written(std::uint64_t sequence) const {
  const auto found = std::lower_bound(tree_->tombstones.begin(), tree_->tombstones.end(), sequence,
                                      [](const Tree::Tombstone& tombstone, std::uint64_t wanted) {
                                        return tombstone.sequence < wanted;
                                      });
  if (found == tree_->tombstones.end() || found->sequence != sequence) return std::nullopt;
  return found->written;
}

std::optional<Instant> Memtable::first_written() const { return tree_->first_written; }

Memtable::Cursor::Cursor(const Memtable& memtable) : memtable_(&memtable) {}

void Memtable::Cursor::seek_first() { position_ = memtable_->tree_->index.first(); }

void Memtable::Cursor::seek(std::string_view key) {
  position_ = memtable_->tree_->index.find({memtable_->window_.of(key), key, kNewestTag});
}

void Memtable::Cursor::next() { MemtableTree::advance(position_); }

EntryView Memtable::Cursor::entry() const { return position_.record->view(); }

}  // namespace lsmlab::engine
