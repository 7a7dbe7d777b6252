// How often the Bloom filter of an SSTable (docs/sstable.md: blocked, a key's bits in one line of
// 64 bytes) says yes to a key that is not there. Only additions, multiplications and divisions of
// doubles, so that the rates have the same bits everywhere. Not thread safe.
//
// A line with j keys has seen j * probes throws of a bit, each of its 512 equally likely; the
// distribution of the number of bits set is followed throw by throw, and a rate is the mean of
// (share of bits set)^probes. How many of a file's keys fall to one of its lines is binomial (a
// Poisson mix where there are many lines). Exact for hashes that are uniform and independent.
#pragma once

#include <cstdint>
#include <vector>

#include "models/sizes/sstable_size.h"

namespace lsmlab {

/// Probes of a filter: floor(0.69 * bits per key), at least 1 and at most 30, as LevelDB has it
/// (util/bloom.cc: 0.69 for ln 2, rounded down to reduce probing cost).
[[nodiscard]] unsigned filter_probes(const SstableFormat& format);

class FilterModel {
 public:
  /// The expected rate over keys that the file does not hold; 1 where it has no filter.
  /// REQUIRES: entries >= 1.
  [[nodiscard]] double false_positive_rate(const SstableFormat& format, std::uint64_t entries);

 private:
  // Lines of one number of probes, as they fill.
  struct Line {
    std::vector<double> bits_set;  // probability of each number of them
    std::vector<double> rates;     // by number of keys, as far as somebody asked
  };
  [[nodiscard]] double line_rate(unsigned probes, std::uint64_t keys);

  std::vector<Line> lines_;  // by probes
};

/// The rate as a bound: a draw from all 64-bit numbers is a false positive where it is below it.
[[nodiscard]] std::uint64_t draw_bound(double rate);

}  // namespace lsmlab
