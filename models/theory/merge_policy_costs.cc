#include "models/theory/merge_policy_costs.h"

#include "models/base/binomial_numbers.h"
#include "models/base/check.h"
#include "models/theory/floor.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kPowerOfTwoMax = 127;  // binomial_coefficient saturates there, too

void check_range(std::uint64_t flushes) { CHECK(flushes >= 1 && flushes <= kModelFlushesMax); }

double over(Uint128 sum, std::uint64_t count) {
  return static_cast<double>(sum) / static_cast<double>(count);
}

// The sum over t = 1..n of the digit of t at position `place`, in base `base`.
Uint128 digit_sum(std::uint64_t n, Uint128 place, std::uint64_t base) {
  // The number 0 adds nothing, so count n + 1 numbers. The digit repeats after base * place
  // numbers.
  const Uint128 numbers = Uint128{n} + 1;
  const Uint128 rounds = numbers / (place * base);
  const Uint128 rest = numbers % (place * base);
  const Uint128 digit = rest / place;
  return rounds * place * (Uint128{base} * (base - 1) / 2) + place * (digit * (digit - 1) / 2) +
         digit * (rest % place);
}

std::string of_paper(const char* expression, const char* place) {
  return std::string(expression) + ": merge-policies paper, " + place;
}

void append_uniform(std::vector<CostFigure>& figures, const UniformCost& cost,
                    const std::string& written, const std::string& kept) {
  figures.push_back({CostKind::kWriteFlushed, cost.write_flushed(), written});
  figures.push_back({CostKind::kReadMean, cost.read_mean(), kept});
}

}  // namespace

std::uint64_t min_latency_writes_max(std::uint64_t flushes, std::uint64_t k) {
  check_range(flushes);
  CHECK(k >= 1);
  return largest_top(k, flushes) + 1 - k;
}

std::uint64_t binomial_writes_max(std::uint64_t flushes, std::uint64_t k) {
  check_range(flushes);
  CHECK(k >= 1);
  Uint128 total = 0;
  for (std::uint64_t m = 1; m <= k; ++m) {
    total += binomial_coefficient(2 * m - 1, m);
    if (total >= flushes) return m;
  }
  // From k on, T_k(m) = T_k(k) - C(2k, k) + C(m+k, k). T_k(k) is at least half of C(2k, k), so the
  // target stays below 2 n.
  const Uint128 target = flushes - total + binomial_coefficient(2 * k, k);
  return largest_top(k, static_cast<std::uint64_t>(target - 1)) + 1 - k;
}

Uint128 small_regime_flushes(std::uint64_t k) {
  return Uint128{1} << (k > kPowerOfTwoMax / 2 ? kPowerOfTwoMax : 2 * k);
}

double binomial_small_regime(std::uint64_t flushes) {
  return log_to_base(static_cast<double>(flushes), 2) / 2;
}

double UniformCost::write_flushed() const { return over(sizes_written, flushes); }
double UniformCost::read_mean() const { return over(sorted_runs_sum, flushes); }

UniformCost constant_cost(std::uint64_t flushes, std::uint64_t k, FlushMode mode) {
  check_range(flushes);
  CHECK(k >= 1);
  // Merges happen at flushes k + 1, 2k + 1, ...: the j-th one writes jk more than its flush alone.
  const Uint128 merges = (flushes - 1) / k;
  const Uint128 rest = flushes % k;
  UniformCost cost{flushes};
  cost.sizes_written = flushes + k * (merges * (merges + 1) / 2);
  if (mode == FlushMode::kSeparate) cost.sizes_written += merges;
  cost.sorted_runs_sum = flushes / k * (Uint128{k} * (k + 1) / 2) + rest * (rest + 1) / 2;
  return cost;
}

UniformCost tiered_cost(std::uint64_t flushes, std::uint64_t size_ratio, FlushMode mode) {
  check_range(flushes);
  CHECK(size_ratio >= 2);
  UniformCost cost{flushes};
  cost.sizes_written = flushes;
  if (mode == FlushMode::kEager) cost.sizes_written -= flushes / size_ratio;
  for (Uint128 place = 1; place <= flushes; place *= size_ratio) {
    if (place > 1) cost.sizes_written += flushes / place * place;
    cost.sorted_runs_sum += digit_sum(flushes, place, size_ratio);
  }
  return cost;
}

UniformCost leveled_cost(std::uint64_t flushes, std::uint64_t size_ratio) {
  check_range(flushes);
  CHECK(size_ratio >= 2);
  // The levels above keep `held_above` SSTables; each later one enters this level. So the level is
  // a sorted run after `flushes - held_above` flushes.
  Uint128 entries = 0;
  Uint128 held_above = 0;
  for (Uint128 capacity = size_ratio; held_above < flushes; capacity *= size_ratio) {
    entries += flushes - held_above;
    held_above += capacity;
  }
  return {flushes, flushes + entries * (Uint128{size_ratio} + 1), flushes + entries};
}

double merge_seconds(const MergeTimeModel& model, Uint128 bytes_written, std::uint64_t merges) {
  return model.seconds_per_byte * static_cast<double>(bytes_written) +
         model.seconds_per_merge * static_cast<double>(merges);
}

std::vector<CostFigure> bounded_depth_figures(std::uint64_t flushes, std::uint64_t k) {
  check_range(flushes);
  CHECK(k >= 1);
  return {{CostKind::kWriteFlushedFloor, over(uniform_floor(flushes, k), flushes),
           of_paper("the least that any schedule writes, for flushes of one size", "Section 3")},
          {CostKind::kWorstCaseBound, worst_case_bound(flushes, k),
           of_paper("k n^(1/k) / c_k", "equation 1 without 1 + O(1/k)")},
          {CostKind::kReadMax, static_cast<double>(k), of_paper("k", "Section 1")},
          {CostKind::kSmallRegimeFlushes, static_cast<double>(small_regime_flushes(k)),
           of_paper("about 4^k", "Section 3")},
          {CostKind::kSpaceTransientMax, 2,
           of_paper("inputs and output of a merge of everything", "Section 4.3.3")}};
}

std::vector<CostFigure> min_latency_figures(std::uint64_t flushes, std::uint64_t k) {
  std::vector<CostFigure> figures = bounded_depth_figures(flushes, k);
  figures.push_back({CostKind::kWriteFlushedMax,
                     static_cast<double>(min_latency_writes_max(flushes, k)),
                     of_paper("m = min{m : C(m+k, k) > n}, for any sizes", "Section 3")});
  return figures;
}

std::vector<CostFigure> binomial_figures(std::uint64_t flushes, std::uint64_t k) {
  std::vector<CostFigure> figures = bounded_depth_figures(flushes, k);
  figures.push_back({CostKind::kWriteFlushedMax,
                     static_cast<double>(binomial_writes_max(flushes, k)),
                     of_paper("m' = min{m : T_k(m) >= n}, for any sizes", "Sections 2 and 3")});
  if (flushes > small_regime_flushes(k)) return figures;
  const double about = binomial_small_regime(flushes);
  const std::string source = of_paper("about log2(n) / 2 while n <= 4^k", "Section 3");
  figures.push_back({CostKind::kWriteFlushedAbout, about, source});
  figures.push_back({CostKind::kReadMeanAbout, about, source});
  return figures;
}

std::vector<CostFigure> constant_figures(std::uint64_t flushes, std::uint64_t k, FlushMode mode) {
  std::vector<CostFigure> figures = bounded_depth_figures(flushes, k);
  append_uniform(
      figures, constant_cost(flushes, k, mode),
      of_paper("(n + k J (J+1) / 2) / n with J = (n-1) / k merges", "the rule of Section 2"),
      of_paper("1 to k SSTables in turn", "the rule of Section 2"));
  return figures;
}

std::vector<CostFigure> tiered_figures(std::uint64_t flushes, std::uint64_t size_ratio,
                                       FlushMode mode) {
  std::vector<CostFigure> figures;
  append_uniform(figures, tiered_cost(flushes, size_ratio, mode),
                 of_paper("each flush, and an SSTable of B^i flushes every B^i flushes",
                          "the rule of Section 2"),
                 of_paper("mean sum of digits of 1..n in base B", "the rule of Section 2"));
  const double levels = log_to_base(static_cast<double>(flushes), static_cast<double>(size_ratio));
  figures.push_back({CostKind::kWriteFlushedOrder, levels,
                     of_paper("log_B(n), order of growth", "Section 4.3.1")});
  figures.push_back({CostKind::kReadMeanOrder, static_cast<double>(size_ratio) * levels,
                     of_paper("B log_B(n), order of growth", "Section 4.3.2")});
  return figures;
}

std::vector<CostFigure> leveled_figures(std::uint64_t flushes, std::uint64_t size_ratio) {
  std::vector<CostFigure> figures;
  append_uniform(figures, leveled_cost(flushes, size_ratio),
                 of_paper("1 + (B+1) * mean levels", "the assumption of Section 5 (Fig. 12)"),
                 of_paper("1 + mean levels of B, B^2, ... SSTables", "Section 5 (Fig. 12)"));
  const double levels = log_to_base(static_cast<double>(flushes), static_cast<double>(size_ratio));
  figures.push_back({CostKind::kWriteFlushedOrder, static_cast<double>(size_ratio) * levels,
                     of_paper("B log_B(n), order of growth", "Section 4.3.1")});
  figures.push_back(
      {CostKind::kReadMeanOrder, levels, of_paper("log_B(n), order of growth", "Section 4.3.2")});
  return figures;
}

namespace {

bool applies(const ModelledRun& run) { return run.flushes > 0 && run.flushes <= kModelFlushesMax; }

}  // namespace

std::vector<CostFigure> bounded_depth_model(const ModelledRun& run) {
  const auto k = run.count("k");
  if (!applies(run) || !k) return {};
  return bounded_depth_figures(run.flushes, *k);
}

std::vector<CostFigure> min_latency_model(const ModelledRun& run) {
  const auto k = run.count("k");
  if (!applies(run) || !k) return {};
  return min_latency_figures(run.flushes, *k);
}

std::vector<CostFigure> binomial_model(const ModelledRun& run) {
  const auto k = run.count("k");
  if (!applies(run) || !k) return {};
  return binomial_figures(run.flushes, *k);
}

std::vector<CostFigure> constant_model(const ModelledRun& run) {
  const auto k = run.count("k");
  if (!applies(run) || !k) return {};
  return constant_figures(run.flushes, *k, run.flush_mode());
}

std::vector<CostFigure> tiered_model(const ModelledRun& run) {
  const auto size_ratio = run.count("size_ratio");
  if (!applies(run) || !size_ratio) return {};
  return tiered_figures(run.flushes, *size_ratio, run.flush_mode());
}

std::vector<CostFigure> leveled_model(const ModelledRun& run) {
  const auto size_ratio = run.count("size_ratio");
  if (!applies(run) || !size_ratio) return {};
  return leveled_figures(run.flushes, *size_ratio);
}

}  // namespace lsmlab
