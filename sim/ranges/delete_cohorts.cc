#include "sim/ranges/delete_cohorts.h"

#include <algorithm>

namespace lsmlab {
namespace {

static_assert(kCohortUnits == fixed_count(1));

// Appends `count` tombstones of a mix. Rounding does not change their sum.
void append_part(const CohortList& mix, FixedCount count, CohortList& cohorts) {
  FixedCount all = 0;
  for (const DeleteCohort& cohort : mix) all += cohort.count;
  if (all == 0) return;
  // One division for all cohorts. The last one gets what rounding leaves.
  const Uint128 each = (Uint128{count} << 32) / all;
  FixedCount passed = 0;
  FixedCount given = 0;
  for (const DeleteCohort& cohort : mix) {
    passed += cohort.count;
    const auto upto = passed == all ? count : static_cast<FixedCount>(each * passed >> 32);
    if (upto > given) cohorts.push_back({cohort.flushes, upto - given});
    given = upto;
  }
}

// Makes the counts whole, from the oldest cohort on, so that each sum is at most half a tombstone
// off. Otherwise every merge would leave a smaller fraction of the oldest tombstone in every file.
void round_cohorts(CohortList& cohorts) {
  FixedCount all = 0;
  for (const DeleteCohort& cohort : cohorts) all += cohort.count;
  if (rounded(all) == 0) return;
  FixedCount sum = 0;
  FixedCount before = 0;
  std::size_t kept = 0;
  for (const DeleteCohort& cohort : cohorts) {
    sum += cohort.count;
    const FixedCount whole = fixed_count(rounded(sum));
    if (whole > before) cohorts[kept++] = {cohort.flushes, whole - before};
    before = whole;
  }
  cohorts.resize(kept);
}

}  // namespace

FlushSpan cohort_block(std::uint64_t flush, std::uint64_t flushes) {
  FlushSpan block{flush, flush};
  for (std::uint64_t width = 2;; width *= 2) {
    const std::uint64_t first = flush & ~(width - 1);
    const std::uint64_t last = first + width - 1;
    if (last > flushes || flushes - last < kAgeWidths * width) return block;
    block = {first, last};
  }
}

void merge_cohorts(CohortList& cohorts, std::uint64_t flushes) {
  for (DeleteCohort& cohort : cohorts) {
    cohort.flushes = cohort_block(cohort.flushes.first, flushes);
  }
  join_blocks(cohorts);
}

void join_blocks(CohortList& cohorts) {
  const auto is_older = [](const DeleteCohort& a, const DeleteCohort& b) {
    return a.flushes.first < b.flushes.first;
  };
  if (!std::is_sorted(cohorts.begin(), cohorts.end(), is_older)) {
    std::sort(cohorts.begin(), cohorts.end(), is_older);
  }
  std::size_t kept = 0;
  for (const DeleteCohort& cohort : cohorts) {
    if (kept > 0 && cohorts[kept - 1].flushes == cohort.flushes) {
      cohorts[kept - 1].count += cohort.count;
    } else {
      cohorts[kept++] = cohort;
    }
  }
  cohorts.resize(kept);
  round_cohorts(cohorts);
}

void TombstoneOrigins::add(const TombstoneOrigin& origin) {
  if (last_.size() <= origin.source) last_.resize(origin.source + 1);
  std::size_t& last = last_[origin.source];
  if (last > 0 && origins_[last - 1].mix == origin.mix) {
    origins_[last - 1].count += origin.count;
    return;
  }
  origins_.push_back(origin);
  last = origins_.size();
}

CohortList TombstoneOrigins::take() {
  CohortList cohorts;
  std::size_t most = 0;
  for (const TombstoneOrigin& origin : origins_) most += origin.mix->size();
  cohorts.reserve(most);
  for (const TombstoneOrigin& origin : origins_) append_part(*origin.mix, origin.count, cohorts);
  origins_.clear();
  last_.clear();
  return cohorts;
}

}  // namespace lsmlab
