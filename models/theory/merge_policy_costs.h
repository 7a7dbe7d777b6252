// What the merge-policies paper (Mao et al., "Comparison and evaluation of state-of-the-art LSM
// merge policies", VLDB Journal 2021) gives in closed form, for n flushes and a bound k on SSTables
// or a size ratio B.
//
// - Worst cases (Section 3): with MinLatency and Binomial no flush is written more often than
//   *_writes_max, whatever the sizes, and so neither are the bytes in all. Equation 1 is what the
//   least worst case tends to, and the floor what any schedule writes for flushes of one size: both
//   are in models/theory/floor.h.
// - Exact sums for flushes of one size, from the rules of Section 2: Constant, Tiered, and Leveled
//   with the overlap that Section 5 assumes. They are the model, not a run of it, so that
//   simulations can be held against them.
// - Orders of growth (Sections 4.3.1 and 4.3.2), where the paper has no more.
// - The time of merges by the bytes that they write (Section 5, Fig. 9).
//
// Bigtable and Exploring depend on sizes; the paper gives no expression for them beyond "linear in
// n after about 4^k flushes". Bounds of every policy of depth k hold of them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.h"
#include "models/policies/flush_mode.h"
#include "models/theory/cost_figure.h"

namespace lsmlab {

/// Most flushes that the functions below take.
inline constexpr std::uint64_t kModelFlushesMax = std::uint64_t{1} << 62;

/// Most times that MinLatency writes any of its first `flushes` flushes, the paper's m: min{m :
/// C(m+k, k) > n}, and some flush is written that often. For eager flushes; separate ones may be
/// written once more. REQUIRES: 1 <= flushes <= kModelFlushesMax, k >= 1.
[[nodiscard]] std::uint64_t min_latency_writes_max(std::uint64_t flushes, std::uint64_t k);

/// The same of Binomial, the m' of Section 2: min{m : T_k(m) >= n}. Of its m' blocks of flushes the
/// j-th is merged by the roots of m'-j later ones, and up to j times before.
[[nodiscard]] std::uint64_t binomial_writes_max(std::uint64_t flushes, std::uint64_t k);

/// 4^k: about how many flushes the small-n regime lasts (Section 3); 2^127 where that is less.
[[nodiscard]] Uint128 small_regime_flushes(std::uint64_t k);

/// log2(n) / 2: about the write amplification and about the mean number of SSTables of Binomial,
/// while n <= 4^k (Section 3). REQUIRES: flushes >= 1.
[[nodiscard]] double binomial_small_regime(std::uint64_t flushes);

/// What a policy writes and keeps over flushes of one size.
struct UniformCost {
  std::uint64_t flushes = 0;
  Uint128 sizes_written = 0;    // in SSTables, flushes included, over the size of one flush
  Uint128 sorted_runs_sum = 0;  // after each flush, summed over flushes

  /// Bytes written / bytes flushed: the figure `write_flushed` of results.
  [[nodiscard]] double write_flushed() const;
  /// The figure `read_mean` of results.
  [[nodiscard]] double read_mean() const;
};

/// Constant: every k flushes after the first k + 1 everything is written, n / 2k times in all (the
/// paper's O(n/k)), and 1 to k SSTables are kept in turn. REQUIRES: 1 <= flushes <=
/// kModelFlushesMax, k >= 1.
[[nodiscard]] UniformCost constant_cost(std::uint64_t flushes, std::uint64_t k, FlushMode mode);

/// Tiered: tier i gets an SSTable of B^i flushes every B^i flushes, and holds the i-th digit of n
/// in base B; so log_B(n) writes a flush and (B-1)/2 log_B(n) runs. REQUIRES: 1 <= flushes <=
/// kModelFlushesMax, size_ratio >= 2.
[[nodiscard]] UniformCost tiered_cost(std::uint64_t flushes, std::uint64_t size_ratio,
                                      FlushMode mode);

/// Leveled, with Section 5's assumption that an SSTable that goes down overlaps B of the next
/// level, also where that does not hold as many yet: each flush is written as it comes, and B + 1
/// SSTables for each that enters a level. Levels hold B, B^2, ... SSTables, level 0 counts as one
/// run. REQUIRES: 1 <= flushes <= kModelFlushesMax, size_ratio >= 2.
[[nodiscard]] UniformCost leveled_cost(std::uint64_t flushes, std::uint64_t size_ratio);

/// Time of merges, which Fig. 9 finds in proportion to bytes written. The paper prints no
/// coefficients; they are a device's, as merge_time_fit (validate/judge/merge_times.h) measures
/// them.
struct MergeTimeModel {
  double seconds_per_byte = 0;
  double seconds_per_merge = 0;
};

/// Seconds that `merges` merges take which write `bytes_written` in all, one after another.
[[nodiscard]] double merge_seconds(const MergeTimeModel& model, Uint128 bytes_written,
                                   std::uint64_t merges);

/// Figures of every policy that keeps at most k SSTables, Bigtable and Exploring among them: the
/// floor, the limit of the least worst case, the end of the small-n regime, most SSTables, most
/// transient space. Takes k n^(1/k) steps, about. REQUIRES here and below: as the functions above.
[[nodiscard]] std::vector<CostFigure> bounded_depth_figures(std::uint64_t flushes, std::uint64_t k);
/// These and the policy's own.
[[nodiscard]] std::vector<CostFigure> min_latency_figures(std::uint64_t flushes, std::uint64_t k);
[[nodiscard]] std::vector<CostFigure> binomial_figures(std::uint64_t flushes, std::uint64_t k);
[[nodiscard]] std::vector<CostFigure> constant_figures(std::uint64_t flushes, std::uint64_t k,
                                                       FlushMode mode);
/// Exact sums and orders of growth.
[[nodiscard]] std::vector<CostFigure> tiered_figures(std::uint64_t flushes,
                                                     std::uint64_t size_ratio, FlushMode mode);
[[nodiscard]] std::vector<CostFigure> leveled_figures(std::uint64_t flushes,
                                                      std::uint64_t size_ratio);

// The same as cost models of families (models/policies/cost_model.h): of a run's flushes and of its
// policy's options `k`, `size_ratio` and `flush`.
[[nodiscard]] std::vector<CostFigure> bounded_depth_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> min_latency_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> binomial_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> constant_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> tiered_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> leveled_model(const ModelledRun& run);

}  // namespace lsmlab
