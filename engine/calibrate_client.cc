// A replaying client at work on a store that does nothing.
#include "engine/calibrate_parts.h"
#include "engine/replay_run.h"
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
  explicit Puts(std::uint32_t value_bytes) : value_bytes_(value_bytes) {}
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && next_ < kPuts; ++filled, ++next_) {
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
  std::uint64_t next_ = 0;
};

}  // namespace

Result<double> measure_client_ns(std::uint32_t value_bytes) {
  NoStore store;
  ReplayRun run(store, {true, false, false});
  Puts puts(value_bytes);
  RunControl control;
  const double begin = thread_ns();
  const bool is_whole = BOOST_OUTCOME_TRYX(run.run(puts, control));
  static_cast<void>(is_whole);  // nobody stops it
  return (thread_ns() - begin) / kPuts;
}

}  // namespace lsmlab::engine
