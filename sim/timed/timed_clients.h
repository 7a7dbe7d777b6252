// The clients of a timed run: they take operations from a source, one after another, and carry them
// through the store, its device and its processor, step by step.
//
//   put, delete  [waits its turn] -> [stall] -> [slowdown] -> processor -> [sync]
//   get, scan    processor -> device, a block at a time
//
// Writers go one at a time, as they do behind an engine's lock; one that stalls keeps its turn. Not
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
#include "sim/timed/client_model.h"
#include "sim/timed/event_queue.h"
#include "sim/timed/timed_store.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

class TimedClients {
 public:
  struct Setup {
    ClientModel model;
    std::uint64_t seed = 1;
    bool sync_writes = false;
    // Logged bytes that are gathered before the system gets them.
    std::uint64_t log_buffer_bytes = 0;
  };

  /// What clients work with; it must outlive them.
  struct World {
    SimulatedMachine& machine;
    TimedStore& store;
    EventQueue& events;
    OperationSource& source;
    RunRecorder& recorder;
    RunControl& control;
  };
  TimedClients(const Setup& setup, const World& world);

  /// Every client sends its first operation.
  void begin();
  /// An event of a client. Errors: the source's, the store's.
  [[nodiscard]] Result<void> on_client(std::uint64_t now_ns, std::uint32_t client);
  /// A sync is over.
  void on_sync(std::uint64_t now_ns);
  /// A piece of the log is as old as that.
  void on_write_back(std::uint64_t now_ns);
  /// A plan was finished: a stalled writer looks again.
  void on_progress(std::uint64_t now_ns);

  /// Whether its event is the end of what somebody does for it, and no timer.
  [[nodiscard]] bool is_at_work(std::uint32_t client) const {
    const Phase phase = clients_[client].phase;
    return works(phase) || phase == Phase::kReading || phase == Phase::kSyncing;
  }

  /// No operation is left, or under way.
  [[nodiscard]] bool is_done() const { return done_ == clients_.size(); }
  [[nodiscard]] std::uint64_t operations() const { return recorder_.operations(); }
  /// When the first operation after the loading ones was taken up.
  [[nodiscard]] std::uint64_t loaded_ns() const { return loaded_ns_; }
  /// When the last operation was done.
  [[nodiscard]] std::uint64_t last_done_ns() const { return last_done_ns_; }
  [[nodiscard]] OperationLatencies latencies() const { return latencies_of(latencies_); }
  [[nodiscard]] std::vector<StallFigures> stalls() const;
  /// By now, a stall that goes on included.
  [[nodiscard]] std::uint64_t stalled_ns(std::uint64_t now_ns) const;
  [[nodiscard]] std::uint64_t logged_bytes() const { return logged_bytes_; }
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
    bool is_loading = false;     // its latency is not asked
    bool is_cold = false;        // it waited for the device, and others used the caches
    std::uint64_t begin_ns = 0;  // from where the latency counts
    CpuShare::Work work;         // on the processor
    CpuShare::Thread on_cpu;
    std::uint64_t stalled_since = 0;
    std::uint64_t slowed_until_ns = 0;
    std::optional<StallReason> stall;
    std::uint64_t blocks_left = 0;  // to be read
    std::uint64_t blocks_on = 0;    // the last of them, which follow on others: read ahead
    std::uint64_t bytes_left = 0;   // of them
  };

  /// Its next step is when the work is over.
  static bool works(Phase phase) {
    return phase == Phase::kThinking || phase == Phase::kWriting || phase == Phase::kComputing;
  }

  static constexpr std::uint64_t kWaits = EventQueue::kNever;

  /// Goes on with a client; returns when it is to go on again, or kWaits where somebody else will
  /// tell. What fails is kept in error_.
  [[nodiscard]] std::uint64_t step(std::uint64_t now_ns, Client& client, std::uint32_t index);
  void fill_batch();
  [[nodiscard]] bool fetch(std::uint64_t now_ns, Client& client);
  [[nodiscard]] std::uint64_t begin_write(std::uint64_t now_ns, Client& client,
                                          std::uint32_t index);
  [[nodiscard]] std::uint64_t begin_put(std::uint64_t now_ns, Client& client);
  /// Work of the next write on the processor.
  [[nodiscard]] std::uint64_t put_work_ns(const Operation& operation);
  [[nodiscard]] bool end_put(std::uint64_t now_ns, Client& client, std::uint32_t index);
  [[nodiscard]] std::uint64_t begin_read(std::uint64_t now_ns, Client& client);
  /// When this much work on the processor is done.
  [[nodiscard]] std::uint64_t work(std::uint64_t now_ns, Client& client, std::uint64_t work_ns) {
    client.work = machine_.cpu().begin(now_ns, work_ns, CpuShare::Kind::kClient, client.on_cpu);
    return now_ns + client.work.duration_ns;
  }
  /// What the client's next work takes more, once after it waited for the device.
  [[nodiscard]] std::uint64_t cold_ns(Client& client) {
    return std::exchange(client.is_cold, false) ? machine_.costs().cold_ns : 0;
  }
  /// on_client() goes on with who waited longest.
  void pass_turn();
  void begin_sync(std::uint64_t now_ns);
  /// What was gathered stays in memory until it is old.
  void leave_log(std::uint64_t now_ns);
  void push_write_back(std::uint64_t now_ns);
  /// When the client sends its next operation.
  [[nodiscard]] std::uint64_t complete(std::uint64_t now_ns, Client& client);
  void end_stall(std::uint64_t now_ns, Client& client);
  /// When one that is held up goes on, or looks whether it must still wait.
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
  ArrivalTimes arrivals_;
  std::vector<Client> clients_;
  std::size_t done_ = 0;
  std::optional<Error> error_;
  std::vector<Operation> batch_;
  std::size_t batch_size_ = 0;
  std::size_t batch_at_ = 0;
  bool is_writing_ = false;                     // somebody has the turn
  std::deque<std::uint32_t> turn_queue_;        // who waits for it
  std::optional<std::uint32_t> turn_given_to_;  // who has it and goes on at the same time
  std::optional<std::uint32_t> stalled_;        // has the turn and may not go on
  std::optional<std::uint32_t> held_up_;        // the same, or is slowed down
  std::vector<std::uint32_t> syncing_;          // served by the sync under way
  std::vector<std::uint32_t> to_sync_;          // by the next
  bool is_syncing_ = false;
  std::uint64_t puts_ = 0;
  std::uint64_t gathered_bytes_ = 0;  // of the log
  std::uint64_t unsynced_bytes_ = 0;
  struct LogPiece {
    std::uint64_t due_ns = 0;  // when the system writes it
    std::uint64_t bytes = 0;
    std::uint64_t memtable = 0;  // whose log it is of
  };
  std::deque<LogPiece> log_in_memory_;  // an event is under way for the first
  std::uint64_t logged_bytes_ = 0;
  std::uint64_t log_device_bytes_ = 0;
  std::uint64_t block_bytes_read_ = 0;
  const std::uint64_t loading_operations_;
  std::uint64_t fetched_ = 0;
  std::uint64_t loaded_ns_ = 0;
  std::uint64_t last_done_ns_ = 0;
  std::array<LatencyHistogram, kOperationKinds> latencies_;
  struct Stall {
    std::uint64_t count = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t longest_ns = 0;
  };
  std::array<Stall, kStallReasons.size()> stalls_;  // by StallReason
};

}  // namespace lsmlab
