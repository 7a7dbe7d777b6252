// How often the Bloom filter of an SSTable passes a key that the SSTable does not hold. The filter
// is blocked (docs/sstable.md): all bits of a key are in one line of 64 bytes. The code uses only
// additions, multiplications and divisions of doubles, so the rates have the same bits on every
// machine. Not thread safe.
//
// A line with j keys has had j * probes random bits set, each of its 512 bits with equal chance.
// The model follows the distribution of the number of set bits, bit by bit. The rate is the mean of
// (share of set bits)^probes. The number of keys in a line is binomial (for many lines: nearly
// Poisson). The result is exact for hashes that are uniform and independent.
// Poisson mix where there are many lines). Exact for hashes that are uniform and independent.
#pragma once

#include <cstdint>
#include <vector>

#include "models/sizes/sstable_size.h"

namespace lsmlab {

/// Number of probes of a filter: floor(0.69 * bits per key), at least 1 and at most 30, as in
/// LevelDB (util/bloom.cc rounds ln 2 down to 0.69 to reduce the cost of probing).
[[nodiscard]] unsigned filter_probes(const SstableFormat& format);

class FilterModel {
 public:
  /// The expected false positive rate over keys that the file does not hold; 1 if the file has no
  /// filter. REQUIRES: entries >= 1.
  [[nodiscard]] double false_positive_rate(const SstableFormat& format, std::uint64_t entries);

 private:
  // Lines with one number of probes, as they fill up.
  struct Line {
    std::vector<double> bits_set;  // the probability of each number of set bits
    std::vector<double> rates;     // by number of keys, as far as computed
  };
  [[nodiscard]] double line_rate(unsigned probes, std::uint64_t keys);

  std::vector<Line> lines_;  // by probes
};

/// The rate as a bound: a random 64-bit number below it is a false positive.
[[nodiscard]] std::uint64_t draw_bound(double rate);

}  // namespace lsmlab
