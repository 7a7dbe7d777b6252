// Measures a replay's client: on a store that does nothing, and on a store whose threads work.
#include <filesystem>
#include <thread>

#include "engine/calibration/measure/measure.h"
#include "engine/replay/engine_replay.h"
#include "engine/replay/replay_run.h"
#include "models/accounting/store_ledger.h"
#include "models/base/check.h"
#include "models/base/random.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kPuts = 200'000;

class NoStore final : public ReplayTarget, public MeteredStore {
 public:
  [[nodiscard]] Result<void> put(std::string_view, std::string_view) override { return success(); }
  [[nodiscard]] Result<void> remove(std::string_view) override { return success(); }
  [[nodiscard]] Result<bool> get(std::string_view) override { return false; }
  [[nodiscard]] Result<void> scan(std::string_view, std::string_view, std::uint64_t) override {
    return success();
  }
  [[nodiscard]] Result<void> flush() override { return success(); }
  [[nodiscard]] Result<void> end_part(PartEnd) override { return success(); }
  [[nodiscard]] MeteredStore& metered() override { return *this; }
  void with_state(const std::function<void()>& look) override { look(); }
  [[nodiscard]] std::uint64_t flushes() const override { return 0; }

  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override { return {}; }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override { return std::uint64_t{0}; }

 private:
  TreeState tree_;
  StoreLedger ledger_{{}};
};

class Puts final : public OperationSource {
 public:
  Puts(std::uint32_t value_bytes, std::uint64_t count) : value_bytes_(value_bytes), count_(count) {}
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && next_ < count_; ++filled, ++next_) {
      Operation& operation = operations[filled];
      operation = {};
      operation.key = mix_bits(next_);
      operation.key_bytes = 16;
      operation.value_bytes = value_bytes_;
    }
    return filled;
  }

 private:
  std::uint32_t value_bytes_;
  std::uint64_t count_;
  std::uint64_t next_ = 0;
};

// Reads the clocks when half of the puts are requested, and when all are done. In the first half
// the store still takes memory from the system.
class WatchedPuts final : public OperationSource {
 public:
  WatchedPuts(std::uint32_t value_bytes, std::uint64_t count)
      : puts_(value_bytes, count), half_(count / 2) {}
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    if (begin_.puts == 0 && given_ >= half_) begin_ = look();
    const std::size_t count = BOOST_OUTCOME_TRYX(puts_.fill(operations));
    given_ += count;
    if (count == 0) end_ = look();
    return count;
  }
  [[nodiscard]] BusyReplay second_half() const {
    CHECK(begin_.puts > 0 && end_.puts > begin_.puts);
    const double other_cores = std::max(1.0, std::thread::hardware_concurrency() - 1.0);
    const double cores_ns = (end_.clock_ns - begin_.clock_ns) * other_cores;
    const double own_ns = end_.own_ns - begin_.own_ns;
    const double others_ns = end_.others_ns - begin_.others_ns;
    BusyReplay replay;
    replay.nanoseconds = own_ns / static_cast<double>(end_.puts - begin_.puts);
    replay.others_busy = std::clamp(others_ns / cores_ns, 0.0, 1.0);
    return replay;
  }

 private:
  struct Look {
    std::uint64_t puts = 0;
    double own_ns = 0;
    double others_ns = 0;
    double clock_ns = 0;
  };
  [[nodiscard]] Look look() const {
    const double own_ns = thread_ns();
    const auto clock = CalibrateClock::now().time_since_epoch();
    return {given_, own_ns, process_ns() - own_ns, static_cast<double>(clock.count())};
  }

  Puts puts_;
  std::uint64_t half_;
  std::uint64_t given_ = 0;
  Look begin_;
  Look end_;
};

}  // namespace

Result<double> measure_client_ns(std::uint32_t value_bytes) {
  NoStore store;
  ReplayRun run(store, {true, false, false});
  Puts puts(value_bytes, kPuts);
  RunControl control;
  const double begin = thread_ns();
  const bool is_whole = BOOST_OUTCOME_TRYX(run.run(puts, control));
  static_cast<void>(is_whole);  // nothing stops this run
  return (thread_ns() - begin) / kPuts;
}

Result<BusyReplay> measure_busy_replay(RunSetup run, const ReplayOptions& options,
                                       std::uint32_t value_bytes, std::uint64_t puts) {
  CHECK(puts > 0);
  WatchedPuts source(value_bytes, 2 * puts);
  run.options.final_flush = false;
  RunControl control;
  const Result<RunResult> result = replay(run, options, source, control);
  std::error_code ignored;
  std::filesystem::remove_all(options.directory, ignored);
  if (!result) return result.error();
  return source.second_half();
}

}  // namespace lsmlab::engine
