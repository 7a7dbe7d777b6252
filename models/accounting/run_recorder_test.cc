#include "models/accounting/run_recorder.h"

#include "testing/catch.h"

namespace lsmlab::run_recorder_test {
namespace {

// A store whose flushes are files of 100 bytes in level 0, 40 of them alive.
class FakeStore final : public MeteredStore {
 public:
  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override { return {}; }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override {
    ++live_counts;
    if (fails) return machine_error("the disk is gone");
    return 40 * tree_.flush_count();
  }

  void flush() {
    begin_flush();
    end_flush();
  }
  void begin_flush() {
    const PendingFlush pending{Bytes(100), Entries(1), {}};
    tree_.begin_flush(pending);
    ledger_.begin_flush(pending);
    ledger_.add_write(10, 30, Instant(1));
  }
  void end_flush() {
    const Plan plan{PlanReason::kMemtableFull, FlushPlan{}, {}};
    TreeEdit edit = begin_edit(tree_, plan);
    File file;
    file.bytes = Bytes(100);
    file.entries = Entries(1);
    finish_file(file, tree_.allocate_file_id(), flush_sums(tree_, {}).flushes, {}, tree_.now());
    edit.added.push_back({{0, {}}, {file}});
    ledger_.record(tree_, plan, edit, nullptr);
    REQUIRE(tree_.apply(edit).has_value());
  }

  bool fails = false;
  int live_counts = 0;

 private:
  TreeState tree_;
  StoreLedger ledger_{{}};
};

TEST_CASE("a recorder shows the sums of each part, and those up to the last operation") {
  FakeStore store;
  std::uint64_t now_ns = 0;
  RunRecorder recorder(store, RunRecorder::SpaceCounts::kAtEnd);
  recorder.set_parts({{"load", 2}, {"mix", 5}});
  recorder.set_clock([&] { return now_ns; });
  REQUIRE(recorder.operations_to_part_end() == 2);
  for (int i = 0; i < 5; ++i) {
    recorder.count(i == 3 ? OperationKind::kGet : OperationKind::kPut);
    now_ns += 10;
    if (i != 3) store.flush();
    REQUIRE(recorder.observe().has_value());
  }
  recorder.end_operations();
  store.flush();
  REQUIRE(recorder.observe().has_value());
  const RunResult run = recorder.result().value();
  REQUIRE(run.parts.size() == 2);
  REQUIRE(run.parts[0].name == "load");
  REQUIRE(run.parts[0].operations == 2);
  REQUIRE(run.parts[0].flushes == 2);
  REQUIRE(run.parts[0].user_bytes == 80);
  REQUIRE(run.parts[0].file_bytes == 200);
  REQUIRE(run.parts[0].nanoseconds == 20);
  REQUIRE(run.parts[1].name == "mix");
  REQUIRE(run.parts[1].operations == 3);
  REQUIRE(run.parts[1].gets == 1);
  REQUIRE(run.parts[1].flush_bytes_written == 200);
  REQUIRE(run.parts[1].nanoseconds == 30);
  REQUIRE(run.at_last_operation->sums.flushes == 4);
  REQUIRE(run.at_last_operation->by_level.at(0).bytes_in == 400);
  REQUIRE(run.at_last_operation->levels.at(0).files == 4);
  REQUIRE(run.at_last_operation->job_times.empty());
  REQUIRE(run.final_levels.at(0).files == 5);
  REQUIRE(run.totals.flushes == 5);
}

TEST_CASE("a flush that runs at the last operation is not yet flushed then") {
  FakeStore store;
  RunRecorder recorder(store, RunRecorder::SpaceCounts::kAtEnd);
  for (int i = 0; i < 2; ++i) {
    recorder.count(OperationKind::kPut);
    store.flush();
  }
  recorder.count(OperationKind::kPut);
  store.begin_flush();
  recorder.end_operations();
  store.end_flush();
  REQUIRE(recorder.observe().has_value());
  const RunResult run = recorder.result().value();
  REQUIRE(run.at_last_operation->sums.flushes == 2);
  REQUIRE(run.at_last_operation->sums.bytes_flushed == 200);
  REQUIRE(run.at_last_operation->sums.flush_bytes_written == 200);
  REQUIRE(run.totals.flushes == 3);
  REQUIRE(run.totals.bytes_flushed == 300);
}

TEST_CASE("a part that asks its store for something is the caller's to end, and has what is done") {
  FakeStore store;
  RunRecorder recorder(store, RunRecorder::SpaceCounts::kAtEnd);
  recorder.set_parts({{"load", 2}, {"compact", 2, PartEnd::kCompact}, {"read", 3}});
  recorder.count(OperationKind::kPut, 2);
  recorder.count(OperationKind::kDelete, 0);
  store.flush();  // still of the load: no operation came after it
  REQUIRE(recorder.is_at_part_end());
  REQUIRE(recorder.asked_at_part_end() == PartEnd::kNothing);
  recorder.end_part();
  REQUIRE(recorder.asked_at_part_end() == PartEnd::kCompact);
  store.flush();
  store.flush();
  recorder.end_part();
  REQUIRE(!recorder.is_at_part_end());
  recorder.count(OperationKind::kGet);
  const RunResult run = recorder.result().value();
  REQUIRE(run.parts.size() == 3);
  REQUIRE(run.parts[0].flushes == 1);
  REQUIRE(run.parts[1].name == "compact");
  REQUIRE(run.parts[1].operations == 0);
  REQUIRE(run.parts[1].flushes == 2);
  REQUIRE(run.parts[2].gets == 1);
}

TEST_CASE("a run of one part, and one that ends in a part, have no more parts than they reached") {
  FakeStore one_part;
  RunRecorder alone(one_part, RunRecorder::SpaceCounts::kAtEnd);
  alone.set_parts({{"load", 2}});
  alone.count(OperationKind::kPut);
  alone.count(OperationKind::kPut);
  REQUIRE(alone.result().value().parts.empty());
  FakeStore stopped;
  RunRecorder recorder(stopped, RunRecorder::SpaceCounts::kAtEnd);
  recorder.set_parts({{"load", 2}, {"mix", 5}, {"read", 9}});
  recorder.count(OperationKind::kPut, 2);
  recorder.count(OperationKind::kPut);
  const RunResult run = recorder.result().value();
  REQUIRE(run.parts.size() == 2);
  REQUIRE(run.parts[1].operations == 1);
}

TEST_CASE("a recorder counts operations, runs after each flush, and the curves") {
  FakeStore store;
  RunRecorder recorder(store, RunRecorder::SpaceCounts::kAtDoublings);
  for (int i = 1; i <= 4; ++i) {
    recorder.count(OperationKind::kPut);
    if (i == 2) recorder.count(OperationKind::kGet);
    store.flush();
    REQUIRE(recorder.observe().has_value());
    REQUIRE(recorder.observe().has_value());  // nothing new
  }
  REQUIRE(store.live_counts == 3);  // after flushes 1, 2 and 4
  recorder.count(OperationKind::kDelete);
  recorder.count(OperationKind::kScan);
  const auto result = recorder.result();
  REQUIRE(result.has_value());
  const RunResult& run = result.value();
  REQUIRE(run.keys->operations == OperationCounts{4, 1, 1, 1});
  REQUIRE(run.runs == SortedRunCounts{1 + 2 + 3 + 4, 4});
  REQUIRE(run.totals.flush_bytes_written == 400);
  REQUIRE(run.live_bytes_ratio == 2.5);
  REQUIRE(run.keys->reads.has_value());
  REQUIRE(run.final_levels == std::vector<LevelSummary>{{4, 4, 400, 4, 0}});
  REQUIRE(run.series.size() == 4);
  REQUIRE(run.series[2].sorted_runs == 3);
  REQUIRE(run.series[2].keys->write == 2.5);
  REQUIRE(!run.series[2].keys->space);
  REQUIRE(run.series[3].keys == run.keys->final);
}

TEST_CASE("flushes between two looks count as if each had left the tree as it is") {
  FakeStore store;
  RunRecorder recorder(store, RunRecorder::SpaceCounts::kAtDoublings);
  for (int i = 0; i < 5; ++i) store.flush();
  REQUIRE(recorder.observe().has_value());
  REQUIRE(store.live_counts == 1);
  const auto result = recorder.result();
  REQUIRE(result.has_value());
  REQUIRE(result.value().runs == SortedRunCounts{5 * 5, 5});
  REQUIRE(result.value().series.size() == 1);
  REQUIRE(result.value().series[0].flushes == 5);
}

TEST_CASE("a store that cannot be read ends the recording with its error") {
  FakeStore store;
  RunRecorder recorder(store, RunRecorder::SpaceCounts::kAtDoublings);
  store.fails = true;
  store.flush();
  const auto observed = recorder.observe();
  REQUIRE(!observed.has_value());
  REQUIRE(observed.error().message == "the disk is gone");
  REQUIRE(!recorder.result().has_value());
}

}  // namespace
}  // namespace lsmlab::run_recorder_test
