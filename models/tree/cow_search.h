// Searches in a CowSequence, and sums over its items. Included by models/tree/cow_sequence.h.
#pragma once

#include "models/tree/cow_sequence.h"

namespace lsmlab {

template <class Traits>
template <class Before>
std::size_t CowSequence<Traits>::partition_point(const Before& before) const {
  if (!root_) return 0;
  const Node* node = root_.get();
  std::size_t index = 0;
  while (!node->is_leaf) {
    const Children& children = inner_of(*node).children;
    const std::size_t child = children.last_before(before);
    for (std::size_t i = 0; i < child; ++i) index += children.count(i);
    node = children.node(child).get();
  }
  return index + leaf_of(*node).items.partition_point(before);
}

template <class Traits>
template <class Has>
std::size_t CowSequence<Traits>::find_first(std::size_t from, const Has& has) const {
  if (from >= count_ || !has(sum_)) return count_;
  return std::min(find_in(*root_, from, has), count_);
}

template <class Traits>
template <class Has>
std::size_t CowSequence<Traits>::find_in(const Node& node, std::size_t from, const Has& has) {
  constexpr std::size_t kNone = ~std::size_t{0};
  if (node.is_leaf) {
    const auto& items = leaf_of(node).items;
    for (; from < items.size(); ++from) {
      if (has(Traits::summary_of(items[from]))) return from;
    }
    return kNone;
  }
  std::size_t first = 0;
  const Children& children = inner_of(node).children;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (from < first + children.count(i) && has(children.sum(i))) {
      const std::size_t found = find_in(*children.node(i), from > first ? from - first : 0, has);
      if (found != kNone) return first + found;
    }
    first += children.count(i);
  }
  return kNone;
}

template <class Traits>
template <class Measure>
std::size_t CowSequence<Traits>::find_sum_above(std::size_t from, std::uint64_t limit,
                                                const Measure& measure) const {
  if (from >= count_) return count_;
  return std::min(find_sum_in(*root_, from, limit, measure), count_);
}

// Takes what it passes off the limit.
template <class Traits>
template <class Measure>
std::size_t CowSequence<Traits>::find_sum_in(const Node& node, std::size_t from,
                                             std::uint64_t& limit, const Measure& measure) {
  constexpr std::size_t kNone = ~std::size_t{0};
  if (node.is_leaf) {
    const auto& items = leaf_of(node).items;
    for (; from < items.size(); ++from) {
      const std::uint64_t number = items.measure(from, measure);
      if (number > limit) return from;
      limit -= number;
    }
    return kNone;
  }
  std::size_t first = 0;
  const Children& children = inner_of(node).children;
  for (std::size_t i = 0; i < children.size(); first += children.count(i++)) {
    const std::size_t behind = first + children.count(i);
    if (from >= behind) continue;
    if (from <= first && measure(children.sum(i)) <= limit) {
      limit -= measure(children.sum(i));
      continue;
    }
    const std::size_t start = from > first ? from - first : 0;
    const std::size_t found = find_sum_in(*children.node(i), start, limit, measure);
    if (found != kNone) return first + found;
  }
  return kNone;
}

template <class Traits>
auto CowSequence<Traits>::sum_of(const Node& node) -> Summary {
  Summary sum{};
  if (node.is_leaf) {
    for (const Item& item : leaf_of(node).items) sum.add(Traits::summary_of(item));
  } else {
    const Children& children = inner_of(node).children;
    for (std::size_t i = 0; i < children.size(); ++i) sum.add(children.sum(i));
  }
  return sum;
}

// Sets a node's sum's extremes.
template <class Traits>
void CowSequence<Traits>::find_extremes(const Node& node, Summary& sum) {
  if (node.is_leaf) {
    sum.set_extremes(leaf_of(node).items.extremes());
    return;
  }
  typename Summary::Extremes extremes;
  const Children& children = inner_of(node).children;
  for (std::size_t i = 0; i < children.size(); ++i) extremes.add(children.sum(i).extremes());
  sum.set_extremes(extremes);
}

template <class Traits>
auto CowSequence<Traits>::sum_of(const Node& node, std::size_t first, std::size_t last) -> Summary {
  Summary sum{};
  if (node.is_leaf) {
    for (; first < last; ++first) sum.add(Traits::summary_of(leaf_of(node).items[first]));
    return sum;
  }
  const Children& children = inner_of(node).children;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < children.size() && begin < last; ++i) {
    const std::size_t end = begin + children.count(i);
    if (first <= begin && end <= last) {
      sum.add(children.sum(i));
    } else if (first < end) {
      sum.add(
          sum_of(*children.node(i), std::max(first, begin) - begin, std::min(last, end) - begin));
    }
    begin = end;
  }
  return sum;
}

template <class Traits>
auto CowSequence<Traits>::sum(std::size_t first, std::size_t last) const -> Summary {
  CHECK(first <= last && last <= count_);
  if (first == last) return {};
  if (first == 0 && last == count_) return sum_;
  return sum_of(*root_, first, last);
}

}  // namespace lsmlab
