// What a policy that adapts itself at run time measured, decided, and expects of it (the
// delete-aware thesis, Section 3.1.3; the adaptive controller of DataStax's UCS). A flush carries
// the decision into the tree, so that recovery and the other side of a comparison see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/base/units.h"

namespace lsmlab {

/// Operations that a store took in some time.
struct Traffic {
  std::uint64_t lookups = 0;  // gets and scans
  std::uint64_t writes = 0;   // puts and deletes
  std::uint64_t scans = 0;    // of the lookups
  std::uint64_t deletes = 0;  // of the writes

  void add(const Traffic& other) {
    lookups += other.lookups;
    writes += other.writes;
    scans += other.scans;
    deletes += other.deletes;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// Options that were replaced at run time. They hold for all plans after the flush that set them.
struct Tuning {
  // As of the options of the same names.
  static constexpr std::uint64_t kDelRatioBaseMillionthsMax = 1'000'000'000'000;
  static constexpr std::uint64_t kBitsPerKeyThousandthsMax = 100'000;
  static constexpr std::size_t kScalingTextMax = 1'000;  // bytes

  std::uint64_t flush = 0;  // the number of that flush, from 1
  std::uint64_t del_ratio_base_millionths = 0;
  std::uint64_t bits_per_key_thousandths = 0;  // of new files' filters
  Bytes range_bytes;                           // of new files' kept ranges
  // cassandra-ucs's option, in its form ("L10:T4"); empty: as the option says.
  std::string scaling_parameters = {};
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// Worst-case costs, in millionths of a block: of the thesis's Table 1, or those that UCS projects.
struct TuningCosts {
  std::uint64_t lookup = 0;
  std::uint64_t scan = 0;
  std::uint64_t update = 0;
  std::uint64_t mean = 0;         // weighted by the measured mix
  std::uint64_t mean_before = 0;  // the same with the options before
  std::uint64_t mean_tiered = 0;  // the same of a size-tiered store, for comparison
  friend bool operator==(const TuningCosts&, const TuningCosts&) = default;
};

struct Adaptation {
  Traffic measured;
  Tuning tuning;
  TuningCosts costs;
  friend bool operator==(const Adaptation&, const Adaptation&) = default;
};

}  // namespace lsmlab
