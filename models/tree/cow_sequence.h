// An array whose copies take constant time, and in which access, search, insertion and removal take
// O(log size): a B+-tree of nodes that copies share until one of them changes (copy on write). Each
// node carries a summary of what lies below it, so that sums, extremes and searches by them take
// O(log size) as well.
//
// Traits say what is kept:
//   Item                                 what the array holds; copyable
//   Key, Key key_of(const Item&)         what searches look at; must not change while an item is
//                                        kept
//   bool kKeysInLeaves                   whether leaves repeat keys and extremes, so that searches
//                                        touch no item
//   Summary, Summary summary_of(const Item&)
//       Summary() is that of no items; add(other) combines two; subtract(other) takes a part out,
//       and returns false where the extremes that are left cannot be told from the two, because
//       one has left. Then set_extremes() gives them. extremes() returns them.
//   Summary::Extremes, extremes_of(const Item&)
//       Extremes() is that of no items; add(other) takes an item's extremes, or others, in.
//
// Threads may read copies of one array, and change their own copies, at the same time.
#pragma once

#include <algorithm>
#include <array>
#include <boost/iterator/iterator_facade.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "models/base/check.h"
#include "models/tree/counted_node.h"
#include "models/tree/cow_children.h"
#include "models/tree/cow_leaf.h"

namespace lsmlab {

template <class Traits>
class CowSequence {
 public:
  using Item = typename Traits::Item;
  using Key = typename Traits::Key;
  using Summary = typename Traits::Summary;
  class Iterator;

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const Summary& summary() const { return sum_; }
  /// REQUIRES: index < size().
  [[nodiscard]] const Item& operator[](std::size_t index) const {
    const Place place = place_of(index);
    return place.leaf->items[index - place.first];
  }
  [[nodiscard]] Iterator begin() const { return Iterator(*this, 0); }
  [[nodiscard]] Iterator end() const { return Iterator(*this, count_); }
  [[nodiscard]] Iterator at(std::size_t index) const { return Iterator(*this, index); }

  /// The index of the first item for whose key `before` is false. REQUIRES: those for which it is
  /// true come first.
  template <class Before>
  [[nodiscard]] std::size_t partition_point(const Before& before) const;
  /// The first index from `from` on whose summary `has` something; size() where there is none.
  /// REQUIRES: `has` is true of a combination exactly where it is true of a part.
  template <class Has>
  [[nodiscard]] std::size_t find_first(std::size_t from, const Has& has) const;
  /// The first index from `from` on with which the sum of `measure` over the items from..index
  /// exceeds `limit`; size() where the sum never does. `measure` maps a summary to a number, which
  /// adds up as summaries do. Where leaves repeat keys it also maps an item's extremes to the
  /// number of its summary.
  template <class Measure>
  [[nodiscard]] std::size_t find_sum_above(std::size_t from, std::uint64_t limit,
                                           const Measure& measure) const;
  /// The summary of the items first..last-1.
  [[nodiscard]] Summary sum(std::size_t first, std::size_t last) const;

  void insert(std::size_t index, Item item);
  Item erase(std::size_t index);
  /// Calls `change(item)`, which must leave the item's key as it is.
  template <class Change>
  void change(std::size_t index, const Change& change) {
    this->change(index, index + 1, change);
  }
  /// The same for each of the items first..last-1; cheaper than one by one.
  template <class Change>
  void change(std::size_t first, std::size_t last, const Change& change);
  /// The same for a change that leaves the item's summary as it is; cheaper.
  template <class Change>
  void annotate(std::size_t index, const Change& change);
  /// Puts `items` in the place of as many, from index `first` on; cheaper than one by one.
  void assign(std::size_t first, std::span<Item> items);
  /// Removes the items first..last-1; cheaper than one by one.
  void erase(std::size_t first, std::size_t last);

 private:
  static constexpr std::size_t kFanout = 32;

  using Node = CountedNode;
  using NodePtr = CountedNodePtr;
  struct Leaf : Node {
    Leaf() : Node(true) {}
    CowLeaf<Traits, kFanout> items;
  };
  using Children = CowChildren<NodePtr, Key, Summary, kFanout>;
  using Child = typename Children::Child;
  struct Inner : Node {
    Inner() : Node(false) {}
    Children children;
  };
  struct Place {
    const Leaf* leaf = nullptr;
    std::size_t first = 0;  // index of the leaf's first item
  };

  static const Leaf& leaf_of(const Node& node) { return static_cast<const Leaf&>(node); }
  static const Inner& inner_of(const Node& node) { return static_cast<const Inner&>(node); }
  static std::size_t width(const Node& node) {
    return node.is_leaf ? leaf_of(node).items.size() : inner_of(node).children.size();
  }
  [[nodiscard]] Place place_of(std::size_t index) const;
  static Key first_key(const Node& node) {
    if (node.is_leaf) return leaf_of(node).items.key(0);
    return inner_of(node).children.first(0);
  }
  static Summary sum_of(const Node& node);
  static void find_extremes(const Node& node, Summary& sum);
  static Summary sum_of(const Node& node, std::size_t first, std::size_t last);
  static Child child_of(NodePtr node);
  static std::optional<Child> insert_into(NodePtr& node, std::size_t index, Item&& item,
                                          const Summary& added);
  static std::optional<Child> insert_into_leaf(NodePtr& node, std::size_t index, Item&& item);
  static std::optional<Child> add_child(Inner& inner, std::size_t at, Child&& child);
  static Item erase_from(NodePtr& node, std::size_t index);
  static void join_if_small(Inner& inner, std::size_t at);
  static bool join(Children& children, std::size_t left);
  template <class Has>
  static std::size_t find_in(const Node& node, std::size_t from, const Has& has);
  template <class Measure>
  static std::size_t find_sum_in(const Node& node, std::size_t from, std::uint64_t& limit,
                                 const Measure& measure);
  // What a change of several items took out of a node's summary, and put in.
  struct Difference {
    Summary before{};
    Summary after{};
  };
  template <class Replace>
  static Difference replace_in(NodePtr& node, std::size_t first, std::size_t last, std::size_t done,
                               const Replace& replace);
  template <class Replace>
  void replace(std::size_t first, std::size_t last, const Replace& replace);
  static Summary erase_in(NodePtr& node, std::size_t first, std::size_t last);

  NodePtr root_;
  std::size_t count_ = 0;
  Summary sum_{};
};

/// A random access iterator over constant items. An index far from the last one takes O(log size).
template <class Traits>
class CowSequence<Traits>::Iterator
    : public boost::iterator_facade<Iterator, const Item, boost::random_access_traversal_tag> {
 public:
  Iterator() = default;
  Iterator(const CowSequence& sequence, std::size_t index) : sequence_(&sequence), index_(index) {}

  [[nodiscard]] std::size_t index() const { return index_; }
  /// What the leaf repeats of the item. REQUIRES: Traits::kKeysInLeaves.
  [[nodiscard]] const Key& key() const { return leaf_items().key(index_ - place_.first); }
  [[nodiscard]] const auto& extremes() const {
    return leaf_items().extremes_at(index_ - place_.first);
  }

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] const auto& leaf_items() const {
    if (place_.leaf == nullptr || index_ < place_.first ||
        index_ - place_.first >= place_.leaf->items.size()) {
      place_ = sequence_->place_of(index_);
    }
    return place_.leaf->items;
  }
  [[nodiscard]] const Item& dereference() const { return leaf_items()[index_ - place_.first]; }
  [[nodiscard]] bool equal(const Iterator& other) const { return index_ == other.index_; }
  void increment() { ++index_; }
  void decrement() { --index_; }
  void advance(std::ptrdiff_t by) {
    index_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(index_) + by);
  }
  [[nodiscard]] std::ptrdiff_t distance_to(const Iterator& other) const {
    return static_cast<std::ptrdiff_t>(other.index_) - static_cast<std::ptrdiff_t>(index_);
  }

  const CowSequence* sequence_ = nullptr;
  std::size_t index_ = 0;
  mutable Place place_{};
};

template <class Traits>
auto CowSequence<Traits>::place_of(std::size_t index) const -> Place {
  CHECK(index < count_);
  const Node* node = root_.get();
  std::size_t first = 0;
  while (!node->is_leaf) {
    const Children& children = inner_of(*node).children;
    std::size_t at = 0;
    while (index - first >= children.count(at)) first += children.count(at++);
    node = children.node(at).get();
  }
  return {&leaf_of(*node), first};
}

template <class Traits>
auto CowSequence<Traits>::child_of(NodePtr node) -> Child {
  Child child;
  child.sum = sum_of(*node);
  if (node->is_leaf) {
    child.count = leaf_of(*node).items.size();
  } else {
    child.count = inner_of(*node).children.total();
  }
  child.first = first_key(*node);
  child.node = std::move(node);
  return child;
}

template <class Traits>
void CowSequence<Traits>::insert(std::size_t index, Item item) {
  CHECK(index <= count_);
  const Summary added = Traits::summary_of(item);
  if (!root_) root_ = new Leaf;
  if (std::optional<Child> right = insert_into(root_, index, std::move(item), added)) {
    NodePtr root(new Inner);
    auto& children = static_cast<Inner&>(*root).children;
    children.push_back(child_of(root_));
    children.push_back(std::move(*right));
    root_ = std::move(root);
  }
  ++count_;
  sum_.add(added);
}

template <class Traits>
auto CowSequence<Traits>::insert_into(NodePtr& node, std::size_t index, Item&& item,
                                      const Summary& added) -> std::optional<Child> {
  if (node->is_leaf) return insert_into_leaf(node, index, std::move(item));
  Inner& inner = own<Inner>(node);
  std::size_t at = 0;
  Children& children = inner.children;
  while (at + 1 < children.size() && index > children.count(at)) index -= children.count(at++);
  const Key key = Traits::key_of(item);
  std::optional<Child> right = insert_into(children.node(at), index, std::move(item), added);
  if (right) {
    children.set(at, child_of(children.node(at)));
    return add_child(inner, at + 1, std::move(*right));
  }
  ++children.count(at);
  children.sum(at).add(added);
  if (index == 0) children.first(at) = key;
  return std::nullopt;
}

template <class Traits>
auto CowSequence<Traits>::insert_into_leaf(NodePtr& node, std::size_t index, Item&& item)
    -> std::optional<Child> {
  auto& items = own<Leaf>(node).items;
  if (items.size() < kFanout) {
    items.insert(index, std::move(item));
    return std::nullopt;
  }
  NodePtr behind(new Leaf);
  auto& right = static_cast<Leaf&>(*behind).items;
  // What comes in rising order leaves full leaves behind.
  const std::size_t kept = index == kFanout ? kFanout : kFanout / 2;
  items.split(kept, right);
  if (index <= kept && kept < kFanout) {
    items.insert(index, std::move(item));
  } else {
    right.insert(index - kept, std::move(item));
  }
  return child_of(std::move(behind));
}

template <class Traits>
auto CowSequence<Traits>::add_child(Inner& inner, std::size_t at, Child&& child)
    -> std::optional<Child> {
  Children& children = inner.children;
  if (children.size() < kFanout) {
    children.insert(at, std::move(child));
    return std::nullopt;
  }
  NodePtr behind(new Inner);
  Children& right = static_cast<Inner&>(*behind).children;
  const std::size_t kept = at == kFanout ? kFanout - 1 : kFanout / 2;
  children.split(kept, right);
  Children& side = at <= kept ? children : right;
  side.insert(at <= kept ? at : at - kept, std::move(child));
  return child_of(std::move(behind));
}

template <class Traits>
auto CowSequence<Traits>::erase(std::size_t index) -> Item {
  CHECK(index < count_);
  Item item = erase_from(root_, index);
  if (--count_ == 0) {
    root_.reset();
    sum_ = {};
    return item;
  }
  if (!sum_.subtract(Traits::summary_of(item))) find_extremes(*root_, sum_);
  while (!root_->is_leaf && inner_of(*root_).children.size() == 1) {
    root_ = NodePtr(inner_of(*root_).children.node(0));
  }
  return item;
}

template <class Traits>
auto CowSequence<Traits>::erase_from(NodePtr& node, std::size_t index) -> Item {
  if (node->is_leaf) {
    auto& items = own<Leaf>(node).items;
    Item item = std::move(items.item(index));
    items.erase(index, index + 1);
    return item;
  }
  Inner& inner = own<Inner>(node);
  std::size_t at = 0;
  Children& children = inner.children;
  while (index >= children.count(at)) index -= children.count(at++);
  NodePtr& child = children.node(at);
  Item item = erase_from(child, index);
  if (--children.count(at) == 0) {
    children.erase(at);
    return item;
  }
  if (!children.sum(at).subtract(Traits::summary_of(item))) find_extremes(*child, children.sum(at));
  if (index == 0) children.first(at) = first_key(*child);
  join_if_small(inner, at);
  return item;
}

template <class Traits>
void CowSequence<Traits>::join_if_small(Inner& inner, std::size_t at) {
  Children& children = inner.children;
  if (children.size() < 2 || width(*children.node(at)) >= kFanout / 4) return;
  const std::size_t left = at + 1 < children.size() ? at : at - 1;
  if (join(children, left)) children.erase(left + 1);
}

template <class Traits>
bool CowSequence<Traits>::join(Children& children, std::size_t left) {
  const Node& from = *children.node(left + 1);
  if (width(*children.node(left)) + width(from) > kFanout * 3 / 4) return false;
  if (from.is_leaf) {
    own<Leaf>(children.node(left)).items.append(leaf_of(from).items);
  } else {
    own<Inner>(children.node(left)).children.append(inner_of(from).children);
  }
  children.count(left) += children.count(left + 1);
  children.sum(left).add(children.sum(left + 1));
  return true;
}

}  // namespace lsmlab

#include "models/tree/cow_changes.h"
#include "models/tree/cow_search.h"
