#include "engine/replay/replay_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <thread>
#include <vector>

#include "engine/store/store.h"

namespace lsmlab::engine {

Result<void> check_replayable(const Operation& operation, const KeyFormat& keys) {
  if (operation.key_bytes < keys.id_bytes()) {
    return input_error(
        fmt::format("key {} has {} bytes; a replayed key needs at least {}, for its id",
                    operation.key, operation.key_bytes, keys.id_bytes()));
  }
  if (operation.kind == OperationKind::kPut && operation.value_bytes > kStoreValueBytesMax) {
    return input_error(fmt::format("the value of key {} has {} bytes; a store takes at most {}",
                                   operation.key, operation.value_bytes, kStoreValueBytesMax));
  }
  return success();
}

Result<bool> ReplayRun::run(OperationSource& source, RunControl& control) {
  const Clock::time_point begin = begin_ = Clock::now();
  loading_operations_ = source.loading_operations();
  loaded_at_ = begin;
  if (options_.is_timed) {
    recorder_.set_clock([begin] {
      return static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
    });
  }
  const bool is_whole = BOOST_OUTCOME_TRYX(feed(source, control));
  client_seconds_ = std::chrono::duration<double>(Clock::now() - loaded_at_).count();
  if (is_whole) {
    BOOST_OUTCOME_TRYV(end_parts());
  }
  target_.with_state([&] {
    recorder_.end_operations(options_.is_timed ? target_.job_times() : std::vector<JobTimes>());
  });
  if (is_whole) {
    if (options_.final_flush) {
      BOOST_OUTCOME_TRYV(target_.flush());
    }
    BOOST_OUTCOME_TRYV(observe());
  }
  seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
  return is_whole && !control.should_stop();
}

Result<bool> ReplayRun::feed(OperationSource& source, RunControl& control) {
  constexpr std::size_t kBatchOperations = 4096;
  std::vector<Operation> batch(kBatchOperations);
  while (!control.should_stop()) {
    const std::size_t count = BOOST_OUTCOME_TRYX(source.fill(batch));
    if (count == 0) return true;
    for (const Operation& operation : std::span(batch).first(count)) {
      if (control.should_stop()) break;  // one operation may wait for very many merges
      BOOST_OUTCOME_TRYV(take(operation, control));
    }
    control.units_done.store(recorder_.operations(), std::memory_order_relaxed);
  }
  return false;
}

ReplayRun::Clock::time_point ReplayRun::wait_for_arrival(OperationKind kind, RunControl& control) {
  const Clock::time_point now = Clock::now();
  const ClientModel& clients = options_.clients;
  if (clients.arrivals == Arrivals::kClosed) return now;
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(now - begin_);
  const auto now_ns = static_cast<std::uint64_t>(since.count());
  const std::uint64_t arrival_ns =
      clients.waits_for_last() ? arrivals_.next_from(now_ns, kind) : arrivals_.next_ns();
  const Clock::time_point arrival = begin_ + std::chrono::nanoseconds(arrival_ns);
  if (arrival_ns < now_ns && recorder_.operations() > loading_operations_) {
    ++delays_.delayed;
    delays_.delayed_ns += now_ns - arrival_ns;
    delays_.longest_ns = std::max(delays_.longest_ns, now_ns - arrival_ns);
  }
  // A stop from outside does not wait for a rare arrival.
  constexpr std::chrono::milliseconds kLook{100};
  while (Clock::now() < arrival && !control.should_stop()) {
    std::this_thread::sleep_until(std::min(arrival, Clock::now() + kLook));
  }
  return arrival;
}

Result<void> ReplayRun::take(const Operation& operation, RunControl& control) {
  BOOST_OUTCOME_TRYV(end_parts());
  recorder_.count(operation.kind);
  const Result<void> replayable = check_replayable(operation, written_.format());
  if (!replayable) {
    return in_context(fmt::format("operation {}", recorder_.operations()), replayable.error());
  }
  prepare(operation);
  if (options_.is_timed) {
    const Clock::time_point begin = wait_for_arrival(operation.kind, control);
    BOOST_OUTCOME_TRYV(execute(operation));
    const auto taken = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
    if (recorder_.operations() > loading_operations_) {
      latencies_[static_cast<std::size_t>(operation.kind)].add(
          static_cast<std::uint64_t>(taken.count()));
    } else if (recorder_.operations() == loading_operations_) {
      loaded_at_ = Clock::now();
    }
  } else {
    BOOST_OUTCOME_TRYV(execute(operation));
  }
  // Free the memory of a very large value.
  constexpr std::size_t kKeptValueBytes = std::size_t{16} << 20;
  if (value_.capacity() > kKeptValueBytes) std::string().swap(value_);
  if (target_.flushes() == flushes_) return success();
  flushes_ = target_.flushes();
  return observe();
}

Result<void> ReplayRun::end_parts() {
  while (recorder_.is_at_part_end()) {
    const PartEnd asked = recorder_.asked_at_part_end();
    if (asked != PartEnd::kNothing) {
      BOOST_OUTCOME_TRYV(target_.end_part(asked));
      flushes_ = target_.flushes();
      BOOST_OUTCOME_TRYV(observe());
    }
    target_.with_state([&] { recorder_.end_part(); });
  }
  return success();
}

// Work that is not the store's and not part of a latency.
void ReplayRun::prepare(const Operation& operation) {
  written_.format().write(operation.key, operation.key_bytes, key_);
  if (operation.kind == OperationKind::kScan) {
    written_.format().write(operation.scan_last_key, operation.key_bytes, last_key_);
  }
  const bool is_put = operation.kind == OperationKind::kPut;
  if (!is_put && operation.kind != OperationKind::kDelete) return;
  ++writes_;
  if (is_put) {
    live_.put(operation.key, std::uint64_t{operation.key_bytes} + operation.value_bytes, writes_);
  } else {
    live_.remove(operation.key);
  }
  target_.metered().note_live_bytes(static_cast<std::uint64_t>(live_.bytes()));
  if (is_put) make_value(operation.key, writes_, operation.value_bytes, value_, options_.values);
  if (options_.keeps_keys && is_put) written_.put(operation, writes_);
  if (options_.keeps_keys && !is_put) written_.remove(operation.key);
}

Result<void> ReplayRun::execute(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kPut:
      return target_.put(key_, value_);
    case OperationKind::kDelete:
      return target_.remove(key_);
    case OperationKind::kGet: {
      const Result<bool> found = target_.get(key_);
      if (!found) return found.error();
      return success();
    }
    case OperationKind::kScan:
      break;
  }
  return target_.scan(key_, last_key_, operation.scan_entries_max);
}

Result<void> ReplayRun::observe() {
  Result<void> observed = success();
  target_.with_state([&] {
    observed = recorder_.observe();
    forget_dropped();
  });
  return observed;
}

// REQUIRES: called within with_state().
void ReplayRun::forget_dropped() {
  const std::vector<DroppedData>& dropped = target_.metered().ledger().dropped();
  for (; dropped_ < dropped.size(); ++dropped_) {
    const DroppedData& file = dropped[dropped_];
    live_.drop(file.sequences, file.keys);
    if (options_.keeps_keys) written_.drop(file.sequences, file.keys);
  }
}

Result<RunResult> ReplayRun::result() {
  Result<RunResult> result = RunResult();
  // Hold the lock throughout: if the run was stopped, merges may still run.
  target_.with_state([&] {
    result = recorder_.result();
    forget_dropped();
  });
  if (!result) return result;
  result.value().wall_seconds = seconds_;
  if (!options_.is_timed) return result;
  TimeSection& time = result.value().time.emplace();
  time.latency = latencies_of(latencies_);
  if (client_seconds_ > 0 && recorder_.operations() > loading_operations_) {
    time.operations_per_second =
        static_cast<double>(recorder_.operations() - loading_operations_) / client_seconds_;
  }
  time.loading_operations = loading_operations_;
  if (!options_.clients.waits_for_last()) time.arrivals = delays_;
  return result;
}

}  // namespace lsmlab::engine
