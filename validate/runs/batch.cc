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

#include "validate/runs/execute_run.h"

namespace lsmlab {
namespace {

// Shared state of one job. The worker that took the job writes `outcome`; others read it after the
// worker ended.
struct JobState {
  RunControl control;
  std::optional<Result<RunResult>> outcome;
};

bool is_past(const std::optional<std::chrono::steady_clock::time_point>& time) {
  return time && std::chrono::steady_clock::now() >= *time;
}

class Batch {
 public:
  Batch(std::span<const ResolvedRun> runs, const BatchOptions& options)
      : runs_(runs), options_(options), states_(runs.size()) {
    for (JobState& state : states_) state.control.stop = &stop_;
    bool is_known = true;
    for (const ResolvedRun& run : runs) {
      const std::uint64_t units = run.units();
      is_known = is_known && units > 0;
      units_total_ += units;
      has_keys_ = has_keys_ || !run.is_flush_run();
    }
    if (!is_known) units_total_ = 0;
  }

  void run() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = options_.threads == 0 ? cores : options_.threads;
    if (options_.stop != nullptr && options_.stop->load()) stop_.store(true);
    std::vector<std::jthread> workers;
    const std::size_t count = std::min(wanted, runs_.size());
    workers.reserve(count);
    try {
      while (workers.size() < count) workers.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The threads that could be started do all jobs. If none could be started, this thread does
      // them, without reporting progress.
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
  static constexpr std::atomic<bool> kStopped{true};  // of a run that must not begin

  void work_alone() {
    if (options_.stop != nullptr) {
      for (JobState& state : states_) state.control.stop = options_.stop;
    }
    work();
  }

  void work() {
    for (;;) {
      const std::size_t index = next_job_.fetch_add(1);
      if (index >= runs_.size()) return;
      JobState& state = states_[index];
      if (is_past(options_.begin_before)) state.control.stop = &kStopped;
      state.outcome = run_job(runs_[index], state.control);
      if (!*state.outcome) stop_.store(true);
      const std::lock_guard lock(mutex_);
      ++jobs_done_;
      job_ended_.notify_one();
    }
  }

  [[nodiscard]] static Result<RunResult> run_job(const ResolvedRun& run, RunControl& control) {
    // Only here can a run's memory grow without bound (a policy that keeps every SSTable).
    try {
      return execute_run(run, {}, control);
    } catch (const std::bad_alloc&) {
      return machine_error(fmt::format("policy '{}': out of memory after {} flushes or operations",
                                       run.spec.policy.name, control.units_done.load()));
    }
  }

  void watch() {
    constexpr std::chrono::milliseconds kInterval{100};
    std::unique_lock lock(mutex_);
    while (jobs_done_ < runs_.size()) {
      job_ended_.wait_for(lock, kInterval);
      if (options_.stop != nullptr && options_.stop->load()) stop_.store(true);
      if (is_past(options_.end_by)) stop_.store(true);
      if (!options_.on_progress) continue;
      BatchProgress progress{
          jobs_done_, runs_.size(), 0, units_total_, has_keys_ ? "operations" : "flushes", {}};
      lock.unlock();
      for (const JobState& state : states_) {
        progress.units_done += state.control.units_done.load(std::memory_order_relaxed);
      }
      options_.on_progress(progress);
      lock.lock();
    }
  }

  std::span<const ResolvedRun> runs_;
  const BatchOptions& options_;
  std::vector<JobState> states_;
  std::uint64_t units_total_ = 0;  // 0 if a job does not know it
  bool has_keys_ = false;
  std::atomic<std::size_t> next_job_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable job_ended_;
  std::size_t jobs_done_ = 0;  // guarded by mutex_
};

}  // namespace

Result<std::vector<RunResult>> run_simulations(std::span<const ResolvedRun> runs,
                                               const BatchOptions& options) {
  Batch batch(runs, options);
  batch.run();
  return batch.results();
}

}  // namespace lsmlab
