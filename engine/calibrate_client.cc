// A replaying client at work on a store that does nothing.
#include <filesystem>
#include <thread>

#include "engine/calibrate_parts.h"
#include "engine/replay.h"
#include "engine/replay_run.h"
#include "models/check.h"
#include "models/store_ledger.h"
#include "models/tree.h"
#include "traces/random.h"

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

}  // namespace

Result<double> measure_client_ns(std::uint32_t value_bytes) {
  NoStore store;
  ReplayRun run(store, {true, false, false});
  Puts puts(value_bytes, kPuts);
  RunControl control;
  const double begin = thread_ns();
  const bool is_whole = BOOST_OUTCOME_TRYX(run.run(puts, control));
  static_cast<void>(is_whole);  // nobody stops it
  return (thread_ns() - begin) / kPuts;
}

Result<BusyReplay> measure_busy_replay(const std::string& directory, StoreSetup setup,
                                       std::uint32_t value_bytes, std::uint64_t puts) {
  CHECK(puts > 0);
  Puts source(value_bytes, puts);
  ReplayOptions options;
  options.final_flush = false;
  RunControl control;
  const CalibrateClock::time_point clock_begin = CalibrateClock::now();
  const double others_begin = process_ns() - thread_ns();
  const double begin = thread_ns();
  const Result<RunResult> result = replay(directory, std::move(setup), source, options, control);
  const double taken = thread_ns() - begin;
  const double others = process_ns() - thread_ns() - others_begin;
  const auto clock_ns = static_cast<double>((CalibrateClock::now() - clock_begin).count());
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  if (!result) return result.error();
  const double other_cores = std::max(1.0, std::thread::hardware_concurrency() - 1.0);
  return BusyReplay{taken / static_cast<double>(puts),
                    std::clamp(others / clock_ns / other_cores, 0.0, 1.0)};
}

}  // namespace lsmlab::engine
