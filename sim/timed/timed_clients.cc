#include "sim/timed/timed_clients.h"

#include <algorithm>
#include <string>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr std::size_t kBatchOperations = 4096;
// Streams of the device: lookups seek, and the log is appended to.
constexpr std::uint64_t kLookupStream = 0;
constexpr std::uint64_t kLogStream = 1;

bool is_write(const Operation& operation) {
  return operation.kind == OperationKind::kPut || operation.kind == OperationKind::kDelete;
}

std::uint64_t logged_bytes(const WalSize& wal, const Operation& write) {
  if (write.kind == OperationKind::kDelete) return wal.write_bytes(write.key_bytes, std::nullopt);
  return wal.write_bytes(write.key_bytes, write.value_bytes);
}

std::uint64_t write_bytes(const Operation& operation) {
  return std::uint64_t{operation.key_bytes} + written_value_bytes(operation);
}

}  // namespace

TimedClients::TimedClients(const Setup& setup, const World& world)
    : setup_(setup),
      machine_(world.machine),
      store_(world.store),
      events_(world.events),
      source_(world.source),
      recorder_(world.recorder),
      control_(world.control),
      repeats_(world.repeats),
      arrivals_(setup.model, setup.seed),
      clients_(setup.model.clients),
      batch_(world.repeats != nullptr ? 1 : kBatchOperations),
      loading_operations_(setup.loading_operations),
      active_(setup.model.clients) {
  set_parts(setup.parts);
}

void TimedClients::begin() {
  for (std::uint32_t i = 0; i < active_; ++i) push(0, i);
}

Result<void> TimedClients::on_client(std::uint64_t now_ns, std::uint32_t client) {
  for (;;) {
    std::uint64_t next = step(now_ns, clients_[client], client);
    // If no other event comes before the client's next step, that step needs no event.
    if (turn_given_to_) {
      const std::uint32_t taker = *std::exchange(turn_given_to_, std::nullopt);
      // The client that passed the turn continues first, as its event would come first.
      if (next == now_ns && events_.next_time() > now_ns) {
        next = step(now_ns, clients_[client], client);
      }
      if (next != kWaits) push(next, client);
      client = taker;
      if (events_.next_time() > now_ns) continue;
      push(now_ns, client);
      break;
    }
    if (next == kWaits) break;
    if (next >= events_.next_time()) {
      push(next, client);
      break;
    }
    now_ns = next;
  }
  if (error_) [[unlikely]]
    return *error_;
  return success();
}

void TimedClients::fill_batch() {
  control_.units_done.store(recorder_.operations(), std::memory_order_relaxed);
  batch_at_ = batch_size_ = 0;
  if (control_.should_stop() || error_) return;
  const Result<std::size_t> filled = source_.fill(batch_);
  if (filled) {
    batch_size_ = filled.value();
  } else {
    error_ = filled.error();
  }
}

std::optional<TimedClients::Request> TimedClients::next_request(std::uint64_t now_ns) {
  if (batch_at_ == batch_size_) fill_batch();
  if (batch_size_ == 0 || control_.should_stop()) return std::nullopt;
  Request request{batch_[batch_at_++]};
  request.is_loading = fetched_ < loading_operations_;
  request.arrival_ns = setup_.model.waits_for_last()
                           ? arrivals_.next_from(now_ns, request.operation.kind)
                           : arrivals_.next_ns();
  // Of many idle clients one waits for it long before.
  if (fetched_++ == loading_operations_) loaded_ns_ = std::max(now_ns, request.arrival_ns);
  return request;
}

std::uint64_t TimedClients::take(std::uint64_t now_ns, Client& client, const Request& request) {
  client.operation = request.operation;
  client.is_loading = request.is_loading;
  client.phase = Phase::kArrived;
  client.begin_ns = request.arrival_ns;
  if (client.begin_ns < now_ns && !client.is_loading) {
    ++delays_.delayed;
    delays_.delayed_ns += now_ns - client.begin_ns;
    delays_.longest_ns = std::max(delays_.longest_ns, now_ns - client.begin_ns);
  }
  return std::max(now_ns, client.begin_ns);
}

std::uint64_t TimedClients::take_none(Client& client) {
  client.phase = Phase::kIdle;
  ++done_;
  return kWaits;
}

std::uint64_t TimedClients::fetch(std::uint64_t now_ns, Client& client) {
  if (separates_requests()) return fetch_apart(now_ns, client);
  if (is_at_part_end()) return wait_at_part_end(now_ns, client);
  const std::optional<Request> request = next_request(now_ns);
  return request ? take(now_ns, client, *request) : take_none(client);
}

std::size_t TimedClients::class_of(const Operation& operation) const {
  return static_cast<std::size_t>(
      request_class(operation.kind, write_bytes(operation), *setup_.large_request));
}

std::optional<std::size_t> TimedClients::class_to_take() const {
  const std::size_t most = clients_of_class_max(clients_.size());
  std::optional<std::size_t> oldest;
  for (std::size_t i = 0; i < arrived_.size(); ++i) {
    if (arrived_[i].empty() || busy_[i] >= most) continue;
    if (!oldest || arrived_[i].front().arrival_ns < arrived_[*oldest].front().arrival_ns) {
      oldest = i;
    }
  }
  return oldest;
}

// Idle clients look at every arrival. A request that must wait for its class is taken by the client
// that ends one of that class.
std::uint64_t TimedClients::fetch_apart(std::uint64_t now_ns, Client& client) {
  for (;;) {
    if (const std::optional<std::size_t> found = class_to_take()) {
      const Request request = arrived_[*found].front();
      arrived_[*found].pop_front();
      ++busy_[*found];
      return take(now_ns, client, request);
    }
    if (!arriving_ && is_at_part_end()) return wait_at_part_end(now_ns, client);
    if (!arriving_) arriving_ = next_request(now_ns);
    if (!arriving_) break;
    if (arriving_->arrival_ns > now_ns) {
      client.phase = Phase::kNext;
      return arriving_->arrival_ns;
    }
    arrived_[class_of(arriving_->operation)].push_back(*arriving_);
    arriving_.reset();
  }
  return take_none(client);
}

std::uint64_t TimedClients::step(std::uint64_t now_ns, Client& client, std::uint32_t index) {
  if (works(client.phase)) {
    const std::uint64_t left = machine_.cpu().left_ns(now_ns, client.work);
    if (left > 0) return now_ns + left;
    machine_.cpu().end(now_ns, client.work);
  }
  switch (client.phase) {
    case Phase::kThinking:
    case Phase::kNext: {
      if (repeats_ != nullptr) now_ns = repeat_puts(now_ns, client);
      const std::uint64_t begin_ns = fetch(now_ns, client);
      if (begin_ns > now_ns) return begin_ns;
      [[fallthrough]];
    }
    case Phase::kArrived:
      if (is_write(client.operation)) return begin_write(now_ns, client, index);
      return begin_read(now_ns, client);
    case Phase::kSlowed:
      if (now_ns < client.slowed_until_ns && store_.controller().slowdown()) {
        return next_look_ns(now_ns, client);
      }
      end_stall(now_ns, client);
      return begin_put(now_ns, client);
    case Phase::kWriting:
      if (!end_put(now_ns, client, index)) return kWaits;
      break;
    case Phase::kSyncing:
      break;
    case Phase::kComputing:
      client.phase = Phase::kReading;
      [[fallthrough]];
    case Phase::kReading: {
      if (client.blocks_left == 0) break;
      const std::uint64_t bytes = client.bytes_left / client.blocks_left;
      const bool goes_on = client.blocks_left <= client.blocks_on;
      client.bytes_left -= bytes;
      --client.blocks_left;
      block_bytes_read_ += bytes;
      client.is_cold = client.on_cpu.has_waited = true;
      return machine_.device().serve(now_ns, {DeviceRequest::kRead, bytes, kLookupStream, goes_on,
                                              machine_.request_slowdown()});
    }
    case Phase::kIdle:
      return kWaits;
  }
  return complete(now_ns, client);
}

std::uint64_t TimedClients::begin_write(std::uint64_t now_ns, Client& client, std::uint32_t index) {
  if (!client.has_turn) {
    if (is_writing_) {
      turn_queue_.push_back(index);
      return kWaits;
    }
    is_writing_ = client.has_turn = true;
  }
  const std::optional<StallReason> stop = store_.stop_of(client.operation);
  if (client.stall && client.stall != stop) end_stall(now_ns, client);
  if (stop) {
    if (!client.stall) {
      client.stalled_since = now_ns;
      store_.note_stop(now_ns, *stop);
    }
    client.stall = stop;
    stalled_ = held_up_ = index;
    return kWaits;
  }
  const std::uint64_t slowdown_ns = store_.slowdown_ns(now_ns, client.operation);
  if (slowdown_ns == 0) return begin_put(now_ns, client);
  client.stall = store_.controller().slowdown();
  client.stalled_since = now_ns;
  client.slowed_until_ns = now_ns + slowdown_ns;
  client.phase = Phase::kSlowed;
  held_up_ = index;
  return next_look_ns(now_ns, client);
}

std::uint64_t TimedClients::next_look_ns(std::uint64_t now_ns, const Client& client) const {
  const std::optional<std::uint64_t> step_ns = store_.controller().look_again_ns();
  const std::uint64_t asked_ns = step_ns ? now_ns + *step_ns : client.slowed_until_ns;
  return asked_ns + machine_.costs().sleep_ns;
}

std::uint64_t TimedClients::begin_put(std::uint64_t now_ns, Client& client) {
  client.phase = Phase::kWriting;
  return work(now_ns, client, put_work_ns(client.operation) + cold_ns(client));
}

std::uint64_t TimedClients::put_work_ns(const Operation& operation) {
  const WorkCosts& costs = machine_.costs();
  const std::uint64_t bytes = write_bytes(operation);
  std::uint64_t work_ns = costs.put_ns + costs.put_kib_ns * bytes / 1024;
  if (++puts_ % kPutsPerSlowOne == 0) work_ns += costs.slow_put_ns;
  if (!setup_.wal.is_written()) return work_ns;
  gathered_bytes_ += logged_bytes(setup_.wal, operation);
  if (gathered_bytes_ < setup_.log_buffer_bytes) return work_ns;
  work_ns += costs.log_write_ns + costs.log_kib_ns * gathered_bytes_ / 1024;
  gathered_bytes_ = 0;
  return work_ns;
}

bool TimedClients::end_put(std::uint64_t now_ns, Client& client, std::uint32_t index) {
  const Operation& operation = client.operation;
  recorder_.count(operation.kind);
  store_.advance_operations(recorder_.operations());
  const Result<void> written = store_.write(now_ns, operation);
  if (!written) [[unlikely]]
    error_ = written.error();
  unsynced_bytes_ += logged_bytes(setup_.wal, operation);
  client.has_turn = false;
  pass_turn();
  if (setup_.sync_writes) {
    client.phase = Phase::kSyncing;
    to_sync_.push_back(index);
    if (!is_syncing_) begin_sync(now_ns);
    return false;
  }
  if (unsynced_bytes_ >= machine_.model().queue.request_bytes.value()) leave_log(now_ns);
  return true;
}

void TimedClients::leave_log(std::uint64_t now_ns) {
  log_in_memory_.push_back(
      {now_ns + machine_.model().writeback.age_ns, unsynced_bytes_, store_.memtable()});
  unsynced_bytes_ = 0;
  if (log_in_memory_.size() == 1) push_write_back(now_ns);
}

void TimedClients::push_write_back(std::uint64_t now_ns) {
  // The piece may have become due while the machine was paused.
  events_.push(std::max(now_ns, log_in_memory_.front().due_ns), EventKind::kWriteBack);
}

void TimedClients::on_write_back(std::uint64_t now_ns) {
  const LogPiece piece = log_in_memory_.front();
  log_in_memory_.pop_front();
  if (piece.memtable >= store_.flushed_memtables()) {
    // No client waits for this request.
    static_cast<void>(
        machine_.device().serve(now_ns, {DeviceRequest::kWrite, piece.bytes, kLogStream, true}));
    log_device_bytes_ += piece.bytes;
  }
  while (!log_in_memory_.empty() && log_in_memory_.front().memtable < store_.flushed_memtables()) {
    log_in_memory_.pop_front();
  }
  if (!log_in_memory_.empty()) push_write_back(now_ns);
}

void TimedClients::pass_turn() {
  is_writing_ = false;
  if (turn_queue_.empty()) return;
  const std::uint32_t next = turn_queue_.front();
  turn_queue_.pop_front();
  is_writing_ = clients_[next].has_turn = true;
  turn_given_to_ = next;
}

void TimedClients::begin_sync(std::uint64_t now_ns) {
  is_syncing_ = true;
  syncing_.swap(to_sync_);
  const std::uint64_t written =
      machine_.device().serve(now_ns, {DeviceRequest::kWrite, unsynced_bytes_, kLogStream, true});
  log_device_bytes_ += unsynced_bytes_;
  unsynced_bytes_ = 0;
  events_.push(written + machine_.model().sync.latency_ns, EventKind::kSync);
}

void TimedClients::on_sync(std::uint64_t now_ns) {
  is_syncing_ = false;
  for (const std::uint32_t index : syncing_) push(now_ns, index);
  syncing_.clear();
  if (!to_sync_.empty()) begin_sync(now_ns);
}

void TimedClients::on_progress(std::uint64_t now_ns) {
  if (!at_part_end_.empty()) continue_part_end(now_ns);
  if (!stalled_) return;
  push(now_ns, *stalled_);
  stalled_.reset();
}

std::uint64_t TimedClients::begin_read(std::uint64_t now_ns, Client& client) {
  recorder_.count(client.operation.kind);
  store_.advance_operations(recorder_.operations());
  store_.begin_read();
  const WorkCosts& costs = machine_.costs();
  std::uint64_t work_ns = 0;
  BlockReads blocks;
  client.blocks_on = 0;
  if (client.operation.kind == OperationKind::kGet) {
    const LookupFigures cost = store_.get(now_ns, client.operation);
    if (store_.take_progress()) on_progress(now_ns);
    work_ns = costs.get_ns + cost.runs_touched * costs.table_ns;
    blocks = cost.blocks;
    work_ns += blocks.blocks_fetched * costs.block_ns;
  } else {
    const ScanFigures cost = store_.scan(client.operation);
    work_ns =
        costs.scan_ns + cost.entries * costs.scan_entry_ns + cost.runs_touched * costs.table_ns;
    blocks = cost.blocks;
    const auto beyond_first = [&](std::uint64_t count) {
      return count - std::min(count, cost.runs_touched);
    };
    const std::uint64_t gone_on_to = beyond_first(blocks.blocks_fetched);
    work_ns +=
        (blocks.blocks_fetched - gone_on_to) * costs.block_ns + gone_on_to * costs.scan_block_ns;
    if (machine_.model().latency.reads_ahead) client.blocks_on = beyond_first(blocks.blocks_read);
  }
  work_ns += (blocks.blocks_read - client.blocks_on) * costs.read_ns;
  // read_ns already contains the cold caches of a lookup that reads the device itself.
  if (blocks.blocks_read == 0) work_ns += cold_ns(client);
  client.blocks_left = blocks.blocks_read;
  client.bytes_left = static_cast<std::uint64_t>(blocks.bytes_read);
  client.phase = Phase::kComputing;
  return work(now_ns, client, work_ns);
}

std::uint64_t TimedClients::complete(std::uint64_t now_ns, Client& client) {
  if (!client.is_loading) {
    latencies_[static_cast<std::size_t>(client.operation.kind)].add(now_ns - client.begin_ns);
  }
  if (!is_write(client.operation)) store_.end_read();
  if (separates_requests()) --busy_[class_of(client.operation)];
  last_done_ns_ = std::max(last_done_ns_, now_ns);
  client.phase = Phase::kNext;
  const Result<void> observed = recorder_.observe();
  if (!observed) [[unlikely]]
    error_ = observed.error();
  const WorkCosts& costs = machine_.costs();
  std::uint64_t work_ns = costs.client_ns;
  if (client.operation.kind == OperationKind::kPut) {
    work_ns += costs.client_kib_ns * client.operation.value_bytes / 1024;
  }
  if (work_ns == 0 || !setup_.model.waits_for_last()) return now_ns;
  client.phase = Phase::kThinking;
  return work(now_ns, client, work_ns);
}

void TimedClients::end_stall(std::uint64_t now_ns, Client& client) {
  Stall& stall = stalls_[static_cast<std::size_t>(*client.stall)];
  ++stall.count;
  const std::uint64_t nanoseconds = now_ns - client.stalled_since;
  stall.nanoseconds += nanoseconds;
  stall.longest_ns = std::max(stall.longest_ns, nanoseconds);
  client.stall.reset();
  held_up_.reset();
}

std::vector<StallFigures> TimedClients::stalls() const {
  std::vector<StallFigures> figures;
  for (const StallReason reason : kStallReasons) {
    const Stall& stall = stalls_[static_cast<std::size_t>(reason)];
    figures.push_back(
        {std::string(stall_reason_name(reason)), stall.count, stall.nanoseconds, stall.longest_ns});
  }
  return figures;
}

std::uint64_t TimedClients::stalled_ns(std::uint64_t now_ns) const {
  std::uint64_t sum = 0;
  if (held_up_) sum = now_ns - clients_[*held_up_].stalled_since;
  for (const Stall& stall : stalls_) sum += stall.nanoseconds;
  return sum;
}

}  // namespace lsmlab
