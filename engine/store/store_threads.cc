// Threaded mode: one thread flushes full memtables, others execute all other plans. All ask the
// same policy, under the lock. A plan that may not run concurrently with the running ones waits for
// a change (models/execution/plan_schedule.h). If the policy's system schedules merges, one more
// thread executes plans of level 0 only, and another one measures what clients transfer
// (models/execution/merge_scheduler.h).
#include <algorithm>
#include <chrono>

#include "engine/files/caught.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"

namespace lsmlab::engine {

Result<void> StoreImpl::start_threads() {
  const auto start = [this](std::function<void()> work) {
    return setup_.start_thread ? setup_.start_thread(std::move(work)) : std::thread(work);
  };
  return caught(directory_ + ": the store's threads", [&]() -> Result<void> {
    threads_.reserve(3 + setup_.merge_threads);  // so that storing a started thread cannot fail
    obsolete_->start(start);
    threads_.push_back(start([this] { work(&StoreImpl::flush_loop); }));
    for (unsigned i = 0; i < setup_.merge_threads; ++i) {
      threads_.push_back(start([this] { work(&StoreImpl::merge_loop); }));
    }
    if (scheduler_.is_given()) {
      threads_.push_back(start([this] { work(&StoreImpl::level0_loop); }));
      threads_.push_back(start([this] { work(&StoreImpl::look_loop); }));
    }
    return success();
  });
}

void StoreImpl::work(void (StoreImpl::*loop)()) noexcept {
  const Result<void> outcome = caught(directory_, [&]() -> Result<void> {
    (this->*loop)();
    return success();
  });
  if (!outcome) set_error(outcome.error());
}

void StoreImpl::stop_threads() {
  {
    const Lock lock(mutex_);
    is_closing_ = true;
    are_merges_stopped_.store(true, std::memory_order_relaxed);
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  obsolete_->stop();
}

std::optional<PlanJob> StoreImpl::start_plan(PlanWish wish) {
  tree_.advance_now(Instant(clock_.load(std::memory_order_relaxed)));
  bring_accesses();
  look_at_copies();
  const std::optional<Plan> plan = schedule_.pick(policy_, tree_, wish);
  if (!plan) return std::nullopt;
  return prepare(*plan);
}

void StoreImpl::flush_loop() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_closing_ || (!waiting_.empty() && !error_); });
    if (is_closing_) return;
    if (!tree_.pending_flush()) begin_flush(lock);
    std::optional<PlanJob> job = start_plan(PlanWish::kFlush);
    if (!job) {
      CHECK(schedule_.running() > 0 || error_ || is_closing_);
      is_flush_blocked_ = true;
      changed_.wait(lock);
      is_flush_blocked_ = false;
      continue;
    }
    changed_.notify_all();                          // merge threads that let the flush go first
    static_cast<void>(run_and_commit(lock, *job));  // which keeps the error
  }
}

void StoreImpl::merge_loop() {
  Lock lock(mutex_);
  while (!is_closing_) {
    std::optional<PlanJob> job;
    // Otherwise a memtable that waits for the running plans would wait until all merges are done.
    if (!error_ && !should_stop() && !is_flush_blocked_ && may_merge()) {
      job = start_plan(merge_wish());
    }
    if (!job) {
      note_rest();
      changed_.wait(lock);
      continue;
    }
    run_merge_job(lock, *job);
  }
}

void StoreImpl::run_merge_job(Lock& lock, PlanJob& job) {
  ++merges_running_;
  const bool is_level0 = job.urgency == PlanUrgency::kLevel0;
  if (is_level0) ++level0_plans_running_;
  note_level0_waits();
  static_cast<void>(run_and_commit(lock, job));  // which keeps the error
  --merges_running_;
  if (is_level0) --level0_plans_running_;
}

void StoreImpl::level0_loop() {
  Lock lock(mutex_);
  while (!is_closing_) {
    std::optional<PlanJob> job;
    if (!error_ && !should_stop() && !is_flush_blocked_) job = start_plan(PlanWish::kLevel0);
    if (job) {
      run_merge_job(lock, *job);
      continue;
    }
    note_level0_waits();
    changed_.wait(lock);
  }
}

void StoreImpl::note_level0_waits() {
  if (!scheduler_.is_given()) return;
  const std::optional<std::uint64_t> trigger = policy_.merge_trigger_runs();
  const bool is_full = trigger && stalling_runs_.load(std::memory_order_relaxed) >= *trigger;
  if (scheduler_.note_level0_waits(is_full && level0_plans_running_ == 0)) changed_.notify_all();
}

void StoreImpl::look_loop() {
  const std::chrono::nanoseconds interval(scheduler_.interval_ns());
  Lock lock(mutex_);
  for (auto next = made_at_ + interval; !is_closing_;
       next = std::max(next, std::chrono::steady_clock::now()) + interval) {
    changed_.wait_until(lock, next, [&] { return is_closing_; });
    const std::uint64_t bytes =
        user_bytes_.load(std::memory_order_relaxed) + read_bytes_.load(std::memory_order_relaxed);
    if (scheduler_.look(*clock_ns(), bytes)) changed_.notify_all();
  }
}

void StoreImpl::pace(PlanUrgency urgency, std::uint64_t bytes) {
  Lock lock(mutex_);
  if (urgency != PlanUrgency::kDeeper) {
    scheduler_.note_urgent_write(*clock_ns(), bytes);
    return;
  }
  const auto ends = [&] { return is_closing_ || error_ || should_stop(); };
  const std::uint64_t slot_ns = scheduler_.write_slot_ns(*clock_ns(), bytes);
  changed_.wait_until(lock, made_at_ + std::chrono::nanoseconds(slot_ns), ends);
  changed_.wait(lock, [&] { return ends() || !scheduler_.holds_deeper(); });
}

bool StoreImpl::may_merge() const {
  return merges_running_ < merges_at_a_time(setup_.stalls, load(), policy_.merge_trigger_runs(),
                                            setup_.merge_threads);
}

void StoreImpl::note_rest() {
  if (!waiting_.empty() || schedule_.running() > 0 || is_at_rest_.load(std::memory_order_relaxed)) {
    return;
  }
  if (!scheduler_.may_begin_deeper()) return;  // the policy may want plans that may not begin
  is_at_rest_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
}

bool StoreImpl::wait_or_help(Lock& lock) {
  if (!is_at_rest_.load(std::memory_order_relaxed)) {
    changed_.wait(lock);
    return true;
  }
  if (should_stop()) return false;
  // Time and reads can make a policy want a plan that it did not want when the merge threads last
  // asked. The caller runs that plan itself: woken merge threads might no longer find it, and
  // nothing would tell the caller.
  std::optional<PlanJob> job = start_plan(is_manual_wanted_ ? PlanWish::kManual : PlanWish::kOther);
  if (!job) return false;
  static_cast<void>(run_and_commit(lock, *job));  // which keeps the error
  return true;
}

Result<void> StoreImpl::settle_threaded(Lock& lock) {
  while (!error_) {
    if (!wait_or_help(lock)) return success();
  }
  return *error_;
}

}  // namespace lsmlab::engine
