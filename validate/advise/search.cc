#include "validate/advise/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "validate/advise/candidates.h"
#include "validate/advise/pareto.h"
#include "validate/results/result_json.h"
#include "validate/runs/batch.h"

namespace lsmlab {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using Places = std::vector<std::size_t>;

// Part of the budget that the third round has for itself.
constexpr double kExactShare = 0.3;
// Runs whose results are in memory at a time, curves included.
constexpr std::size_t kChunk = 256;
constexpr std::size_t kSeedsMax = 16;     // of the front, whose neighbours are tried
constexpr std::size_t kNearestSeeds = 3;  // where no candidate satisfies all conditions
constexpr std::size_t kRefinementsMax = 64;
constexpr std::size_t kFinalistsBest = 3;
constexpr std::size_t kFinalistsFront = 9;
constexpr std::size_t kExactRoundsMax = 4;

// A result's curves, which no figure of a question is one of, take most of its memory.
Json without_curves(Json result) {
  for (const char* const curve : {"series", "merge_times", "delete_ages"}) result.erase(curve);
  if (result.contains("time") && result["time"].is_object()) result["time"].erase("series");
  return result;
}

// Figures are compared by their first four digits: a smaller difference is no reason to call a
// candidate better.
double compared(double figure) {
  return std::strtod(fmt::format("{:.3e}", figure).c_str(), nullptr);
}

// Error if no candidate has the figure, which would silently exclude all of them.
Result<void> check_figure(const std::vector<Candidate>& candidates, const std::string& option,
                          const std::string& name, const std::string& path) {
  for (const Candidate& candidate : candidates) {
    if (candidate.is_tried() && figure_number(candidate.coarse, path)) return success();
  }
  return input_error(
      fmt::format("{}: no run of this workload has the figure '{}' ({})", option, name, path));
}

Result<void> check_figures(const AdviceQuestion& question,
                           const std::vector<Candidate>& candidates) {
  for (const AdvisedFigure& figure : question.minimize) {
    BOOST_OUTCOME_TRYV(check_figure(candidates, "--minimize", figure.name, figure.path));
  }
  for (const AdvisedCondition& one : question.where) {
    BOOST_OUTCOME_TRYV(check_figure(candidates, "--where", one.name, one.condition.path));
  }
  return success();
}

class Search {
 public:
  Search(const AdviceQuestion& question, const AdviceOptions& options)
      : question_(question),
        options_(options),
        maker_(question),
        begin_(Clock::now()),
        end_(begin_ + seconds_of(options.budget_seconds)) {}

  Result<Advice> run() {
    BOOST_OUTCOME_TRYV(plan_advice(question_, maker_, advice_.plan));
    facts_ = BOOST_OUTCOME_TRYX(workload_facts(question_.run));
    decide_exact();
    BOOST_OUTCOME_TRYV(run_coarse());
    BOOST_OUTCOME_TRYV(check_figures(question_, candidates()));
    BOOST_OUTCOME_TRYV(refine());
    BOOST_OUTCOME_TRYV(simulate_finalists());
    choose();
    advice_.seconds = seconds();
    return std::move(advice_);
  }

 private:
  static Clock::duration seconds_of(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  [[nodiscard]] bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load();
  }
  [[nodiscard]] std::vector<Candidate>& candidates() { return advice_.plan.candidates; }
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return advice_.plan.candidates; }

  void decide_exact() {
    const bool needs = std::any_of(candidates().begin(), candidates().end(),
                                   [](const Candidate& one) { return !one.is_final; });
    if (facts_.is_flushes) {
      advice_.exact = ExactRound::kNoKeys;
    } else if (!needs) {
      advice_.exact = ExactRound::kNeedless;
    } else if (exact_threads() == 0) {
      advice_.exact = ExactRound::kNoMemory;
    } else {
      advice_.exact = ExactRound::kNoCandidate;
      coarse_end_ = begin_ + seconds_of(options_.budget_seconds * (1 - kExactShare));
      return;
    }
    coarse_end_ = end_;
  }

  // How many runs at resolution key fit a third of the memory at a time.
  [[nodiscard]] unsigned exact_threads() const {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned wanted = options_.threads == 0 ? cores : options_.threads;
    const std::uint64_t each = facts_.memory_for_keys.value_or(Bytes(0)).value();
    if (each == 0) return wanted;
    return static_cast<unsigned>(
        std::min<std::uint64_t>(wanted, machine_memory().value() / 3 / each));
  }

  // Simulates those candidates, in order, into `coarse` or `exact`. Returns how many were done.
  Result<std::size_t> simulate(const Places& places, bool is_exact, int round) {
    std::size_t done = 0;
    for (std::size_t first = 0; first < places.size(); first += kChunk) {
      const std::size_t end = std::min(places.size(), first + kChunk);
      std::vector<ResolvedRun> runs;
      for (std::size_t i = first; i < end; ++i) {
        const Spec& policy = candidates()[places[i]].spec;
        runs.push_back(
            BOOST_OUTCOME_TRYX(is_exact ? maker_.exact_run(policy) : maker_.coarse_run(policy)));
      }
      BatchOptions batch;
      batch.threads = is_exact ? exact_threads() : options_.threads;
      batch.stop = options_.stop;
      batch.begin_before = is_exact ? end_ : coarse_end_;
      batch.end_by = end_;
      batch.on_progress = [&](const BatchProgress& now) {
        if (!options_.on_progress) return;
        options_.on_progress({round, first + now.jobs_done, places.size(), seconds()});
      };
      const auto results = BOOST_OUTCOME_TRYX(run_simulations(runs, batch));
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].complete) continue;
        Candidate& candidate = candidates()[places[first + i]];
        (is_exact ? candidate.exact : candidate.coarse) =
            without_curves(result_to_json(results[i]));
        ++done;
      }
      if (is_stopped() || done < end) break;
    }
    if (done < places.size()) {
      (is_stopped() ? advice_.is_interrupted : advice_.is_budget_over) = true;
    }
    return done;
  }

  [[nodiscard]] Places untried() const {
    Places places;
    for (std::size_t i = 0; i < candidates().size(); ++i) {
      if (!candidates()[i].is_tried()) places.push_back(i);
    }
    return places;
  }

  Result<void> run_coarse() {
    const Places places = untried();
    advice_.coarse_total = places.size();
    advice_.coarse_tried = BOOST_OUTCOME_TRYX(simulate(places, false, 1));
    if (advice_.coarse_tried > 0) return success();
    return input_error(
        fmt::format("no candidate was simulated before the search {}",
                    is_stopped() ? "was stopped" : "had used its --budget; give it more seconds"));
  }

  // The figures of the front; nothing where the candidate misses a condition or has no such figure.
  [[nodiscard]] std::optional<std::vector<double>> figures_if_good(const Candidate& candidate,
                                                                   const Json& result) const {
    if (result.is_null() || !candidate.fits_memory) return std::nullopt;
    if (!missed_conditions(question_, result).empty()) return std::nullopt;
    std::vector<double> figures;
    for (const AdvisedFigure& figure : question_.front) {
      const auto value = figure_of(result, figure);
      // Where a run has no such figure (no live entry, no lookup), nothing of it is lost.
      if (!value && has_figure_to_minimize(figure)) return std::nullopt;
      figures.push_back(compared(value.value_or(0)));
    }
    return figures;
  }
  [[nodiscard]] bool has_figure_to_minimize(const AdvisedFigure& figure) const {
    return std::any_of(question_.minimize.begin(), question_.minimize.end(),
                       [&](const AdvisedFigure& one) { return one.path == figure.path; });
  }

  struct Ranking {
    Places places;                          // of good candidates, best first
    std::vector<std::vector<double>> rows;  // their figures
    Places front;                           // candidates
  };
  // Of those candidates, by their most exact figures or by those of the first rounds.
  [[nodiscard]] Ranking rank(const Places& of, bool by_exact) const {
    std::vector<std::pair<std::vector<double>, std::size_t>> good;
    for (const std::size_t place : of) {
      const Candidate& one = candidates()[place];
      auto figures = figures_if_good(one, by_exact ? one.result() : one.coarse);
      if (figures) good.emplace_back(std::move(*figures), place);
    }
    std::sort(good.begin(), good.end());
    Ranking ranking;
    for (auto& [figures, place] : good) {
      ranking.places.push_back(place);
      ranking.rows.push_back(std::move(figures));
    }
    for (const std::size_t row : pareto_front(ranking.rows)) {
      ranking.front.push_back(ranking.places[row]);
    }
    return ranking;
  }
  [[nodiscard]] Places all() const {
    Places places(candidates().size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    return places;
  }
  // Those that miss the conditions by least.
  [[nodiscard]] Places nearest(const Places& of, std::size_t count, bool by_exact) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t place : of) {
      const Candidate& one = candidates()[place];
      if (!one.is_tried() || !one.fits_memory) continue;
      order.emplace_back(shortfall_of(question_, by_exact ? one.result() : one.coarse), place);
    }
    std::sort(order.begin(), order.end());
    if (order.size() > count) order.resize(count);
    Places places;
    for (const auto& [shortfall, place] : order) places.push_back(place);
    return places;
  }

  [[nodiscard]] Places seeds() const {
    const Ranking ranking = rank(all(), false);
    if (ranking.places.empty()) return nearest(all(), kNearestSeeds, false);
    Places places{ranking.places.front()};
    for (const std::size_t i : spread_places(ranking.front.size(), kSeedsMax)) {
      if (ranking.front[i] != places.front()) places.push_back(ranking.front[i]);
    }
    return places;
  }

  Result<void> refine() {
    for (std::size_t i = 0; i < kRefinementsMax; ++i) {
      if (advice_.is_budget_over || advice_.is_interrupted) break;
      for (const std::size_t seed : seeds()) {
        // The list of candidates grows here, so no reference into it may be kept.
        const std::size_t space = candidates()[seed].space;
        for (const Point& point :
             neighbours(advice_.plan.spaces[space], candidates()[seed].point)) {
          BOOST_OUTCOME_TRYV(maker_.add(advice_.plan, space, point, AdviceRound::kRefined, false));
        }
      }
      const Places places = untried();
      if (places.empty()) break;
      advice_.refined_total += places.size();
      advice_.refined_tried += BOOST_OUTCOME_TRYX(simulate(places, false, 2));
    }
    return success();
  }

  // The best ones, the front, and today's, without those that were chosen before.
  [[nodiscard]] Places next_finalists() const {
    const Ranking ranking = rank(all(), false);
    Places wanted;
    for (const std::size_t place : ranking.places) {
      const bool is_old = std::find(advice_.finalists.begin(), advice_.finalists.end(), place) !=
                          advice_.finalists.end();
      if (!is_old && wanted.size() < kFinalistsBest) wanted.push_back(place);
    }
    if (!advice_.finalists.empty()) return wanted;
    if (ranking.places.empty()) wanted = nearest(all(), kFinalistsBest, false);
    if (question_.today) wanted.push_back(0);
    for (const std::size_t i : spread_places(ranking.front.size(), kFinalistsFront)) {
      wanted.push_back(ranking.front[i]);
    }
    Places once;
    for (const std::size_t place : wanted) {
      const bool is_known = std::find(once.begin(), once.end(), place) != once.end();
      if (!is_known && candidates()[place].is_tried()) once.push_back(place);
    }
    return once;
  }

  Result<void> simulate_finalists() {
    for (std::size_t i = 0; i < kExactRoundsMax; ++i) {
      const Places more = next_finalists();
      if (more.empty()) return success();
      advice_.finalists.insert(advice_.finalists.end(), more.begin(), more.end());
      if (advice_.exact != ExactRound::kNoCandidate && advice_.exact != ExactRound::kDone) {
        return success();
      }
      Places places;
      for (const std::size_t place : more) {
        if (!candidates()[place].is_final) places.push_back(place);
      }
      const bool is_late = is_stopped() || Clock::now() >= end_;
      const std::size_t done = is_late ? 0 : BOOST_OUTCOME_TRYX(simulate(places, true, 3));
      if (is_late && !places.empty() && !is_stopped()) advice_.is_budget_over = true;
      advice_.exact = done == places.size() ? ExactRound::kDone : ExactRound::kCutShort;
      if (advice_.exact == ExactRound::kCutShort) return success();
      if (!rank(advice_.finalists, true).places.empty()) return success();
    }
    return success();
  }

  void choose() {
    Places final;
    for (const std::size_t place : advice_.finalists) {
      const Candidate& one = candidates()[place];
      if (one.is_final || !one.exact.is_null()) final.push_back(place);
    }
    const bool is_whole = final.size() == advice_.finalists.size();
    const bool has_exact =
        advice_.exact == ExactRound::kDone || advice_.exact == ExactRound::kCutShort;
    Ranking chosen = rank(has_exact ? final : all(), true);
    if (has_exact && is_whole) {
      advice_.front = chosen.front;
    } else {
      const Ranking coarse = rank(all(), false);
      advice_.front = coarse.front;
      advice_.is_front_exact = !has_exact && advice_.exact != ExactRound::kNoMemory;
      if (chosen.places.empty()) chosen = coarse;
    }
    if (!chosen.places.empty()) {
      advice_.best = chosen.places.front();
      return;
    }
    const Places near = nearest(has_exact && is_whole ? final : all(), 1, true);
    if (!near.empty()) advice_.nearest = near.front();
  }

  const AdviceQuestion& question_;
  const AdviceOptions& options_;
  CandidateMaker maker_;
  WorkloadFacts facts_;
  Clock::time_point begin_;
  Clock::time_point end_;
  Clock::time_point coarse_end_;
  Advice advice_;
};

}  // namespace

Result<Advice> search_advice(const AdviceQuestion& question, const AdviceOptions& options) {
  return Search(question, options).run();
}

}  // namespace lsmlab
