// Puts of one client that nothing interrupts, many at a time.
//
// At resolution `range` all puts are equal, and a run may have billions of them. Between two events
// a client that only puts needs no step for each: the time of a put and of the client's own work
// changes only when the put fills the log buffer, or is one of the slow ones. So the client does as
// many as end before the next event, and leaves the same state as single steps. Puts that fill the
// memtable, that wait, or during which an event is due, take single steps.
#include <algorithm>
#include <limits>

#include "models/base/check.h"
#include "sim/timed/range_operations.h"
#include "sim/timed/timed_clients.h"

namespace lsmlab {
namespace {

// The number of the put, from 1, that brings a sum to its limit; of puts without bytes none does.
std::uint64_t puts_to_reach(std::uint64_t limit, std::uint64_t sum, std::uint64_t put_bytes) {
  if (put_bytes == 0) return std::numeric_limits<std::uint64_t>::max();
  if (sum + put_bytes >= limit) return 1;
  return (limit - sum + put_bytes - 1) / put_bytes;
}

}  // namespace

std::uint64_t TimedClients::puts_to_repeat(std::uint64_t now_ns, const Client& client) const {
  if (repeats_ == nullptr || client.operation.kind != OperationKind::kPut) return 0;
  if (active_ > 1 || setup_.model.arrivals != Arrivals::kClosed || setup_.sync_writes) {
    return 0;
  }
  // The first operation after the loading ones notes the time.
  if (fetched_ == loading_operations_ || error_ || control_.should_stop()) return 0;
  if (client.is_cold || client.on_cpu.has_waited || client.on_cpu.gathered_core) return 0;
  if (!machine_.cpu().goes_on_alone(now_ns)) return 0;
  std::uint64_t puts = repeats_->equal_puts();
  if (puts > 0) puts = std::min(puts, store_.puts_without_wait(client.operation));
  if (fetched_ < loading_operations_) puts = std::min(puts, loading_operations_ - fetched_);
  puts = std::min(puts, recorder_.operations_to_part_end());
  return puts;
}

std::uint64_t TimedClients::repeat_puts(std::uint64_t now_ns, const Client& client) {
  const std::uint64_t most = puts_to_repeat(now_ns, client);
  std::uint64_t at_ns = now_ns;
  std::uint64_t work_ns = 0;
  std::uint64_t done = 0;
  while (done < most) {
    const std::uint64_t puts =
        repeat_until_log_write(client.operation, most - done, at_ns, work_ns);
    if (puts == 0) break;
    done += puts;
  }
  if (done == 0) return now_ns;
  machine_.cpu().work_alone(now_ns, at_ns, work_ns);
  recorder_.count(OperationKind::kPut, done);
  store_.advance_operations(recorder_.operations());
  store_.put_more(client.operation, done);
  repeats_->skip(done);
  fetched_ += done;
  control_.units_done.store(recorder_.operations(), std::memory_order_relaxed);
  return at_ns;
}

std::uint64_t TimedClients::repeat_until_log_write(const Operation& put, std::uint64_t most,
                                                   std::uint64_t& at_ns, std::uint64_t& work_ns) {
  const WorkCosts& costs = machine_.costs();
  const auto alone_ns = [&](std::uint64_t work) {
    return machine_.cpu().alone_ns(work, CpuShare::Kind::kClient);
  };
  const std::uint64_t bytes = std::uint64_t{put.key_bytes} + put.value_bytes;
  const std::uint64_t logged = setup_.wal.write_bytes(put.key_bytes, put.value_bytes);
  std::uint64_t put_work = costs.put_ns + costs.put_kib_ns * bytes / 1024;
  const std::uint64_t to_fill = puts_to_reach(setup_.log_buffer_bytes, gathered_bytes_, logged);
  const bool writes_log = to_fill == 1;
  if (writes_log) {
    put_work += costs.log_write_ns + costs.log_kib_ns * (gathered_bytes_ + logged) / 1024;
  }
  const std::uint64_t own_work = costs.client_ns + costs.client_kib_ns * put.value_bytes / 1024;
  const std::uint64_t own_ns = own_work == 0 ? 0 : alone_ns(own_work);
  const std::uint64_t put_ns = alone_ns(put_work);
  const std::uint64_t slow_put_ns = alone_ns(put_work + costs.slow_put_ns);

  const std::uint64_t log_piece = machine_.model().queue.request_bytes.value();
  std::uint64_t puts = std::min(
      {most, writes_log ? 1 : to_fill - 1, puts_to_reach(log_piece, unsynced_bytes_, logged)});
  const std::uint64_t next_event_ns = events_.next_time();
  if (next_event_ns <= at_ns) return 0;
  if (slow_put_ns + own_ns > 0) {
    puts = std::min(puts, (next_event_ns - 1 - at_ns) / (slow_put_ns + own_ns));
  }
  if (puts == 0) return 0;

  const std::uint64_t slow = (puts_ + puts) / kPutsPerSlowOne - puts_ / kPutsPerSlowOne;
  puts_ += puts;
  at_ns += puts * (put_ns + own_ns) + slow * (slow_put_ns - put_ns);
  work_ns += puts * (put_work + own_work) + slow * costs.slow_put_ns;
  last_done_ns_ = std::max(last_done_ns_, at_ns - own_ns);
  if (fetched_ > loading_operations_) {
    LatencyHistogram& latencies = latencies_[static_cast<std::size_t>(OperationKind::kPut)];
    latencies.add(put_ns, puts - slow);
    latencies.add(slow_put_ns, slow);
  }
  gathered_bytes_ = writes_log ? 0 : gathered_bytes_ + puts * logged;
  unsynced_bytes_ += puts * logged;
  if (unsynced_bytes_ >= log_piece) leave_log(at_ns - own_ns);
  return puts;
}

}  // namespace lsmlab
