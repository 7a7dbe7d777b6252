// Popularity of keys by classes: so many keys take such a share of the accesses. All keys of a
// class are equally popular. Classes lie one after another from rank 0 on. Immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/random.h"

namespace lsmlab {

struct KeyClass {
  std::uint64_t keys = 0;
  std::uint64_t weight = 0;  // share of the accesses, in billionths

  friend bool operator==(const KeyClass&, const KeyClass&) = default;
};
inline constexpr std::uint64_t kClassWeightSum = 1'000'000'000;
inline constexpr std::size_t kKeyClassesMax = 1024;

/// Appends the faults of the classes, each with the name.
void validate_key_classes(const std::string& name, const std::vector<KeyClass>& classes,
                          std::vector<std::string>& faults);

/// Classes for `keys` keys whose widths are given as shares in billionths, in KeyClass::keys. A
/// class without a whole key joins its neighbour. REQUIRES: keys >= 1; the widths have a sum.
[[nodiscard]] std::vector<KeyClass> key_classes_of_shares(const std::vector<KeyClass>& shares,
                                                          std::uint64_t keys);

/// The sums that draws and resolution `range` need.
class KeyClassSums {
 public:
  /// REQUIRES: validate_key_classes() finds no fault.
  explicit KeyClassSums(const std::vector<KeyClass>& classes);
  /// A rank below `live`. If only a part of a class lies below `live`, the class has that part of
  /// its weight. Without any weight below `live` all ranks are equal. REQUIRES: live >= 1.
  [[nodiscard]] std::uint64_t draw(std::uint64_t live, SplitMix64& generator) const;
  /// The share of the weights of ranks 0..live that lies in first..last. Ranks need not be whole.
  [[nodiscard]] double share(double first, double last, double live) const;
  /// The rank at which each class begins.
  [[nodiscard]] std::vector<std::uint64_t> begins() const;

 private:
  // A class with all that lie before it.
  struct Bound {
    std::uint64_t first = 0;
    std::uint64_t keys = 0;
    Uint128 weight = 0;
    Uint128 weight_before = 0;
  };
  [[nodiscard]] double sum(double rank) const;
  std::vector<Bound> bounds_;
};

}  // namespace lsmlab
