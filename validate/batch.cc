#include "validate/batch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace lsmlab {
namespace {

// One row of shared state a job; `outcome` is written by the worker that took the job and read
// after it ended.
struct JobState {
  RunControl control;
  std::optional<Result<RunResult>> outcome;
};

class Batch {
 public:
  Batch(std::span<const SimulationJob> jobs, const BatchOptions& options)
      : jobs_(jobs), options_(options), states_(jobs.size()) {
    for (JobState& state : states_) state.control.stop = options.stop;
    for (const SimulationJob& job : jobs) flushes_total_ += job.workload.count();
  }

  void run() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = options_.threads == 0 ? cores : options_.threads;
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(wanted, jobs_.size()); ++i) {
      workers.emplace_back([this] { work(); });
    }
    watch();
  }

  [[nodiscard]] Result<std::vector<RunResult>> results() {
    std::vector<RunResult> results;
    for (JobState& state : states_) {
      if (!*state.outcome) return std::move(*state.outcome).error();
      results.push_back(std::move(*state.outcome).value());
    }
    return results;
  }

 private:
  void work() {
    for (;;) {
      const std::size_t index = next_job_.fetch_add(1);
      if (index >= jobs_.size()) return;
      JobState& state = states_[index];
      state.outcome = simulate_flushes(jobs_[index].policy, jobs_[index].workload,
                                       options_.simulate, state.control);
      const std::lock_guard lock(mutex_);
      ++jobs_done_;
      job_ended_.notify_one();
    }
  }

  void watch() {
    constexpr std::chrono::milliseconds kInterval{100};
    std::unique_lock lock(mutex_);
    while (jobs_done_ < jobs_.size()) {
      job_ended_.wait_for(lock, kInterval);
      if (!options_.on_progress) continue;
      BatchProgress progress{jobs_done_, jobs_.size(), 0, flushes_total_};
      lock.unlock();
      for (const JobState& state : states_) {
        progress.flushes_done += state.control.flushes_done.load(std::memory_order_relaxed);
      }
      options_.on_progress(progress);
      lock.lock();
    }
  }

  std::span<const SimulationJob> jobs_;
  const BatchOptions& options_;
  std::vector<JobState> states_;
  std::uint64_t flushes_total_ = 0;
  std::atomic<std::size_t> next_job_{0};
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
