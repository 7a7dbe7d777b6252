// Threaded mode: one thread writes full memtables, others do what else the policy wants. All ask
// the same policy, under the lock; a plan that cannot run beside those that do waits for a change.
//
// What must hold for plans side by side, and why it does:
//
//   - No plan takes, moves or links what another one reads: inputs are busy until their edit, and
//     policies pass over busy files (models/busy_test.cc).
//   - Files of one run share no keys. A merge may write anywhere between the keys of its inputs,
//     gaps included, so no two plans that run have one target level (may_start). A run whose last
//     idle files went deeper meanwhile is made anew by the merge that writes to it (make_edit);
//     nobody else can have made one there.
//   - Of a key, newer versions stand above older ones. A plan takes all files of its target level
//     that overlap it, so its outputs pass nothing older on their way down. What arrives
//     meanwhile in a level that it takes files from is newer than these: it came from a memtable
//     or from a level above. Runs of one level stand by age, whichever of them was made first.
//   - Tombstones that a merge drops hide nothing. Whatever is older than its inputs stood in the
//     tree when it began: all that comes later comes from memtables. Other plans carry older data
//     deeper, within key ranges that TombstoneRule saw, or drop it; so its answers stay right,
//     whichever plan ends first.
//   - A flush is newer than all. As a run of its own in level 0 it may stand beside everything. A
//     place below level 0 is taken like any target level, asked for again when the flush is
//     written, and given up for level 0 where something is in the way (make_edit).
//   - Slices are read by every merge of the file that they hang on. Links wait for files below to
//     be idle (may_start), and the one policy that links, LDC, begins nothing else meanwhile.
#include <algorithm>

#include "engine/store_impl.h"
#include "models/check.h"

namespace lsmlab::engine {

void StoreImpl::start_threads() {
  threads_.emplace_back([this] { flush_loop(); });
  for (unsigned i = 0; i < setup_.merge_threads; ++i) {
    threads_.emplace_back([this] { merge_loop(); });
  }
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
}

bool StoreImpl::may_start(const Plan& plan) const {
  const auto* flush = std::get_if<FlushPlan>(&plan.action);
  const bool is_run_of_its_own = flush != nullptr && !flush->target.run && flush->target.level == 0;
  const auto* link = std::get_if<LinkPlan>(&plan.action);
  if (!is_run_of_its_own && running_targets_.contains(plan_target(plan).level)) return false;
  if (link == nullptr) return true;
  // A merge that runs took the slices of its inputs when it began.
  return std::none_of(link->lower_files.begin(), link->lower_files.end(), [&](FileId id) {
    const std::optional<FileLocation> at = tree_.find_file(id);
    return !at || tree_.file_at(*at).busy;
  });
}

std::optional<PlanJob> StoreImpl::start_plan(bool takes_pending) {
  tree_.advance_now(Instant(clock_.load(std::memory_order_relaxed)));
  bring_accesses();
  std::optional<PendingFlush> hidden;
  if (!takes_pending) hidden = tree_.exchange_pending_flush(std::nullopt);
  std::optional<Plan> plan = policy_.pick(tree_);
  if (!takes_pending) static_cast<void>(tree_.exchange_pending_flush(std::move(hidden)));
  if (!plan || takes_memtable(*plan) != takes_pending) return std::nullopt;
  auto* flush = std::get_if<FlushPlan>(&plan->action);
  // A place below level 0 is a favour; writers should not wait for it.
  if (flush != nullptr && !may_start(*plan)) flush->target = {0, std::nullopt};
  if (!may_start(*plan) || !tree_.reserve(*plan)) return std::nullopt;
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
      CHECK(running_jobs_ > 0 || error_ || is_closing_);
      is_flush_blocked_ = true;
      changed_.wait(lock);
      is_flush_blocked_ = false;
      continue;
    }
    changed_.notify_all();                          // merge threads that let it go first
    static_cast<void>(run_and_commit(lock, *job));  // which keeps the error
  }
}

void StoreImpl::merge_loop() {
  Lock lock(mutex_);
  while (!is_closing_) {
    std::optional<PlanJob> job;
    // A memtable that waits for the end of what runs would otherwise wait until all is merged.
    if (!error_ && !should_stop() && !is_flush_blocked_) job = start_plan(false);
    if (!job) {
      changed_.wait(lock);
      continue;
    }
    static_cast<void>(run_and_commit(lock, *job));  // which keeps the error
  }
}

bool StoreImpl::wait_or_help(Lock& lock) {
  if (!waiting_.empty() || running_jobs_ > 0) {
    changed_.wait(lock);
    return true;
  }
  if (should_stop()) return false;
  // With time and with reads a policy comes to want what it did not want when the merge threads
  // asked last. Were they woken for it they might not want it any more, and nobody would tell.
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
