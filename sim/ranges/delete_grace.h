// gc_grace at resolution `range`: which of a file's tombstones are old enough to be dropped. Single
// tombstones are not known. So a cohort of tombstones (sim/ranges/delete_cohorts.h) goes as a whole
// once the middle of its writes is old enough. While a cohort is younger than that, it has at most
// 1/kGraceWidths of gc_grace, or one flush: a tombstone goes at most half of that too early or too
// late.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/tree/deletion_times.h"
#include "sim/ranges/delete_cohorts.h"

namespace lsmlab {

inline constexpr std::uint64_t kGraceWidths = 16;

class DeleteGrace {
 public:
  /// `writes`: Policy::gc_grace().
  explicit DeleteGrace(std::uint64_t writes) : writes_(writes) {}
  /// False: every tombstone is old enough, and nothing below is asked.
  [[nodiscard]] bool is_on() const { return writes_ > 0; }
  /// The next flush begins. Those before it are known.
  void add_flush(const SequenceSpan& sequences);

  /// As cohort_block(). `newest_write`: of the tree.
  [[nodiscard]] FlushSpan block(std::uint64_t flush, std::uint64_t flushes,
                                std::uint64_t newest_write) const;
  /// As merge_cohorts().
  void merge(CohortList& cohorts, std::uint64_t flushes, std::uint64_t newest_write) const;
  /// Whether the cohort of these flushes may go.
  [[nodiscard]] bool is_ripe(const FlushSpan& flushes, std::uint64_t newest_write) const;
  /// The deletion times of a file with these cohorts, which are spread evenly over their writes.
  [[nodiscard]] std::shared_ptr<const DeletionTimes> times(
      const std::vector<CohortList>& zones) const;

 private:
  [[nodiscard]] std::uint64_t end_of(std::uint64_t flush) const;

  std::uint64_t writes_;
  std::vector<std::uint64_t> ends_;  // the write before the first flush, then the last of each
};

/// Divides mixes of tombstones into those that may go and the others. A mix is divided once.
class RipeSplits {
 public:
  struct Split {
    CohortList ripe;
    CohortList young;
    std::uint64_t ripe_share = 0;  // of kWholeShare
  };
  RipeSplits(const DeleteGrace& grace, std::uint64_t newest_write)
      : grace_(grace), newest_write_(newest_write) {}
  /// The result stays where it is. REQUIRES: the mix outlives the splits and does not change.
  [[nodiscard]] const Split& of(const CohortList& mix);

 private:
  const DeleteGrace& grace_;
  std::uint64_t newest_write_;
  std::unordered_map<const CohortList*, Split> splits_;  // only looked up, never iterated
};

}  // namespace lsmlab
