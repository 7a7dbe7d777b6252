// Which inserted keys still live, in insertion order: a bit a key and a Fenwick
// tree over groups of 512, so that a number is appended, found by rank and
// removed in logarithmic time with about 1.13 bits a key. Only workloads with
// deletes need one.
#pragma once

#include <cstdint>
#include <vector>

namespace lsmlab {

class LiveKeys {
 public:
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The next number, from 0, lives.
  void append();
  /// The number with `rank` smaller live ones. REQUIRES: rank < count().
  [[nodiscard]] std::uint64_t at(std::uint64_t rank) const;
  /// REQUIRES: it lives.
  void remove(std::uint64_t number);

 private:
  static constexpr std::uint64_t kWordsPerGroup = 8;
  static constexpr std::uint64_t kGroup = 64 * kWordsPerGroup;

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> tree_{0};  // from index 1: live ones of the groups that it covers
  std::uint64_t appended_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace lsmlab
