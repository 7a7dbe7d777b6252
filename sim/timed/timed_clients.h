// The clients of a timed run. They take operations from a source, one after another. Each operation
// passes through store, device and processor step by step:
//
//   put, delete  [waits its turn] -> [stall] -> [slowdown] -> processor -> [sync]
//   get, scan    processor -> device, a block at a time
//
// One client writes at a time, as under an engine's lock. A client that stalls keeps its turn. Not
// thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "models/accounting/latency_histogram.h"
#include "models/accounting/run_recorder.h"
#include "models/base/run_control.h"
#include "models/execution/request_class.h"
#include "models/sizes/wal_record.h"
#include "sim/timed/event_queue.h"
#include "sim/timed/timed_store.h"
#include "traces/workloads/client_model.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

class RangeOperations;

class TimedClients {
 public:
  struct Setup {
    ClientModel model;
    std::uint64_t seed = 1;
    bool sync_writes = false;
    WalSize wal;
    // Size of the log buffer: a put that fills it passes it to the system.
    std::uint64_t log_buffer_bytes = 0;
    std::uint64_t loading_operations = 0;  // the first ones; latencies count after them
    // If given, no class of requests occupies all open clients
    // (models/execution/request_class.h). It is the least size of a large put. Fewer clients than
    // classes take requests as they come.
    std::optional<std::uint64_t> large_request = {};
    // Of the run. Where a part has other clients than the one before it, or asks the store for
    // something, its clients begin when the others are done.
    std::vector<PartMark> parts = {};
  };

  /// The objects that clients use. They must outlive the clients.
  struct World {
    SimulatedMachine& machine;
    TimedStore& store;
    EventQueue& events;
    OperationSource& source;
    RunRecorder& recorder;
    RunControl& control;
    // The source, if puts are equal and may be done many at a time; otherwise null.
    RangeOperations* repeats = nullptr;
  };
  TimedClients(const Setup& setup, const World& world);

  /// Every client of the first part sends its first operation.
  void begin();
  /// Continues a client at its event. Errors: those of the source and of the store.
  [[nodiscard]] Result<void> on_client(std::uint64_t now_ns, std::uint32_t client);
  /// A sync is done: the clients that wait for it continue.
  void on_sync(std::uint64_t now_ns);
  /// The oldest piece of log in memory is due. The system writes it, unless its log was removed.
  void on_write_back(std::uint64_t now_ns);
  /// A plan is done: a stalled client checks again whether it may write.
  void on_progress(std::uint64_t now_ns);

  /// Whether the client's event is the end of its work, request or sync. False: it is a timer.
  [[nodiscard]] bool is_at_work(std::uint32_t client) const {
    const Phase phase = clients_[client].phase;
    return works(phase) || phase == Phase::kReading || phase == Phase::kSyncing;
  }

  /// Whether no operation is left, and none is running.
  [[nodiscard]] bool is_done() const { return done_ == active_; }
  [[nodiscard]] std::uint64_t operations() const { return recorder_.operations(); }
  /// When a client took the first operation after the loading ones.
  [[nodiscard]] std::uint64_t loaded_ns() const { return loaded_ns_; }
  /// When the last operation was done.
  [[nodiscard]] std::uint64_t last_done_ns() const { return last_done_ns_; }
  [[nodiscard]] OperationLatencies latencies() const { return latencies_of(latencies_); }
  [[nodiscard]] std::vector<StallFigures> stalls() const;
  /// Nothing where clients send their next operation when the last one is done.
  [[nodiscard]] std::optional<ArrivalFigures> arrivals() const {
    if (setup_.model.waits_for_last()) return std::nullopt;
    return delays_;
  }
  /// Nanoseconds of all stalls until now, including a stall that still lasts.
  [[nodiscard]] std::uint64_t stalled_ns(std::uint64_t now_ns) const;
  [[nodiscard]] std::uint64_t log_device_bytes() const { return log_device_bytes_; }
  [[nodiscard]] std::uint64_t block_bytes_read() const { return block_bytes_read_; }

 private:
  enum class Phase {
    kThinking,
    kNext,
    kArrived,
    kSlowed,
    kWriting,
    kSyncing,
    kComputing,
    kReading,
    kIdle
  };
  struct Client {
    Operation operation;
    Phase phase = Phase::kNext;
    bool has_turn = false;       // to write
    bool is_loading = false;     // its latency does not count
    bool is_cold = false;        // it waited for the device; meanwhile others used the caches
    std::uint64_t begin_ns = 0;  // the latency counts from here
    CpuShare::Work work;         // on the processor
    CpuShare::Thread on_cpu;
    std::uint64_t stalled_since = 0;
    std::uint64_t slowed_until_ns = 0;
    std::optional<StallReason> stall;
    std::uint64_t blocks_left = 0;  // still to read
    std::uint64_t blocks_on = 0;    // so many of the last blocks are read ahead
    std::uint64_t bytes_left = 0;   // in blocks_left
  };

  /// Whether the client's next step comes at the end of its work on the processor.
  static bool works(Phase phase) {
    return phase == Phase::kThinking || phase == Phase::kWriting || phase == Phase::kComputing;
  }

  static constexpr std::uint64_t kWaits = EventQueue::kNever;

  /// Carries out a client's next step. Returns when the following step is due, or kWaits if another
  /// client or event starts it. error_ keeps a failure.
  [[nodiscard]] std::uint64_t step(std::uint64_t now_ns, Client& client, std::uint32_t index);
  // An operation of the source, with its arrival.
  struct Request {
    Operation operation;
    std::uint64_t arrival_ns = 0;
    bool is_loading = false;
  };
  void set_parts(const std::vector<PartMark>& parts);
  void fill_batch();
  [[nodiscard]] std::optional<Request> next_request(std::uint64_t now_ns);
  /// The client takes its next operation. Returns when it may begin; kWaits if there is none.
  [[nodiscard]] std::uint64_t fetch(std::uint64_t now_ns, Client& client);
  /// Likewise, if requests are separated. A later time: the client fetches again then.
  [[nodiscard]] std::uint64_t fetch_apart(std::uint64_t now_ns, Client& client);
  /// Whether the next operation comes after the end of a part at which all clients wait.
  [[nodiscard]] bool is_at_part_end() const {
    return next_part_ < part_ends_.size() && fetched_ >= part_ends_[next_part_].operations;
  }
  /// The client waits for the others and for the store. The last one asks the store.
  [[nodiscard]] std::uint64_t wait_at_part_end(std::uint64_t now_ns, Client& client);
  void continue_part_end(std::uint64_t now_ns);
  /// The class whose oldest request is the oldest that a client may take now.
  [[nodiscard]] std::optional<std::size_t> class_to_take() const;
  [[nodiscard]] std::size_t class_of(const Operation& operation) const;
  std::uint64_t take(std::uint64_t now_ns, Client& client, const Request& request);
  [[nodiscard]] std::uint64_t take_none(Client& client);
  [[nodiscard]] bool separates_requests() const {
    return setup_.large_request && clients_.size() >= kRequestClasses &&
           !setup_.model.waits_for_last();
  }
  /// Does the puts that follow the client's last operation, equal it, and end before the next
  /// event. Returns when the last of them and the client's own work are done; now if there is none.
  [[nodiscard]] std::uint64_t repeat_puts(std::uint64_t now_ns, const Client& client);
  [[nodiscard]] std::uint64_t puts_to_repeat(std::uint64_t now_ns, const Client& client) const;
  /// Does such puts up to the next one that fills the log buffer, or that one. Advances `at_ns` and
  /// adds the processor time to `work_ns`. Returns how many puts it did.
  [[nodiscard]] std::uint64_t repeat_until_log_write(const Operation& put, std::uint64_t most,
                                                     std::uint64_t& at_ns, std::uint64_t& work_ns);
  [[nodiscard]] std::uint64_t begin_write(std::uint64_t now_ns, Client& client,
                                          std::uint32_t index);
  [[nodiscard]] std::uint64_t begin_put(std::uint64_t now_ns, Client& client);
  /// Processor time of the next write. It includes the system call if the write fills the log
  /// buffer.
  [[nodiscard]] std::uint64_t put_work_ns(const Operation& operation);
  [[nodiscard]] bool end_put(std::uint64_t now_ns, Client& client, std::uint32_t index);
  [[nodiscard]] std::uint64_t begin_read(std::uint64_t now_ns, Client& client);
  /// Begins work on the processor. Returns when it is done.
  [[nodiscard]] std::uint64_t work(std::uint64_t now_ns, Client& client, std::uint64_t work_ns) {
    client.work = machine_.cpu().begin(now_ns, work_ns, CpuShare::Kind::kClient, client.on_cpu);
    return now_ns + client.work.duration_ns;
  }
  /// Further time of the first work after a wait for the device; 0 for later work.
  [[nodiscard]] std::uint64_t cold_ns(Client& client) {
    return std::exchange(client.is_cold, false) ? machine_.costs().cold_ns : 0;
  }
  /// Gives the turn to the client that waits longest. on_client() then continues that client.
  void pass_turn();
  void begin_sync(std::uint64_t now_ns);
  /// The unsynced log bytes stay in memory until they are old enough to be written.
  void leave_log(std::uint64_t now_ns);
  void push_write_back(std::uint64_t now_ns);
  /// Ends the operation. Returns when the client sends its next one.
  [[nodiscard]] std::uint64_t complete(std::uint64_t now_ns, Client& client);
  void end_stall(std::uint64_t now_ns, Client& client);
  /// When a client that is slowed down continues, or checks whether it must still wait.
  [[nodiscard]] std::uint64_t next_look_ns(std::uint64_t now_ns, const Client& client) const;
  void push(std::uint64_t now_ns, std::uint32_t index) {
    events_.push(now_ns, EventKind::kClient, index);
  }

  const Setup setup_;
  SimulatedMachine& machine_;
  TimedStore& store_;
  EventQueue& events_;
  OperationSource& source_;
  RunRecorder& recorder_;
  RunControl& control_;
  RangeOperations* const repeats_;
  ArrivalTimes arrivals_;
  std::vector<Client> clients_;
  std::size_t done_ = 0;
  std::optional<Error> error_;
  std::vector<Operation> batch_;
  std::size_t batch_size_ = 0;
  std::size_t batch_at_ = 0;
  // If requests are separated: those that arrived, and the next one to arrive.
  std::array<std::deque<Request>, kRequestClasses> arrived_;
  std::array<std::size_t, kRequestClasses> busy_{};  // clients with requests of this class
  std::optional<Request> arriving_;
  bool is_writing_ = false;                     // a client has the turn
  std::deque<std::uint32_t> turn_queue_;        // clients that wait for the turn
  std::optional<std::uint32_t> turn_given_to_;  // client that just got it and continues now
  std::optional<std::uint32_t> stalled_;        // client that has the turn and may not write
  std::optional<std::uint32_t> held_up_;        // client that is stalled or slowed down
  std::vector<std::uint32_t> syncing_;          // clients whose writes the running sync covers
  std::vector<std::uint32_t> to_sync_;          // clients whose writes the next sync covers
  bool is_syncing_ = false;
  std::uint64_t puts_ = 0;
  std::uint64_t gathered_bytes_ = 0;  // in the log buffer
  std::uint64_t unsynced_bytes_ = 0;
  struct LogPiece {
    std::uint64_t due_ns = 0;  // when the system writes it
    std::uint64_t bytes = 0;
    std::uint64_t memtable = 0;  // the piece belongs to this memtable's log
  };
  std::deque<LogPiece> log_in_memory_;  // the event queue holds an event for the first
  std::uint64_t log_device_bytes_ = 0;
  std::uint64_t block_bytes_read_ = 0;
  const std::uint64_t loading_operations_;
  std::uint64_t fetched_ = 0;
  struct ClientsPartEnd {
    std::uint64_t operations = 0;  // of the run so far
    PartEnd then = PartEnd::kNothing;
    std::size_t clients_after = 1;
  };
  std::vector<ClientsPartEnd> part_ends_;  // those at which all clients wait
  std::size_t next_part_ = 0;
  std::size_t active_ = 1;                  // the first of clients_ send operations now
  std::vector<std::uint32_t> at_part_end_;  // clients that wait there
  std::uint64_t loaded_ns_ = 0;
  std::uint64_t last_done_ns_ = 0;
  std::array<LatencyHistogram, kOperationKinds> latencies_;
  struct Stall {
    std::uint64_t count = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t longest_ns = 0;
  };
  std::array<Stall, kStallReasons.size()> stalls_;  // by StallReason
  ArrivalFigures delays_;
};

}  // namespace lsmlab
