// Feeds operations to a store, whichever it is, and records what comes of them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/replay/replay_verify.h"
#include "models/accounting/latency_histogram.h"
#include "models/accounting/run_recorder.h"
#include "models/base/run_control.h"
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
  /// Whether there is such a key.
  [[nodiscard]] virtual Result<bool> get(std::string_view key) = 0;
  /// At most so many entries from the first key to the last.
  [[nodiscard]] virtual Result<void> scan(std::string_view first_key, std::string_view last_key,
                                          std::uint64_t entries_max) = 0;
  /// Writes the memtable out and waits until the policy wants nothing more.
  [[nodiscard]] virtual Result<void> flush() = 0;

  /// To be used within with_state() only.
  [[nodiscard]] virtual MeteredStore& metered() = 0;
  virtual void with_state(const std::function<void()>& look) = 0;
  /// Flushes that ended so far; asked after every operation.
  [[nodiscard]] virtual std::uint64_t flushes() const = 0;
};

struct ReplayRunOptions {
  bool is_timed = false;    // merges go on beside the client: operations take time of their own
  bool final_flush = true;  // flush what is left in the memtable at the end, and settle
  bool keeps_keys = false;  // for a verification at the end
};

class ReplayRun {
 public:
  /// REQUIRES: the target outlives the run.
  ReplayRun(ReplayTarget& target, const ReplayRunOptions& options)
      : target_(target),
        options_(options),
        recorder_(target.metered(), options.is_timed ? RunRecorder::SpaceCounts::kAtEnd
                                                     : RunRecorder::SpaceCounts::kAtDoublings) {}

  /// Every operation of the source, and the final flush. Returns whether it was not stopped.
  /// Errors: the source's; keys of fewer than 8 bytes; what the store reports.
  [[nodiscard]] Result<bool> run(OperationSource& source, RunControl& control);

  /// Once, when nothing runs any more, with latencies and rate where the run is timed.
  [[nodiscard]] Result<RunResult> result();
  [[nodiscard]] const WrittenKeys& written() const { return written_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Result<bool> feed(OperationSource& source, RunControl& control);
  [[nodiscard]] Result<void> take(const Operation& operation);
  void prepare(const Operation& operation);
  [[nodiscard]] Result<void> execute(const Operation& operation);
  [[nodiscard]] Result<void> observe();

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
  double client_seconds_ = 0;  // from there on
  double seconds_ = 0;
  WrittenKeys written_;
  std::array<LatencyHistogram, kOperationKinds> latencies_;
};

}  // namespace lsmlab::engine
