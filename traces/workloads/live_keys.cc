#include "traces/workloads/live_keys.h"

#include <bit>

#include "models/base/check.h"

namespace lsmlab {
namespace {

std::uint64_t lowest_bit(std::uint64_t x) { return x & (~x + 1); }

}  // namespace

void LiveKeys::append() {
  if (appended_ % 64 == 0) words_.push_back(0);
  if (appended_ % kGroup == 0) {
    // A new group's node also covers the finished groups that its position in the tree requires.
    const std::uint64_t node = tree_.size();
    std::uint64_t covered = 0;
    for (std::uint64_t below = node - 1; below > node - lowest_bit(node);) {
      covered += tree_[below];
      below -= lowest_bit(below);
    }
    tree_.push_back(covered);
  }
  words_.back() |= std::uint64_t{1} << (appended_ % 64);
  ++tree_.back();  // no later node covers the newest group yet
  ++appended_;
  ++count_;
}

std::uint64_t LiveKeys::at(std::uint64_t rank) const {
  CHECK(rank < count_);
  std::uint64_t group = 0;
  for (std::uint64_t step = std::bit_floor(tree_.size()); step != 0; step /= 2) {
    if (group + step >= tree_.size() || tree_[group + step] > rank) continue;
    group += step;
    rank -= tree_[group];
  }
  std::uint64_t word = group * kWordsPerGroup;
  for (;; ++word) {
    const auto live = static_cast<std::uint64_t>(std::popcount(words_[word]));
    if (rank < live) break;
    rank -= live;
  }
  std::uint64_t bits = words_[word];
  for (; rank != 0; --rank) bits &= bits - 1;
  return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
}

std::uint64_t LiveKeys::rank(std::uint64_t number) const {
  CHECK(number < appended_);
  std::uint64_t rank = 0;
  for (std::uint64_t node = number / kGroup; node > 0; node -= lowest_bit(node)) {
    rank += tree_[node];
  }
  for (std::uint64_t word = number / kGroup * kWordsPerGroup; word < number / 64; ++word) {
    rank += static_cast<std::uint64_t>(std::popcount(words_[word]));
  }
  const std::uint64_t below = (std::uint64_t{1} << (number % 64)) - 1;
  return rank + static_cast<std::uint64_t>(std::popcount(words_[number / 64] & below));
}

void LiveKeys::remove(std::uint64_t number) {
  CHECK(number < appended_);
  const std::uint64_t bit = std::uint64_t{1} << (number % 64);
  CHECK((words_[number / 64] & bit) != 0);
  words_[number / 64] &= ~bit;
  --count_;
  for (std::uint64_t node = number / kGroup + 1; node < tree_.size(); node += lowest_bit(node)) {
    --tree_[node];
  }
}

}  // namespace lsmlab
