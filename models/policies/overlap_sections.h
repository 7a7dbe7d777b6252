// Which files of a set overlap each other: the sections of key space at which most of them meet.
#pragma once

#include <cstddef>
#include <vector>

#include "models/tree/plan.h"

namespace lsmlab {

/// Indexes of files that all meet at some key, rising.
using OverlapSection = std::vector<std::size_t>;

/// For files of these key ranges: the sections by key, so that any files which meet at some key are
/// together in one of them, and no section lies within another. A file is in consecutive sections.
/// O(n log n + the sections' sizes).
[[nodiscard]] std::vector<OverlapSection> overlap_sections(const std::vector<KeyRange>& files);

/// Which neighbours of a section that reaches a threshold belong to its bucket (Cassandra's
/// overlap_inclusion_method).
enum class OverlapInclusion {
  kNone,        // none
  kSingle,      // those that share a file with it
  kTransitive,  // those, and in turn those that share a file with the bucket
};

/// Sections first..last-1.
struct OverlapBucket {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Buckets around the sections of at least `threshold` files, by key. A section is in one bucket at
/// most (Cassandra's Overlaps.assignOverlapsIntoBuckets).
[[nodiscard]] std::vector<OverlapBucket> overlap_buckets(
    const std::vector<OverlapSection>& sections, std::size_t threshold, OverlapInclusion inclusion);

}  // namespace lsmlab
