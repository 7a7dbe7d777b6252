// Replays operations on any store and records the figures.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/replay/replay_verify.h"
#include "models/accounting/latency_histogram.h"
#include "models/accounting/live_bytes.h"
#include "models/accounting/run_recorder.h"
#include "models/base/run_control.h"
#include "traces/workloads/client_model.h"
#include "traces/workloads/made_data.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

/// A store that operations are replayed on.
class ReplayTarget {
 public:
  ReplayTarget() = default;
  ReplayTarget(const ReplayTarget&) = delete;
  ReplayTarget& operator=(const ReplayTarget&) = delete;
  virtual ~ReplayTarget() = default;

  [[nodiscard]] virtual Result<void> put(std::string_view key, std::string_view value) = 0;
  [[nodiscard]] virtual Result<void> remove(std::string_view key) = 0;
  /// Whether the key exists.
  [[nodiscard]] virtual Result<bool> get(std::string_view key) = 0;
  /// Reads at most entries_max entries from the first key to the last.
  [[nodiscard]] virtual Result<void> scan(std::string_view first_key, std::string_view last_key,
                                          std::uint64_t entries_max) = 0;
  /// Flushes the memtable and waits until the policy wants nothing more.
  [[nodiscard]] virtual Result<void> flush() = 0;
  /// Does what the client asks for at the end of a part, and waits until it is done. If the store
  /// is stepped, no merge is due afterwards.
  [[nodiscard]] virtual Result<void> end_part(PartEnd asked) = 0;

  /// May be used only within with_state(), except note_live_bytes().
  [[nodiscard]] virtual MeteredStore& metered() = 0;
  virtual void with_state(const std::function<void()>& look) = 0;
  /// Number of finished flushes; called after every operation.
  [[nodiscard]] virtual std::uint64_t flushes() const = 0;
  /// Durations of the finished flushes and merges; empty if the store does not tell.
  [[nodiscard]] virtual std::vector<JobTimes> job_times() { return {}; }
};

/// Error if the key is too small for its id, or the value too large for a store; such a value is
/// never made.
[[nodiscard]] Result<void> check_replayable(const Operation& operation, const KeyFormat& keys);

struct ReplayRunOptions {
  bool is_timed = false;    // merges run concurrently with the client: measure latencies
  bool final_flush = true;  // at the end, flush the memtable and settle
  bool keeps_keys = false;  // record the written keys for a verification
  ValueShape values = {};
  KeyFormat keys = {};
  std::vector<PartMark> parts = {};  // of the run, whose sums are shown apart
  ClientModel clients = {};          // if timed: when the one client sends its operations
  std::uint64_t seed = 1;
};

class ReplayRun {
 public:
  /// REQUIRES: the target outlives the run.
  ReplayRun(ReplayTarget& target, const ReplayRunOptions& options)
      : target_(target),
        options_(options),
        recorder_(target.metered(), options.is_timed ? RunRecorder::SpaceCounts::kAtEnd
                                                     : RunRecorder::SpaceCounts::kAtDoublings),
        written_(options.keys),
        arrivals_(options.clients, options.seed) {
    recorder_.set_parts(options.parts);
  }

  /// Runs every operation of the source and the final flush. Returns false if the run was stopped.
  /// Errors: those of the source; a key that is too short for its id; those of the store.
  [[nodiscard]] Result<bool> run(OperationSource& source, RunControl& control);

  /// The result, with latencies and rate if the run is timed. REQUIRES: called once, after run().
  [[nodiscard]] Result<RunResult> result();
  [[nodiscard]] const WrittenKeys& written() const { return written_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Result<bool> feed(OperationSource& source, RunControl& control);
  [[nodiscard]] Result<void> take(const Operation& operation, RunControl& control);
  /// Waits until the next operation may begin. Returns from when its latency counts.
  [[nodiscard]] Clock::time_point wait_for_arrival(OperationKind kind, RunControl& control);
  [[nodiscard]] Result<void> end_parts();
  void prepare(const Operation& operation);
  [[nodiscard]] Result<void> execute(const Operation& operation);
  [[nodiscard]] Result<void> observe();
  /// Data that drops removed is no longer live.
  void forget_dropped();

  ReplayTarget& target_;
  ReplayRunOptions options_;
  RunRecorder recorder_;
  std::string key_;
  std::string last_key_;
  std::string value_;
  std::uint64_t writes_ = 0;
  std::uint64_t flushes_ = 0;
  std::uint64_t loading_operations_ = 0;
  Clock::time_point loaded_at_;
  double client_seconds_ = 0;  // from loaded_at_ on
  double seconds_ = 0;
  WrittenKeys written_;
  ArrivalTimes arrivals_;
  Clock::time_point begin_;
  ArrivalFigures delays_;
  LiveBytes live_;
  std::size_t dropped_ = 0;  // files of StoreLedger::dropped() that are not live any more
  std::array<LatencyHistogram, kOperationKinds> latencies_;
};

}  // namespace lsmlab::engine
