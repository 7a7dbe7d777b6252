#include "sim/ranges/delete_grace.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

void DeleteGrace::add_flush(const SequenceSpan& sequences) {
  if (!is_on()) return;
  if (ends_.empty()) ends_.push_back(sequences.first - 1);
  ends_.push_back(sequences.last);
}

std::uint64_t DeleteGrace::end_of(std::uint64_t flush) const {
  CHECK(flush < ends_.size());
  return ends_[flush];
}

FlushSpan DeleteGrace::block(std::uint64_t flush, std::uint64_t flushes,
                             std::uint64_t newest_write) const {
  const FlushSpan widest = cohort_block(flush, flushes);
  FlushSpan block{flush, flush};
  while (block != widest) {
    const std::uint64_t width = 2 * (block.last - block.first + 1);
    const std::uint64_t first = flush & ~(width - 1);
    const FlushSpan wider{std::max<std::uint64_t>(first, 1), first + width - 1};
    const std::uint64_t writes = end_of(wider.last) - end_of(wider.first - 1);
    const bool is_young = end_of(wider.last) > ripe_until(newest_write, writes_);
    if (is_young && writes > writes_ / kGraceWidths) break;
    block = {first, wider.last};
  }
  return block;
}

void DeleteGrace::merge(CohortList& cohorts, std::uint64_t flushes,
                        std::uint64_t newest_write) const {
  for (DeleteCohort& cohort : cohorts) {
    cohort.flushes = block(cohort.flushes.first, flushes, newest_write);
  }
  join_blocks(cohorts);
}

bool DeleteGrace::is_ripe(const FlushSpan& flushes, std::uint64_t newest_write) const {
  const std::uint64_t begin = end_of(std::max<std::uint64_t>(flushes.first, 1) - 1);
  const std::uint64_t end = end_of(flushes.last);
  return begin + (end - begin) / 2 <= ripe_until(newest_write, writes_);
}

std::shared_ptr<const DeletionTimes> DeleteGrace::times(
    const std::vector<CohortList>& zones) const {
  constexpr std::uint64_t kPoints = 8;
  DeletionTimes times;
  FixedCount sum = 0;
  std::uint64_t given = 0;
  for (const CohortList& zone : zones) {
    for (const DeleteCohort& cohort : zone) {
      const std::uint64_t begin = end_of(std::max<std::uint64_t>(cohort.flushes.first, 1) - 1);
      const std::uint64_t writes = end_of(cohort.flushes.last) - begin;
      for (std::uint64_t i = 0; i < kPoints; ++i) {
        const FixedCount part = cohort.count * (i + 1) / kPoints - cohort.count * i / kPoints;
        sum += part;
        const std::uint64_t whole = rounded(sum);
        if (whole == given) continue;
        times.add(begin + 1 + writes * (2 * i + 1) / (2 * kPoints), whole - given);
        given = whole;
      }
    }
  }
  if (times.blocks().empty()) return nullptr;
  return std::make_shared<const DeletionTimes>(std::move(times));
}

const RipeSplits::Split& RipeSplits::of(const CohortList& mix) {
  const auto [found, is_new] = splits_.try_emplace(&mix);
  Split& split = found->second;
  if (!is_new) return split;
  FixedCount all = 0;
  FixedCount ripe = 0;
  for (const DeleteCohort& cohort : mix) {
    const bool is_ripe = grace_.is_ripe(cohort.flushes, newest_write_);
    (is_ripe ? split.ripe : split.young).push_back(cohort);
    all += cohort.count;
    ripe += is_ripe ? cohort.count : 0;
  }
  split.ripe_share = all == 0 ? 0 : share_of(ripe, all);
  return split;
}

}  // namespace lsmlab
