// The children of an inner node of a CowSequence. Each member of the children is an array of its
// own, so that a search touches few cache lines: it reads keys and counts, and the summaries, which
// take most of the space, only where it needs them.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <utility>

namespace lsmlab {

template <class NodePtr, class Key, class Summary, std::size_t kFanout>
class CowChildren {
 public:
  struct Child {
    NodePtr node;
    std::size_t count = 0;  // items below
    Key first{};            // key of the first one
    Summary sum{};
  };

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::size_t count(std::size_t at) const { return counts_[at]; }
  [[nodiscard]] std::size_t& count(std::size_t at) { return counts_[at]; }
  [[nodiscard]] const NodePtr& node(std::size_t at) const { return nodes_[at]; }
  [[nodiscard]] NodePtr& node(std::size_t at) { return nodes_[at]; }
  [[nodiscard]] const Key& first(std::size_t at) const { return firsts_[at]; }
  [[nodiscard]] Key& first(std::size_t at) { return firsts_[at]; }
  [[nodiscard]] const Summary& sum(std::size_t at) const { return sums_[at]; }
  [[nodiscard]] Summary& sum(std::size_t at) { return sums_[at]; }
  /// Items below all children.
  [[nodiscard]] std::size_t total() const {
    std::size_t total = 0;
    for (const std::size_t count : counts_) total += count;
    return total;
  }
  /// The last child, but for the first one, for whose first key `before` is true; otherwise 0.
  template <class Before>
  [[nodiscard]] std::size_t last_before(const Before& before) const {
    const auto behind = std::partition_point(firsts_.begin() + 1, firsts_.end(), before);
    return static_cast<std::size_t>(behind - firsts_.begin()) - 1;
  }

  void push_back(Child child) { insert(size(), std::move(child)); }
  void set(std::size_t at, Child child) {
    nodes_[at] = std::move(child.node);
    counts_[at] = child.count;
    firsts_[at] = child.first;
    sums_[at] = child.sum;
  }
  void insert(std::size_t at, Child child) {
    nodes_.insert(place(nodes_, at), std::move(child.node));
    counts_.insert(place(counts_, at), child.count);
    firsts_.insert(place(firsts_, at), child.first);
    sums_.insert(place(sums_, at), child.sum);
  }
  void erase(std::size_t at) {
    nodes_.erase(place(nodes_, at));
    counts_.erase(place(counts_, at));
    firsts_.erase(place(firsts_, at));
    sums_.erase(place(sums_, at));
  }
  /// Moves the children from `kept` on to `right`, which must be empty.
  void split(std::size_t kept, CowChildren& right) {
    move_tail(nodes_, kept, right.nodes_);
    move_tail(counts_, kept, right.counts_);
    move_tail(firsts_, kept, right.firsts_);
    move_tail(sums_, kept, right.sums_);
  }
  void append(const CowChildren& other) {
    nodes_.insert(nodes_.end(), other.nodes_.begin(), other.nodes_.end());
    counts_.insert(counts_.end(), other.counts_.begin(), other.counts_.end());
    firsts_.insert(firsts_.end(), other.firsts_.begin(), other.firsts_.end());
    sums_.insert(sums_.end(), other.sums_.begin(), other.sums_.end());
  }

 private:
  template <class Element>
  using Elements = boost::container::static_vector<Element, kFanout>;

  template <class Of>
  static auto place(Of& elements, std::size_t at) {
    return elements.begin() + static_cast<std::ptrdiff_t>(at);
  }
  template <class Of>
  static void move_tail(Of& from, std::size_t kept, Of& to) {
    to.assign(std::make_move_iterator(place(from, kept)), std::make_move_iterator(from.end()));
    from.erase(place(from, kept), from.end());
  }

  Elements<std::size_t> counts_;
  Elements<Key> firsts_;
  Elements<NodePtr> nodes_;
  Elements<Summary> sums_;
};

}  // namespace lsmlab
