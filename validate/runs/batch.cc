#include "validate/runs/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "sim/keys/simulate_keys.h"
#include "validate/catalog/catalog.h"

namespace lsmlab {
namespace {

// One row of shared state a job; `outcome` is written by the worker that took the job and read
// after it ended.
struct JobState {
  RunControl control;
  std::optional<Result<RunResult>> outcome;
};

std::uint64_t units_of(const SimulationJob& job) {
  if (const auto* flushes = std::get_if<FlushWorkload>(&job.workload)) return flushes->count();
  return std::get<KeyWorkload>(job.workload).operations;
}

class Batch {
 public:
  Batch(std::span<const SimulationJob> jobs, const BatchOptions& options)
      : jobs_(jobs), options_(options), states_(jobs.size()) {
    for (JobState& state : states_) state.control.stop = &stop_;
    bool is_known = true;
    for (const SimulationJob& job : jobs) {
      const std::uint64_t units = units_of(job);
      is_known = is_known && units > 0;
      units_total_ += units;
      has_keys_ = has_keys_ || std::holds_alternative<KeyWorkload>(job.workload);
    }
    if (!is_known) units_total_ = 0;
  }

  void run() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = options_.threads == 0 ? cores : options_.threads;
    if (options_.stop != nullptr && options_.stop->load()) stop_.store(true);
    std::vector<std::jthread> workers;
    const std::size_t count = std::min(wanted, jobs_.size());
    workers.reserve(count);
    try {
      while (workers.size() < count) workers.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // Those that the system gave do it all; where it gave none, this thread does, without a word
      // on how far it is.
      if (workers.empty()) work_alone();
    }
    watch();
  }

  [[nodiscard]] Result<std::vector<RunResult>> results() {
    std::vector<RunResult> results;
    for (JobState& state : states_) {
      if (!*state.outcome) return std::move(*state.outcome).error();
    }
    for (JobState& state : states_) results.push_back(std::move(*state.outcome).value());
    return results;
  }

 private:
  void work_alone() {
    if (options_.stop != nullptr) {
      for (JobState& state : states_) state.control.stop = options_.stop;
    }
    work();
  }

  void work() {
    for (;;) {
      const std::size_t index = next_job_.fetch_add(1);
      if (index >= jobs_.size()) return;
      JobState& state = states_[index];
      state.outcome = run_job(jobs_[index], state.control);
      if (!*state.outcome) stop_.store(true);
      const std::lock_guard lock(mutex_);
      ++jobs_done_;
      job_ended_.notify_one();
    }
  }

  [[nodiscard]] Result<RunResult> run_job(const SimulationJob& job, RunControl& control) const {
    // The only place where a run's memory can grow without bound (a policy that keeps every
    // SSTable).
    try {
      auto policy = BOOST_OUTCOME_TRYX(policy_of_spec(job.policy));
      if (const auto* flushes = std::get_if<FlushWorkload>(&job.workload)) {
        return simulate_flushes(policy, *flushes, options_.simulate, control);
      }
      return run_keys(policy, std::get<KeyWorkload>(job.workload), control);
    } catch (const std::bad_alloc&) {
      return machine_error(fmt::format("policy '{}': out of memory after {} flushes or operations",
                                       job.policy.name, control.units_done.load()));
    }
  }

  [[nodiscard]] Result<RunResult> run_keys(const ConfiguredPolicy& policy,
                                           const KeyWorkload& workload, RunControl& control) const {
    KeyRunOptions options;
    options.seed = options_.simulate.seed;
    options.workload = workload.name;
    options.workload_options = workload.options;
    options.final_flush = options_.final_flush;
    options.log = options_.simulate.log;
    const auto source = BOOST_OUTCOME_TRYX(workload.open(options.seed));
    if (options_.timed) return simulate_timed(policy, *source, options, *options_.timed, control);
    return simulate_keys(policy, *source, options, control);
  }

  void watch() {
    constexpr std::chrono::milliseconds kInterval{100};
    std::unique_lock lock(mutex_);
    while (jobs_done_ < jobs_.size()) {
      job_ended_.wait_for(lock, kInterval);
      if (options_.stop != nullptr && options_.stop->load()) stop_.store(true);
      if (!options_.on_progress) continue;
      BatchProgress progress{
          jobs_done_, jobs_.size(), 0, units_total_, has_keys_ ? "operations" : "flushes", {}};
      lock.unlock();
      for (const JobState& state : states_) {
        progress.units_done += state.control.units_done.load(std::memory_order_relaxed);
      }
      options_.on_progress(progress);
      lock.lock();
    }
  }

  std::span<const SimulationJob> jobs_;
  const BatchOptions& options_;
  std::vector<JobState> states_;
  std::uint64_t units_total_ = 0;  // 0 where some job does not tell
  bool has_keys_ = false;
  std::atomic<std::size_t> next_job_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable job_ended_;
  std::size_t jobs_done_ = 0;  // guarded by mutex_
};

}  // namespace

Result<std::vector<RunResult>> run_simulations(std::span<const SimulationJob> jobs,
                                               const BatchOptions& options) {
  Batch batch(jobs, options);
  batch.run();
  return batch.results();
}

}  // namespace lsmlab
