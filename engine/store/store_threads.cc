// Threaded mode: one thread flushes full memtables, others execute all other plans. All ask the
// same policy, under the lock. A plan that may not run concurrently with the running ones waits for
// a change (models/execution/plan_schedule.h).
#include "engine/files/caught.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"

namespace lsmlab::engine {

Result<void> StoreImpl::start_threads() {
  const auto start = [this](std::function<void()> work) {
    return setup_.start_thread ? setup_.start_thread(std::move(work)) : std::thread(work);
  };
  return caught(directory_ + ": the store's threads", [&]() -> Result<void> {
    threads_.reserve(1 + setup_.merge_threads);  // so that storing a started thread cannot fail
    obsolete_->start(start);
    threads_.push_back(start([this] { work(&StoreImpl::flush_loop); }));
    for (unsigned i = 0; i < setup_.merge_threads; ++i) {
      threads_.push_back(start([this] { work(&StoreImpl::merge_loop); }));
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

std::optional<PlanJob> StoreImpl::start_plan(bool takes_pending) {
  tree_.advance_now(Instant(clock_.load(std::memory_order_relaxed)));
  bring_accesses();
  const std::optional<Plan> plan = schedule_.pick(policy_, tree_, takes_pending);
  if (!plan) return std::nullopt;
  return prepare(*plan);
}

void StoreImpl::flush_loop() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_closing_ || (!waiting_.empty() && !error_); });
    if (is_closing_) return;
    if (!tree_.pending_flush()) begin_flush(lock);
    std::optional<PlanJob> job = start_plan(true);
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
    if (!error_ && !should_stop() && !is_flush_blocked_ && may_merge()) job = start_plan(false);
    if (!job) {
      note_rest();
      changed_.wait(lock);
      continue;
    }
    ++merges_running_;
    static_cast<void>(run_and_commit(lock, *job));  // which keeps the error
    --merges_running_;
  }
}

bool StoreImpl::may_merge() const {
  return merges_running_ < merges_at_a_time(setup_.stalls, load(), policy_.merge_trigger_runs(),
                                            setup_.merge_threads);
}

void StoreImpl::note_rest() {
  if (!waiting_.empty() || schedule_.running() > 0 || is_at_rest_.load(std::memory_order_relaxed)) {
    return;
  }
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
  std::optional<PlanJob> job = start_plan(false);
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
