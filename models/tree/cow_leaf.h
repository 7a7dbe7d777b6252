// The items of a leaf of a CowSequence. Where Traits::kKeysInLeaves says so, their keys and
// extremes lie in arrays of their own, so that searches, and a look for the next extreme after one
// has left, touch no item.
#pragma once

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace lsmlab {

template <class Traits, std::size_t kFanout>
class CowLeaf {
 public:
  using Item = typename Traits::Item;
  using Key = typename Traits::Key;
  using Extremes = typename Traits::Summary::Extremes;

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] const Item& operator[](std::size_t at) const { return items_[at]; }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }
  [[nodiscard]] decltype(auto) key(std::size_t at) const {
    if constexpr (Traits::kKeysInLeaves) {
      return static_cast<const Key&>(keys_[at]);
    } else {
      return Traits::key_of(items_[at]);
    }
  }
  /// The first item for whose key `before` is false; size() where there is none.
  template <class Before>
  [[nodiscard]] std::size_t partition_point(const Before& before) const {
    if constexpr (Traits::kKeysInLeaves) {
      const auto found = std::partition_point(keys_.begin(), keys_.end(), before);
      return static_cast<std::size_t>(found - keys_.begin());
    } else {
      const auto found = std::partition_point(items_.begin(), items_.end(), [&](const Item& item) {
        return before(Traits::key_of(item));
      });
      return static_cast<std::size_t>(found - items_.begin());
    }
  }

  /// measure() of an item's summary, or of its extremes where they lie in an array.
  template <class Measure>
  [[nodiscard]] std::uint64_t measure(std::size_t at, const Measure& measure) const {
    if constexpr (Traits::kKeysInLeaves) {
      return measure(extremes_[at]);
    } else {
      return measure(Traits::summary_of(items_[at]));
    }
  }
  /// REQUIRES: Traits::kKeysInLeaves.
  [[nodiscard]] const auto& extremes_at(std::size_t at) const { return extremes_[at]; }
  [[nodiscard]] Extremes extremes() const {
    Extremes all;
    if constexpr (Traits::kKeysInLeaves) {
      for (const auto& each : extremes_) all.add(each);
    } else {
      for (const Item& item : items_) all.add(Traits::extremes_of(item));
    }
    return all;
  }

  /// For a change that leaves the key as it is. note() must follow if extremes may have changed.
  [[nodiscard]] Item& item(std::size_t at) { return items_[at]; }
  void note(std::size_t at) {
    if constexpr (Traits::kKeysInLeaves) extremes_[at] = Traits::extremes_of(items_[at]);
  }
  void set(std::size_t at, Item&& item) {
    if constexpr (Traits::kKeysInLeaves) keys_[at] = Traits::key_of(item);
    items_[at] = std::move(item);
    note(at);
  }
  void insert(std::size_t at, Item&& item) {
    if constexpr (Traits::kKeysInLeaves) {
      keys_.insert(place(keys_, at), Traits::key_of(item));
      extremes_.insert(place(extremes_, at), Traits::extremes_of(item));
    }
    items_.insert(place(items_, at), std::move(item));
  }
  void erase(std::size_t first, std::size_t last) {
    if constexpr (Traits::kKeysInLeaves) {
      keys_.erase(place(keys_, first), place(keys_, last));
      extremes_.erase(place(extremes_, first), place(extremes_, last));
    }
    items_.erase(place(items_, first), place(items_, last));
  }
  /// Moves the items from `kept` on to `right`, which must be empty.
  void split(std::size_t kept, CowLeaf& right) {
    right.items_.assign(std::make_move_iterator(place(items_, kept)),
                        std::make_move_iterator(items_.end()));
    items_.erase(place(items_, kept), items_.end());
    if constexpr (Traits::kKeysInLeaves) {
      right.keys_.assign(place(keys_, kept), keys_.end());
      keys_.erase(place(keys_, kept), keys_.end());
      right.extremes_.assign(place(extremes_, kept), extremes_.end());
      extremes_.erase(place(extremes_, kept), extremes_.end());
    }
  }
  void append(const CowLeaf& other) {
    items_.insert(items_.end(), other.items_.begin(), other.items_.end());
    if constexpr (Traits::kKeysInLeaves) {
      keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end());
      extremes_.insert(extremes_.end(), other.extremes_.begin(), other.extremes_.end());
    }
  }

 private:
  template <class Of>
  static auto place(Of& elements, std::size_t at) {
    return elements.begin() + static_cast<std::ptrdiff_t>(at);
  }

  using ItemExtremes = decltype(Traits::extremes_of(std::declval<const Item&>()));
  template <class Element, int kNumber>  // a number for each, so that empty ones share an address
  struct None {};
  template <class Element, int kNumber>
  using InLeaf =
      std::conditional_t<Traits::kKeysInLeaves, boost::container::static_vector<Element, kFanout>,
                         None<Element, kNumber>>;
  [[no_unique_address]] InLeaf<Key, 0> keys_;
  [[no_unique_address]] InLeaf<ItemExtremes, 1> extremes_;
  boost::container::static_vector<Item, kFanout> items_;
};

}  // namespace lsmlab
