// A delete-aware store whose workload begins to delete and stops again: what it measures, what it
// sets, and that simulator, engine and a reopened store agree.
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/replay/engine_replay.h"
#include "models/execution/plan_log.h"
#include "models/theory/delete_aware_adaptation.h"
#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/runs.h"

namespace lsmlab::adaptation_test {
namespace {

constexpr std::uint64_t kPhaseOperations = 40'000;

// Puts of 100 bytes, one lookup in ten operations, and in the second of three phases one delete in
// ten.
class PhasedOperations : public OperationSource {
 public:
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && made_ < 3 * kPhaseOperations; ++filled, ++made_) {
      Operation& operation = operations[filled];
      operation = {};
      // More and more keys, of which the new ones lie anywhere.
      operation.key = (random_() % (1 + made_ / 3) * 2'654'435'761U) & 0xffffffffU;
      operation.key_bytes = 8;
      const std::uint64_t kind = random_() % 10;
      const bool deletes = made_ / kPhaseOperations == 1;
      if (kind == 0) operation.kind = OperationKind::kGet;
      if (kind == 1 && deletes) operation.kind = OperationKind::kDelete;
      if (operation.kind == OperationKind::kPut) operation.value_bytes = 92;
    }
    return filled;
  }

 private:
  std::mt19937_64 random_{1};
  std::uint64_t made_ = 0;
};

const std::string kRanges = "pre_remove=blocks,range_bytes=512";

struct Run {
  std::vector<PlanRecord> records;
  std::vector<std::string> log;
};

RunSetup logging_setup(const std::string& options, Run& run) {
  RunSetup setup = default_setup(testing::policy_of(
      "delete-aware:adapt_flushes=20,buffer=4000,block_size=4000,file_size=4000,level_base=16000,"
      "size_ratio=10," +
      options));
  setup.log = [&run](const PlanRecord& record) {
    run.records.push_back(record);
    run.log.push_back(plan_record_line(record));
  };
  return setup;
}

Run simulated(const std::string& options = kRanges) {
  Run run;
  RunControl control;
  PhasedOperations source;
  const auto result = simulate_keys(logging_setup(options, run), source, control);
  REQUIRE(result.has_value());
  return run;
}

Run replayed(const std::string& options) {
  Run run;
  engine::FaultFileSystem files(1);
  RunSetup setup = logging_setup(options, run);
  setup.options.source = RunSource::kEngine;
  engine::ReplayOptions replay;
  replay.directory = "db";
  replay.files = &files;
  RunControl control;
  PhasedOperations source;
  const auto result = engine::replay(setup, replay, source, control);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.has_value());
  return run;
}

std::vector<Adaptation> adaptations_of(const Run& run) {
  std::vector<Adaptation> found;
  for (const PlanRecord& record : run.records) {
    if (record.adaptation) found.push_back(*record.adaptation);
  }
  return found;
}

TEST_CASE("a delete-aware store follows a workload that begins to delete and stops again") {
  const std::vector<Adaptation> found = adaptations_of(simulated());
  REQUIRE(found.size() > 100);
  std::uint64_t flushes_before = 0;
  std::uint64_t with_deletes = 0;
  std::uint64_t by_deletes = 0;
  std::uint64_t after_deletes = 0;
  for (const Adaptation& adaptation : found) {
    INFO(adaptation.tuning.flush << ": " << adaptation.measured.deletes);
    REQUIRE(adaptation.tuning.flush - flushes_before == 20);
    flushes_before = adaptation.tuning.flush;
    REQUIRE(adaptation.costs.mean <= adaptation.costs.mean_before);
    const Traffic& measured = adaptation.measured;
    if (measured.deletes == 0) {
      // Without deletes only sizes can trigger merges from level 1 on, which pays off from some
      // hundred memtables on.
      if (adaptation.tuning.flush > 300) REQUIRE(adaptation.tuning.del_ratio_base_millionths == 0);
      if (with_deletes > 0) ++after_deletes;
    } else if (measured.deletes * 12 > measured.writes) {
      if (adaptation.tuning.del_ratio_base_millionths > 0) ++by_deletes;
      ++with_deletes;
    }
  }
  INFO(by_deletes << " of " << with_deletes);
  REQUIRE(with_deletes > 30);
  REQUIRE(by_deletes * 10 > with_deletes * 8);
  REQUIRE(after_deletes > 30);
}

TEST_CASE("simulator and engine adapt alike, and a plan log keeps what they set") {
  for (const std::string& options : {kRanges, std::string("trigger_after=30000")}) {
    INFO(options);
    const Run simulation = simulated(options);
    const Run engine_run = replayed(options);
    REQUIRE(simulation.log == engine_run.log);
    for (const PlanRecord& record : simulation.records) {
      if (!record.adaptation) continue;
      const auto read = parse_plan_record(plan_record_line(record));
      REQUIRE(read.has_value());
      REQUIRE(read.value().adaptation == record.adaptation);
    }
  }
}

TEST_CASE("a delete-aware store that is loaded first measures what comes after the load") {
  const std::vector<Adaptation> found = adaptations_of(simulated("trigger_after=30000"));
  REQUIRE(found.size() > 100);
  // The first only ends the load: it sets the options as given.
  REQUIRE(found[0].tuning.del_ratio_base_millionths == 1'000'000);
  REQUIRE(found[0].costs.mean == found[0].costs.mean_before);
  const std::uint64_t loaded = found[0].measured.lookups + found[0].measured.writes;
  REQUIRE(loaded >= 30'000);
  REQUIRE(loaded < 30'100);
  REQUIRE(found[1].tuning.flush - found[0].tuning.flush == 20);
  REQUIRE(found[1].measured.writes < 1'000);
}

}  // namespace
}  // namespace lsmlab::adaptation_test
