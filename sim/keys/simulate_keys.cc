#include "sim/keys/simulate_keys.h"

#include <chrono>
#include <vector>

#include "models/accounting/run_description.h"
#include "models/accounting/run_recorder.h"
#include "sim/keys/key_store.h"
#include "sim/keys/starting_records.h"

namespace lsmlab {
namespace {

class KeyRun {
 public:
  KeyRun(const RunSetup& setup, StoreObserver* observer, const std::atomic<bool>* stop)
      : store_(setup.policy, setup.log, observer),
        recorder_(store_.metered(), RunRecorder::SpaceCounts::kAtDoublings) {
    store_.stop_on(stop);
    recorder_.set_parts(setup.parts);
  }

  [[nodiscard]] Result<void> begin(const RunSetup& setup, OperationSource& source) {
    if (setup.start == nullptr) return success();
    return place_records(*setup.start, source, setup.options.seed, store_.files());
  }

  [[nodiscard]] Result<void> take(const Operation& operation) {
    if (recorder_.is_at_part_end()) [[unlikely]] {
      BOOST_OUTCOME_TRYV(end_parts());
    }
    recorder_.count(operation.kind);
    store_.advance_now(Instant(recorder_.operations()));
    const bool is_delete = operation.kind == OperationKind::kDelete;
    if (is_delete || operation.kind == OperationKind::kPut) {
      const std::uint32_t value_bytes = is_delete ? 0 : operation.value_bytes;
      BOOST_OUTCOME_TRYV(store_.write(operation.key, operation.key_bytes, value_bytes, is_delete));
    }
    if (operation.kind == OperationKind::kGet) static_cast<void>(store_.get(operation.key));
    if (operation.kind == OperationKind::kScan) {
      store_.scan({operation.key, operation.scan_last_key, operation.scan_entries_max}, {});
    }
    return recorder_.observe();
  }

  [[nodiscard]] Result<void> end_operations() {
    BOOST_OUTCOME_TRYV(end_parts());
    recorder_.end_operations();
    return success();
  }
  [[nodiscard]] Result<void> flush() {
    store_.flush();
    return recorder_.observe();
  }

  [[nodiscard]] Result<RunResult> result() { return recorder_.result(); }
  [[nodiscard]] std::uint64_t operations() const { return recorder_.operations(); }

 private:
  [[nodiscard]] Result<void> end_parts() {
    while (recorder_.is_at_part_end()) {
      const PartEnd asked = recorder_.asked_at_part_end();
      if (asked == PartEnd::kFlush) store_.flush();
      if (const auto scope = manual_scope_of(asked)) store_.compact(*scope);
      // kSettle: no plan is ever due between operations
      BOOST_OUTCOME_TRYV(recorder_.observe());
      recorder_.end_part();
    }
    return success();
  }

  KeyStore store_;
  RunRecorder recorder_;
};

}  // namespace

void describe_key_run(const RunSetup& setup, std::chrono::steady_clock::time_point begin,
                      RunResult& result) {
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  describe_run(setup, result);
}

Result<RunResult> simulate_keys(const RunSetup& setup, OperationSource& source, RunControl& control,
                                StoreObserver* observer) {
  constexpr std::size_t kBatchOperations = 4096;
  const auto begin = std::chrono::steady_clock::now();
  KeyRun run(setup, observer, control.stop);
  BOOST_OUTCOME_TRYV(run.begin(setup, source));
  std::vector<Operation> batch(kBatchOperations);
  bool complete = false;
  while (!control.should_stop()) {
    const std::size_t count = BOOST_OUTCOME_TRYX(source.fill(batch));
    if (count == 0) {
      complete = true;
      break;
    }
    for (const Operation& operation : std::span(batch).first(count)) {
      // one operation may be a long scan or cause very many merges
      if (control.should_stop()) break;
      BOOST_OUTCOME_TRYV(run.take(operation));
    }
    control.units_done.store(run.operations(), std::memory_order_relaxed);
  }
  BOOST_OUTCOME_TRYV(run.end_operations());
  if (complete && setup.options.final_flush) {
    BOOST_OUTCOME_TRYV(run.flush());
  }
  complete = complete && !control.should_stop();
  RunResult result = BOOST_OUTCOME_TRYX(run.result());
  describe_key_run(setup, begin, result);
  result.mode = "stepped";
  result.complete = complete;
  return result;
}

}  // namespace lsmlab
