// Changes of items of a CowSequence. Where there are several, each node above them is changed once.
// Included by models/tree/cow_sequence.h.
#pragma once

#include "models/tree/cow_sequence.h"

namespace lsmlab {

// Calls replace(items, i, done + n) for the n-th item of the range, which is item i of its leaf.
template <class Traits>
template <class Replace>
auto CowSequence<Traits>::replace_in(NodePtr& node, std::size_t first, std::size_t last,
                                     std::size_t done, const Replace& replace) -> Difference {
  Difference difference;
  if (node->is_leaf) {
    auto& items = own<Leaf>(node).items;
    for (std::size_t i = first; i < last; ++i) {
      difference.before.add(Traits::summary_of(items[i]));
      replace(items, i, done + i - first);
      items.note(i);
      difference.after.add(Traits::summary_of(items[i]));
    }
    return difference;
  }
  Children& children = own<Inner>(node).children;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < children.size() && begin < last; ++i) {
    const std::size_t end = begin + children.count(i);
    if (first < end) {
      const std::size_t from = std::max(first, begin);
      const Difference below =
          replace_in(children.node(i), from - begin, std::min(last, end) - begin,
                     done + from - first, replace);
      const bool is_told = children.sum(i).subtract(below.before);
      children.sum(i).add(below.after);
      if (!is_told) find_extremes(*children.node(i), children.sum(i));
      if (from == begin) children.first(i) = first_key(*children.node(i));
      difference.before.add(below.before);
      difference.after.add(below.after);
    }
    begin = end;
  }
  return difference;
}

template <class Traits>
template <class Replace>
void CowSequence<Traits>::replace(std::size_t first, std::size_t last, const Replace& replace) {
  CHECK(first <= last && last <= count_);
  if (first == last) return;
  const Difference difference = replace_in(root_, first, last, 0, replace);
  const bool is_told = sum_.subtract(difference.before);
  sum_.add(difference.after);
  if (!is_told) find_extremes(*root_, sum_);
}

template <class Traits>
template <class Change>
void CowSequence<Traits>::change(std::size_t first, std::size_t last, const Change& change) {
  replace(first, last,
          [&](auto& items, std::size_t at, std::size_t /*n*/) { change(items.item(at)); });
}

template <class Traits>
template <class Change>
void CowSequence<Traits>::annotate(std::size_t index, const Change& change) {
  CHECK(index < count_);
  NodePtr* node = &root_;
  while (!(*node)->is_leaf) {
    Children& children = own<Inner>(*node).children;
    std::size_t at = 0;
    while (index >= children.count(at)) index -= children.count(at++);
    node = &children.node(at);
  }
  change(own<Leaf>(*node).items.item(index));
}

template <class Traits>
void CowSequence<Traits>::assign(std::size_t first, std::span<Item> items) {
  replace(first, first + items.size(),
          [&](auto& leaf, std::size_t at, std::size_t n) { leaf.set(at, std::move(items[n])); });
}

// Returns the summary of what it removed.
template <class Traits>
auto CowSequence<Traits>::erase_in(NodePtr& node, std::size_t first, std::size_t last) -> Summary {
  Summary gone{};
  if (node->is_leaf) {
    auto& items = own<Leaf>(node).items;
    for (std::size_t i = first; i < last; ++i) gone.add(Traits::summary_of(items[i]));
    items.erase(first, last);
    return gone;
  }
  Inner& inner = own<Inner>(node);
  Children& children = inner.children;
  std::size_t begin = 0;
  std::size_t kept = 0;
  // Children that lose all their items go without a look below them.
  for (std::size_t i = 0; i < children.size() && begin < last; begin = kept) {
    kept = begin + children.count(i);
    if (kept <= first) {
      ++i;
      continue;
    }
    const std::size_t from = std::max(first, begin);
    const std::size_t to = std::min(last, kept);
    if (to - from == children.count(i)) {
      gone.add(children.sum(i));
      children.erase(i);
      continue;
    }
    NodePtr& child = children.node(i);
    const Summary part = erase_in(child, from - begin, to - begin);
    gone.add(part);
    children.count(i) -= to - from;
    if (from == begin) children.first(i) = first_key(*child);
    if (!children.sum(i).subtract(part)) find_extremes(*child, children.sum(i));
    ++i;
  }
  for (std::size_t i = children.size(); i-- > 0;) join_if_small(inner, i);
  return gone;
}

template <class Traits>
void CowSequence<Traits>::erase(std::size_t first, std::size_t last) {
  CHECK(first <= last && last <= count_);
  if (first == last) return;
  count_ -= last - first;
  if (count_ == 0) {
    root_.reset();
    sum_ = {};
    return;
  }
  const Summary gone = erase_in(root_, first, last);
  while (!root_->is_leaf && inner_of(*root_).children.size() == 1) {
    root_ = NodePtr(inner_of(*root_).children.node(0));
  }
  if (!sum_.subtract(gone)) find_extremes(*root_, sum_);
}

}  // namespace lsmlab
