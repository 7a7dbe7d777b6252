#include "validate/runs/validation_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "models/base/check.h"
#include "models/base/shortened.h"
#include "validate/results/compare_logs.h"

namespace lsmlab {
namespace {

struct NamedRun {
  ResolvedRun run;
  std::string name;
};

// Executes runs one after another, on one thread.
class RunQueue {
 public:
  void push(NamedRun run) { runs_.push_back(std::move(run)); }
  [[nodiscard]] const std::vector<NamedRun>& runs() const { return runs_; }

  void work(const ResultDirectory& results, const std::string& scratch, std::atomic<bool>& stop) {
    for (const NamedRun& run : runs_) {
      if (stop.load()) return;
      {
        const std::lock_guard lock(mutex_);
        present_ = &run;
        control_.units_done.store(0);
      }
      control_.stop = &stop;
      const Result<bool> done = execute(results, run, scratch);
      const std::lock_guard lock(mutex_);
      present_ = nullptr;
      if (!done) {
        error_ = done.error();
        stop.store(true);
        return;
      }
      if (!done.value()) return;
      ++runs_done_;
      operations_done_ += run.run.units();
    }
  }

  [[nodiscard]] std::size_t runs_done() const {
    const std::lock_guard lock(mutex_);
    return runs_done_;
  }
  void tell(ValidationProgress& progress) const {
    const std::lock_guard lock(mutex_);
    for (const NamedRun& run : runs_) progress.operations_total += run.run.units();
    progress.operations_done = operations_done_;
    if (present_ == nullptr) return;
    progress.operations_done += std::min(control_.units_done.load(), present_->run.units());
    const RunSource source = present_->run.setup.options.source;
    if (source == RunSource::kSimulator) return;
    progress.measuring =
        fmt::format("{} {}", run_source_name(source), present_->run.spec.policy.name);
  }
  [[nodiscard]] std::optional<Error> error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  // Exceptions for lack of memory or threads must not leave the thread.
  [[nodiscard]] Result<bool> execute(const ResultDirectory& results, const NamedRun& run,
                                     const std::string& scratch) {
    const std::string& policy = run.run.spec.policy.name;
    try {
      return results.execute(run.run, run.name, scratch, control_);
    } catch (const std::bad_alloc&) {
      return machine_error(fmt::format("policy '{}': out of memory", excerpt(policy)));
    } catch (const std::system_error& fault) {
      return machine_error(fmt::format("policy '{}': {}", excerpt(policy), fault.what()));
    }
  }

  std::vector<NamedRun> runs_;
  mutable std::mutex mutex_;
  RunControl control_;
  const NamedRun* present_ = nullptr;
  std::size_t runs_done_ = 0;
  std::uint64_t operations_done_ = 0;
  std::optional<Error> error_;
};

class Runs {
 public:
  Runs(const ResultDirectory& results, const ValidationOptions& options)
      : results_(results), options_(options) {}

  enum class Kind { kAll, kMeasured };
  [[nodiscard]] CellRuns add(const ExperimentCell& cell, Kind kind = Kind::kAll) {
    CellRuns names;
    if (!cell.pairs.empty()) {
      // Two queues, so that two cores work.
      for (const ResolutionPair& pair : cell.pairs) {
        names.pairs.push_back({add_simulation(pair.by_range), add(measurements_, pair.by_key, 1)});
      }
      return names;
    }
    if (kind == Kind::kAll) {
      // If the device is the store's own disk, it has been measured.
      CHECK(cell.simulated && cell.simulated->device.has_value() == cell.device.has_value());
      names.simulated = add_simulation(*cell.simulated);
    }
    if (!cell.measured) return names;
    is_timed_ = is_timed_ || cell.device.has_value();
    for (std::uint64_t number = 1; number <= cell.runs && !is_stopped(); ++number) {
      names.measured.push_back(add(measurements_, *cell.measured, number));
    }
    return names;
  }

  /// Adds a simulation; returns the name of its result.
  [[nodiscard]] std::string add_simulation(const ResolvedRun& run) {
    return add(simulations_, run, 1);
  }

  /// Executes the missing runs; false if it was stopped.
  [[nodiscard]] Result<bool> work() {
    if (is_stopped()) return false;
    std::atomic<bool> stop{false};
    if (const Result<void> worked = work_threads(stop); !worked) return worked.error();
    if (options_.on_progress) options_.on_progress(progress());
    for (const RunQueue* queue : {&simulations_, &measurements_}) {
      if (queue->error()) return *queue->error();
    }
    return !stop.load();
  }

  [[nodiscard]] bool is_stopped() const {
    return options_.stop != nullptr && options_.stop->load();
  }

 private:
  [[nodiscard]] std::string add(RunQueue& queue, const ResolvedRun& run, std::uint64_t number) {
    const std::string name = results_.name_of(run, number);
    if (!known_.insert(name).second) return name;  // another cell has the same run
    if (results_.has(name)) {
      ++there_already_;
      return name;
    }
    queue.push({run, name});
    return name;
  }

  // Executes simulations on one thread and stores on another. Errors: the system has no threads.
  [[nodiscard]] Result<void> work_threads(std::atomic<bool>& stop) {
    std::atomic<int> running{2};
    std::latch simulated(is_timed_ ? 1 : 0);  // a store that is timed must have the machine alone
    const auto worker = [&](RunQueue& queue) {
      queue.work(results_, options_.scratch, stop);
      running.fetch_sub(1);
    };
    try {
      const std::jthread simulating([&] {
        worker(simulations_);
        if (is_timed_) simulated.count_down();
      });
      const StopUnlessDone stops{stop};  // on an exception, before `simulating` is joined
      const std::jthread measuring([&] {
        simulated.wait();
        worker(measurements_);
      });
      while (running.load() > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (is_stopped()) stop.store(true);
        if (options_.on_progress) options_.on_progress(progress());
      }
      stops.is_done = true;
    } catch (const std::system_error& fault) {
      return machine_error(fmt::format("cannot start a thread for the runs: {}", fault.what()));
    }
    return success();
  }

  struct StopUnlessDone {
    std::atomic<bool>& stop;
    mutable bool is_done = false;
    ~StopUnlessDone() {
      if (!is_done) stop.store(true);
    }
  };

  [[nodiscard]] ValidationProgress progress() const {
    ValidationProgress progress;
    progress.runs_done = there_already_ + simulations_.runs_done() + measurements_.runs_done();
    progress.runs_total = known_.size();
    (measurements_.runs().empty() ? simulations_ : measurements_).tell(progress);
    return progress;
  }

  const ResultDirectory& results_;
  const ValidationOptions& options_;
  RunQueue simulations_;
  RunQueue measurements_;
  std::set<std::string> known_;
  std::size_t there_already_ = 0;
  bool is_timed_ = false;
};

}  // namespace

namespace {

// Executes the simulations with forced plans, which are known once the plan logs are compared.
Result<bool> do_forced_plans_runs(const Experiment& experiment, const ResultDirectory& results,
                                  const ValidationOptions& options, std::vector<CellRuns>& cells) {
  Runs runs(results, options);
  std::size_t next = 0;
  for (const ExperimentGroup& group : experiment.groups) {
    for (const ExperimentCell& cell : group.cells) {
      CellRuns& names = cells[next++];
      const RunOptions& of_cell = cell.spec.options;
      const bool can_force_plans = of_cell.source != RunSource::kEngine || of_cell.is_stepped;
      if (names.measured.empty() || cell.device || !can_force_plans) continue;
      if (runs.is_stopped()) return false;
      const std::string measured_log = results.log_path(names.measured.front());
      const LogComparison logs =
          BOOST_OUTCOME_TRYX(compare_logs(results.log_path(names.simulated), measured_log));
      if (logs.difference == LogDifference::kNone) continue;
      const ResolvedRun run = BOOST_OUTCOME_TRYX(with_forced_plans(*cell.simulated, measured_log));
      names.forced_plans = runs.add_simulation(run);
    }
  }
  return runs.work();
}

}  // namespace

Result<std::optional<std::vector<CellRuns>>> do_runs(const Experiment& experiment,
                                                     const ResultDirectory& results,
                                                     const ValidationOptions& options) {
  Runs runs(results, options);
  std::vector<CellRuns> cells;
  for (const ExperimentGroup& group : experiment.groups) {
    for (const ExperimentCell& cell : group.cells) {
      if (runs.is_stopped()) return std::optional<std::vector<CellRuns>>();
      cells.push_back(runs.add(cell));
    }
  }
  bool is_whole = BOOST_OUTCOME_TRYX(runs.work());
  if (is_whole) {
    is_whole = BOOST_OUTCOME_TRYX(do_forced_plans_runs(experiment, results, options, cells));
  }
  if (!is_whole) return std::optional<std::vector<CellRuns>>();
  return std::optional(std::move(cells));
}

namespace {

std::vector<std::string> add_measurements(const Experiment& experiment, Runs& runs) {
  std::vector<std::string> names;
  for (const ExperimentGroup& group : experiment.groups) {
    for (const ExperimentCell& cell : group.cells) {
      const CellRuns added = runs.add(cell, Runs::Kind::kMeasured);
      names.insert(names.end(), added.measured.begin(), added.measured.end());
    }
  }
  return names;
}

}  // namespace

Result<bool> do_measurements(const Experiment& experiment, const ResultDirectory& results,
                             const ValidationOptions& options) {
  Runs runs(results, options);
  static_cast<void>(add_measurements(experiment, runs));  // find_measurements() returns the names
  return runs.work();
}

Measurements find_measurements(const Experiment& experiment, const ResultDirectory& results,
                               const ValidationOptions& options) {
  Runs runs(results, options);
  Measurements found;
  found.names = add_measurements(experiment, runs);
  found.are_there = std::all_of(found.names.begin(), found.names.end(),
                                [&](const std::string& name) { return results.has(name); });
  return found;
}

}  // namespace lsmlab
