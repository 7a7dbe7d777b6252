// The closed-form costs in the merge-policies paper (Mao et al., "Comparison and evaluation of
// state-of-the-art LSM merge policies", VLDB Journal 2021), for n flushes and a bound k on SSTables
// or a size ratio B.
//
// - Worst cases (Section 3): MinLatency and Binomial write no flush more often than *_writes_max,
//   for any sizes. So this also bounds write amplification. Equation 1 is the limit of the smallest
//   worst case. The floor is the least that any schedule writes for flushes of one size. Both are
//   in models/theory/floor.h.
// - Exact sums for flushes of one size, from the rules of Section 2: Constant, Tiered, and Leveled
//   with the overlap that Section 5 assumes. They describe the model and not a run, so that
//   simulations can be compared with them.
// - Orders of growth (Sections 4.3.1 and 4.3.2), where the paper has no more.
// - The time of merges as a function of the bytes that they write (Section 5, Fig. 9).
//
// The costs of Bigtable and Exploring depend on sizes. The paper gives no expression for them
// beyond "linear in n after about 4^k flushes". The bounds for every policy of depth k apply to
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.h"
#include "models/policies/flush_mode.h"
#include "models/theory/cost_figure.h"

namespace lsmlab {

/// The largest number of flushes that the functions below accept.
inline constexpr std::uint64_t kModelFlushesMax = std::uint64_t{1} << 62;

/// How often MinLatency writes any of its first `flushes` flushes at most, the paper's m: min{m :
/// C(m+k, k) > n}. Some flush is written that often. For eager flushes; separate flushes may be
/// written once more. REQUIRES: 1 <= flushes <= kModelFlushesMax, k >= 1.
[[nodiscard]] std::uint64_t min_latency_writes_max(std::uint64_t flushes, std::uint64_t k);

/// The same for Binomial, the m' of Section 2: min{m : T_k(m) >= n}. Flushes form m' blocks. The
/// roots of m'-j later blocks merge the j-th block, which was merged up to j times before.
[[nodiscard]] std::uint64_t binomial_writes_max(std::uint64_t flushes, std::uint64_t k);

/// 4^k: about how many flushes the small-n regime lasts (Section 3); at most 2^127.
[[nodiscard]] Uint128 small_regime_flushes(std::uint64_t k);

/// log2(n) / 2: approximates both the write amplification and the mean number of SSTables of
/// Binomial while n <= 4^k (Section 3). REQUIRES: flushes >= 1.
[[nodiscard]] double binomial_small_regime(std::uint64_t flushes);

/// What a policy writes and keeps, for flushes of one size.
struct UniformCost {
  std::uint64_t flushes = 0;
  Uint128 sizes_written = 0;    // written SSTables, flushes included, in multiples of one flush
  Uint128 sorted_runs_sum = 0;  // number of sorted runs after each flush, summed over flushes

  /// Bytes written / bytes flushed: the figure `write_flushed` of results.
  [[nodiscard]] double write_flushed() const;
  /// The figure `read_mean` of results.
  [[nodiscard]] double read_mean() const;
};

/// Constant: after the first k + 1 flushes, every k flushes it writes everything; a flush is
/// written about n / 2k times (the paper's O(n/k)). It keeps 1 to k SSTables in turn. REQUIRES: 1
/// <= flushes <= kModelFlushesMax, k >= 1.
[[nodiscard]] UniformCost constant_cost(std::uint64_t flushes, std::uint64_t k, FlushMode mode);

/// Tiered: tier i gets an SSTable of B^i flushes every B^i flushes. The number of its SSTables is
/// the i-th digit of n in base B. So a flush is written about log_B(n) times, and there are about
/// (B-1)/2 log_B(n) runs. REQUIRES: 1 <= flushes <= kModelFlushesMax, size_ratio >= 2.
[[nodiscard]] UniformCost tiered_cost(std::uint64_t flushes, std::uint64_t size_ratio,
                                      FlushMode mode);

/// Leveled, with Section 5's assumption that an SSTable that goes down overlaps B SSTables of the
/// next level, even while that level holds fewer. Each flush is written once when it arrives, and B
/// + 1 SSTables are written for each one that enters a level. Levels hold B, B^2, ... SSTables;
/// level 0 counts as one run. REQUIRES: 1 <= flushes <= kModelFlushesMax, size_ratio >= 2.
[[nodiscard]] UniformCost leveled_cost(std::uint64_t flushes, std::uint64_t size_ratio);

/// The time of merges, which Fig. 9 shows to be proportional to bytes written. The paper prints no
/// coefficients. They depend on the device; merge_time_fit (validate/judge/merge_times.h) measures
/// them.
struct MergeTimeModel {
  double seconds_per_byte = 0;
  double seconds_per_merge = 0;
};

/// The time in seconds of `merges` merges, one after another, that together write `bytes_written`.
[[nodiscard]] double merge_seconds(const MergeTimeModel& model, Uint128 bytes_written,
                                   std::uint64_t merges);

/// Figures of every policy that keeps at most k SSTables, including Bigtable and Exploring: the
/// floor, the limit of the smallest worst case, the end of the small-n regime, the largest number
/// of SSTables, and the largest transient space. Takes about k n^(1/k) steps. Requirements here and
/// below are those of the functions above.
[[nodiscard]] std::vector<CostFigure> bounded_depth_figures(std::uint64_t flushes, std::uint64_t k);
/// The figures above and the policy's own.
[[nodiscard]] std::vector<CostFigure> min_latency_figures(std::uint64_t flushes, std::uint64_t k);
[[nodiscard]] std::vector<CostFigure> binomial_figures(std::uint64_t flushes, std::uint64_t k);
[[nodiscard]] std::vector<CostFigure> constant_figures(std::uint64_t flushes, std::uint64_t k,
                                                       FlushMode mode);
/// Exact sums and orders of growth.
[[nodiscard]] std::vector<CostFigure> tiered_figures(std::uint64_t flushes,
                                                     std::uint64_t size_ratio, FlushMode mode);
[[nodiscard]] std::vector<CostFigure> leveled_figures(std::uint64_t flushes,
                                                      std::uint64_t size_ratio);

// The same figures as cost models of families (models/policies/cost_model.h). They use the run's
// number of flushes and the policy's options `k`, `size_ratio` and `flush`.
[[nodiscard]] std::vector<CostFigure> bounded_depth_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> min_latency_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> binomial_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> constant_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> tiered_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> leveled_model(const ModelledRun& run);

}  // namespace lsmlab
