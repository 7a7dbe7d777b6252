#include "engine/memtable/memtable_tree.h"

#include <new>
#include <thread>
#include <type_traits>

#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

// More slots: fewer levels, but an insertion moves more slots.
constexpr std::uint32_t kSlots = 32;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kRelease = std::memory_order_release;

using Record = MemtableRecord;
using Target = MemtableTarget;

}  // namespace

struct alignas(Arena::kAlignmentMax) MemtableNode {
  explicit MemtableNode(std::uint32_t level_of_node) : level(level_of_node) {}

  std::atomic<std::uint64_t> version = 0;
  std::atomic<std::uint32_t> count = 0;
  const std::uint32_t level;  // 0: a leaf
  std::atomic<MemtableNode*> right = nullptr;
  // The fence: all entries of the node and below it are ordered before it. Null: there is none.
  std::atomic<const Record*> fence = nullptr;
  std::atomic<std::uint64_t> fence_window = 0;
  // In an inner node, windows[i] is where the child of slot i begins; slot 0 is not used.
  std::array<std::atomic<std::uint64_t>, kSlots> windows{};
  std::array<std::atomic<const Record*>, kSlots> records{};
};

namespace {

struct InnerNode : MemtableNode {
  using MemtableNode::MemtableNode;
  std::array<std::atomic<MemtableNode*>, kSlots> children{};
};

const InnerNode& inner(const MemtableNode& node) { return static_cast<const InnerNode&>(node); }
InnerNode& inner(MemtableNode& node) { return static_cast<InnerNode&>(node); }

// First slot that a search compares.
std::uint32_t first_slot(const MemtableNode& node) { return node.level > 0 ? 1 : 0; }

// While it lives, readers discard what they read from the node.
class NodeChange {
 public:
  explicit NodeChange(MemtableNode& node) : node_(node), version_(node.version.load(kRelaxed)) {
    node_.version.store(version_ + 1, kRelaxed);
  }
  ~NodeChange() { node_.version.store(version_ + 2, kRelease); }
  NodeChange(const NodeChange&) = delete;
  NodeChange& operator=(const NodeChange&) = delete;

 private:
  MemtableNode& node_;
  std::uint64_t version_;
};

std::uint64_t stable_version(const MemtableNode& node) {
  constexpr int kSpinsMax = 64;  // after that the writer probably waits for a processor
  for (int spins = 0;; ++spins) {
    const std::uint64_t version = node.version.load(kAcquire);
    if (version % 2 == 0) return version;
    if (spins >= kSpinsMax) std::this_thread::yield();
  }
}

// True if the values loaded since stable_version() are consistent.
bool is_unchanged(const MemtableNode& node, std::uint64_t version) {
  return node.version.load(kRelaxed) == version;
}

void prefetch_node(const MemtableNode& node) {
  const auto* line = reinterpret_cast<const char*>(&node);
  constexpr std::size_t kLine = 64;
  for (std::size_t at = 0; at < sizeof(MemtableNode); at += kLine) __builtin_prefetch(line + at);
}

enum class Equal { kStandsBefore, kStandsBehind };

// How to compare keys with equal windows.
template <Equal kEqual>
bool stands_before(const Record& record, const Target& target) {
  const int order = record.key().compare(target.key);
  if (order != 0) return order < 0;
  return kEqual == Equal::kStandsBefore ? record.tag >= target.tag : record.tag > target.tag;
}

// The first slot in [first, count) whose entry is not ordered before the target.
template <Equal kEqual>
std::uint32_t slot_of(const MemtableNode& node, std::uint32_t first, std::uint32_t count,
                      const Target& target) {
  std::uint32_t low = first;
  std::uint32_t length = count - first;
  while (length > 0) {
    const std::uint32_t half = length - length / 2;
    const bool is_below = node.windows[low + half - 1].load(kAcquire) < target.window;
    low += is_below ? half : 0;
    length = length / 2;
  }
  // A run of slots with the target's window may begin here; slots below it are before the target,
  // slots above it after. Most runs are short, so the search looks at the first entry first.
  const auto is_before = [&](std::uint32_t slot) {
    return node.windows[slot].load(kAcquire) == target.window &&
           stands_before<kEqual>(*node.records[slot].load(kAcquire), target);
  };
  if (low == count || !is_before(low)) return low;
  std::uint32_t high = count;
  ++low;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool is_behind_fence(const MemtableNode& node, const Target& target) {
  const Record* fence = node.fence.load(kAcquire);
  if (fence == nullptr) return false;
  const std::uint64_t window = node.fence_window.load(kAcquire);
  if (window != target.window) return window < target.window;
  return stands_before<Equal::kStandsBefore>(*fence, target);
}

const MemtableNode* child_of(const MemtableNode& node, const Target& target) {
  const std::uint32_t slot =
      slot_of<Equal::kStandsBefore>(node, 1, node.count.load(kAcquire), target);
  return inner(node).children[slot - 1].load(kAcquire);
}

// The first entry of a leaf; a leaf is empty only in an empty tree.
MemtablePosition first_of(const MemtableNode& leaf) {
  for (;;) {
    const std::uint64_t version = stable_version(leaf);
    const std::uint32_t count = leaf.count.load(kAcquire);
    const MemtablePosition position{
        leaf.records[0].load(kAcquire), leaf.windows[0].load(kAcquire), &leaf, version, 0, count};
    if (is_unchanged(leaf, version)) return count > 0 ? position : MemtablePosition{};
  }
}

MemtablePosition find_from(const MemtableNode* node, const Target& target) {
  for (;;) {
    const std::uint64_t version = stable_version(*node);
    if (is_behind_fence(*node, target)) {
      const MemtableNode* right = node->right.load(kAcquire);
      if (is_unchanged(*node, version)) node = right;
      continue;
    }
    if (node->level > 0) {
      const MemtableNode* child = child_of(*node, target);
      if (!is_unchanged(*node, version)) continue;
      prefetch_node(*child);
      node = child;
      continue;
    }
    const std::uint32_t count = node->count.load(kAcquire);
    const std::uint32_t slot = slot_of<Equal::kStandsBehind>(*node, 0, count, target);
    if (slot < count) {
      const MemtablePosition position{node->records[slot].load(kAcquire),
                                      node->windows[slot].load(kAcquire),
                                      node,
                                      version,
                                      slot,
                                      count};
      if (is_unchanged(*node, version)) return position;
      continue;
    }
    const MemtableNode* right = node->right.load(kAcquire);
    if (!is_unchanged(*node, version)) continue;
    return right == nullptr ? MemtablePosition{} : first_of(*right);
  }
}

void set_slot(MemtableNode& node, std::uint32_t slot, std::uint64_t window, const Record* record,
              MemtableNode* child) {
  node.windows[slot].store(window, kRelease);
  node.records[slot].store(record, kRelease);
  if (node.level > 0) inner(node).children[slot].store(child, kRelease);
}

void copy_slot(const MemtableNode& from, std::uint32_t from_slot, MemtableNode& to,
               std::uint32_t to_slot) {
  set_slot(to, to_slot, from.windows[from_slot].load(kRelaxed),
           from.records[from_slot].load(kRelaxed),
           from.level > 0 ? inner(from).children[from_slot].load(kRelaxed) : nullptr);
}

// REQUIRES: the node has a free slot.
void insert_slot(MemtableNode& node, std::uint32_t slot, std::uint64_t window, const Record* record,
                 MemtableNode* child) {
  const NodeChange change(node);
  const std::uint32_t count = node.count.load(kRelaxed);
  for (std::uint32_t i = count; i > slot; --i) copy_slot(node, i - 1, node, i);
  set_slot(node, slot, window, record, child);
  node.count.store(count + 1, kRelease);
}

// Whether the target certainly belongs in the leaf. Does not search the leaf.
bool surely_takes(const MemtableNode& leaf, const Target& target) {
  const std::uint32_t count = leaf.count.load(kRelaxed);
  return count > 0 && count < kSlots && leaf.windows[0].load(kRelaxed) < target.window &&
         !is_behind_fence(leaf, target);
}

}  // namespace

MemtableTree::MemtableTree(std::size_t chunk_bytes, std::shared_ptr<ArenaReserve> reserve)
    : arena_(chunk_bytes, std::move(reserve)), root_(new_node(0)) {
  recent_leaf_ = root_.load(kRelaxed);
}

MemtableNode* MemtableTree::new_node(std::uint32_t level) {
  static_assert(std::is_trivially_destructible_v<InnerNode>);
  if (level > 0) {
    return new (arena_.allocate(sizeof(InnerNode), alignof(InnerNode))) InnerNode(level);
  }
  return new (arena_.allocate(sizeof(MemtableNode), alignof(MemtableNode))) MemtableNode(level);
}

void MemtableTree::insert(const Record& record, std::uint64_t window) {
  const Target target{window, record.key(), record.tag};
  MemtableNode* leaf = recent_leaf_;
  if (!surely_takes(*leaf, target)) leaf = descend(target);
  put(*leaf, target, record, nullptr);
}

MemtableNode* MemtableTree::descend(const Target& target) {
  MemtableNode* node = root_.load(kRelaxed);
  while (node->level > 0) {
    path_[node->level] = node;
    const std::uint32_t slot =
        slot_of<Equal::kStandsBefore>(*node, 1, node->count.load(kRelaxed), target);
    node = inner(*node).children[slot - 1].load(kRelaxed);
    prefetch_node(*node);
  }
  return node;
}

void MemtableTree::put(MemtableNode& node, const Target& target, const Record& record,
                       MemtableNode* child) {
  const std::uint32_t count = node.count.load(kRelaxed);
  std::uint32_t slot = slot_of<Equal::kStandsBehind>(node, first_slot(node), count, target);
  if (count < kSlots) {
    insert_slot(node, slot, target.window, &record, child);
    if (node.level == 0) recent_leaf_ = &node;
    return;
  }
  MemtableNode& right = split(node, slot == count && node.right.load(kRelaxed) == nullptr);
  const std::uint32_t left_count = node.count.load(kRelaxed);
  const bool goes_right = is_behind_fence(node, target);
  if (goes_right) slot -= left_count;
  MemtableNode& taker = goes_right ? right : node;
  insert_slot(taker, slot, target.window, &record, child);
  if (node.level == 0) recent_leaf_ = &taker;
  add_to_parent(right);
}

MemtableNode& MemtableTree::split(MemtableNode& node, bool is_append) {
  // If entries are added in order, the nodes left behind stay full.
  const std::uint32_t kept = is_append ? kSlots - 1 : kSlots / 2;
  MemtableNode& right = *new_node(node.level);
  for (std::uint32_t slot = kept; slot < kSlots; ++slot) copy_slot(node, slot, right, slot - kept);
  right.count.store(kSlots - kept, kRelaxed);
  right.right.store(node.right.load(kRelaxed), kRelaxed);
  right.fence.store(node.fence.load(kRelaxed), kRelaxed);
  right.fence_window.store(node.fence_window.load(kRelaxed), kRelaxed);

  const NodeChange change(node);
  node.right.store(&right, kRelease);
  node.fence.store(right.records[0].load(kRelaxed), kRelease);
  node.fence_window.store(right.windows[0].load(kRelaxed), kRelease);
  node.count.store(kept, kRelease);
  return right;
}

void MemtableTree::add_to_parent(MemtableNode& child) {
  // The entry just put into the child follows the child's first entry, or it would have gone left.
  const Record& separator = *child.records[0].load(kRelaxed);
  const std::uint64_t window = child.windows[0].load(kRelaxed);
  MemtableNode* root = root_.load(kRelaxed);
  const std::uint32_t level = child.level + 1;
  if (child.level < root->level) {
    put(*path_[level], {window, separator.key(), separator.tag}, separator, &child);
    return;
  }
  CHECK(level < kLevelsMax);
  MemtableNode* grown = new_node(level);
  set_slot(*grown, 0, 0, nullptr, root);
  set_slot(*grown, 1, window, &separator, &child);
  grown->count.store(2, kRelaxed);
  root_.store(grown, kRelease);
}

MemtablePosition MemtableTree::first() const {
  const MemtableNode* node = root_.load(kAcquire);
  while (node->level > 0) node = inner(*node).children[0].load(kAcquire);
  return first_of(*node);
}

MemtablePosition MemtableTree::find(const Target& target) const {
  return find_from(root_.load(kAcquire), target);
}

void MemtableTree::advance(MemtablePosition& position) {
  const MemtableNode& leaf = *position.leaf;
  const std::uint32_t slot = position.slot + 1;
  if (slot < position.count) {
    const Record* record = leaf.records[slot].load(kAcquire);
    const std::uint64_t window = leaf.windows[slot].load(kAcquire);
    if (is_unchanged(leaf, position.version)) {
      constexpr std::uint32_t kAhead = 6;  // entries visited while a record is loaded
      if (slot + kAhead < position.count) {
        __builtin_prefetch(leaf.records[slot + kAhead].load(kRelaxed));
      }
      position.record = record;
      position.window = window;
      position.slot = slot;
      return;
    }
  } else {
    const MemtableNode* right = leaf.right.load(kAcquire);
    if (is_unchanged(leaf, position.version)) {
      position = right == nullptr ? MemtablePosition{} : first_of(*right);
      return;
    }
  }
  // The leaf changed, but entries move only to the right.
  const Record& record = *position.record;
  const Target target{position.window, record.key(), record.tag};
  position = find_from(&leaf, target);
  if (position.record == &record) advance(position);
}

}  // namespace lsmlab::engine
