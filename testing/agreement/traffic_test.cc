// Bytes by level and by reason: simulator and engine count the same, down to the byte. A second
// count from nothing but the lines of the plan log agrees with both, and all of it adds up to the
// totals.
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/replay/engine_replay.h"
#include "models/base/spec.h"
#include "models/execution/plan_log.h"
#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/every_policy.h"
#include "testing/random_operations.h"
#include "testing/runs.h"

namespace lsmlab::traffic_test {
namespace {

using Json = nlohmann::json;

struct Traffic {
  std::vector<LevelTraffic> by_level;
  std::vector<OutputTraffic> by_output_level;
  std::map<PlanReason, ReasonTraffic> by_reason;
};

struct Run {
  Totals totals;
  std::vector<std::string> log;
};

using MakeSource = std::unique_ptr<OperationSource> (*)();

constexpr std::uint64_t kOperations = 4'000;

std::unique_ptr<OperationSource> random_operations() {
  return std::make_unique<testing::RandomOperations>(7, kOperations);
}

// Keys in rising order: files do not overlap, so policies with partial levels move them.
class SequentialPuts : public OperationSource {
 public:
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && next_key_ < kOperations; ++filled) {
      operations[filled] = {};
      operations[filled].key = next_key_++;
      operations[filled].key_bytes = 16;
      operations[filled].value_bytes = 50;
    }
    return filled;
  }

 private:
  std::uint64_t next_key_ = 0;
};

std::unique_ptr<OperationSource> sequential_puts() { return std::make_unique<SequentialPuts>(); }

ConfiguredPolicy small(const std::string& text) {
  return testing::small_policy(parse_spec(text).value());
}

RunSetup logging_setup(const ConfiguredPolicy& policy, std::vector<std::string>& log) {
  RunSetup setup = default_setup(policy);
  setup.log = [&log](const PlanRecord& record) { log.push_back(plan_record_line(record)); };
  return setup;
}

Run simulated(const ConfiguredPolicy& policy, MakeSource make_source) {
  Run run;
  RunControl control;
  const std::unique_ptr<OperationSource> source = make_source();
  auto result = simulate_keys(logging_setup(policy, run.log), *source, control);
  REQUIRE(result.has_value());
  run.totals = result.value().totals;
  return run;
}

Run replayed(const ConfiguredPolicy& policy, MakeSource make_source) {
  Run run;
  engine::FaultFileSystem files(1);
  RunSetup setup = logging_setup(policy, run.log);
  setup.options.source = RunSource::kEngine;
  setup.options.sync = SyncRule::kEveryBatch;
  setup.options.sync_files = true;
  engine::ReplayOptions options;
  options.directory = "db";
  options.files = &files;
  RunControl control;
  const std::unique_ptr<OperationSource> source = make_source();
  auto result = engine::replay(setup, options, *source, control);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.has_value());
  run.totals = result.value().totals;
  return run;
}

std::uint64_t sum_of(const Json& files) {
  std::uint64_t bytes = 0;
  for (const Json& file : files) bytes += file.at("bytes").get<std::uint64_t>();
  return bytes;
}

// Adds one line of the plan log to the second count.
void count_line(const Json& plan, Traffic& traffic) {
  const auto at = [&](std::uint64_t level) -> LevelTraffic& {
    traffic.by_level.resize(std::max<std::size_t>(traffic.by_level.size(), level + 1));
    return traffic.by_level[level];
  };
  const auto into = [&](std::uint64_t level) -> OutputTraffic& {
    traffic.by_output_level.resize(
        std::max<std::size_t>(traffic.by_output_level.size(), level + 1));
    return traffic.by_output_level[level];
  };
  const std::string kind = plan.at("plan");
  const std::uint64_t target = plan.at("target_level");
  const std::uint64_t out_bytes = sum_of(plan.at("outputs"));
  ReasonTraffic& reason =
      traffic.by_reason[reason_of_name(plan.at("reason").get<std::string>()).value()];
  ++reason.plans;
  if (kind == "link" || kind == "drop" || kind == "refer" || kind == "trim") return;
  if (out_bytes > 0) at(target).bytes_in += out_bytes;
  if (kind == "move") {
    reason.bytes_moved += out_bytes;
    into(target).bytes_moved_in += out_bytes;
    for (const Json& file : plan.at("inputs")) {
      at(file.at("level")).bytes_moved += file.at("bytes").get<std::uint64_t>();
    }
    return;
  }
  reason.bytes_written += out_bytes;
  ++into(target).jobs;
  into(target).bytes_written += out_bytes;
  if (kind != "merge") return;
  const std::uint64_t entries_in = plan.at("entries_in");
  into(target).entries_read += entries_in;
  into(target).entries_dropped += entries_in - plan.at("entries_out").get<std::uint64_t>();
  std::map<std::uint64_t, std::uint64_t> level_of_file;
  std::uint64_t first = target;
  if (!plan.at("inputs").empty()) first = plan.at("inputs").at(0).at("level");
  for (const Json& file : plan.at("inputs")) {
    level_of_file[file.at("id")] = file.at("level");
    first = std::min<std::uint64_t>(first, file.at("level"));
  }
  at(first).bytes_written += out_bytes;
  const auto read = [&](std::uint64_t level, std::uint64_t bytes) {
    reason.bytes_read += bytes;
    (level == first ? at(first).bytes_read : at(first).bytes_read_next) += bytes;
    (level == target ? into(target).bytes_read_own : into(target).bytes_read_others) += bytes;
  };
  for (const Json& file : plan.at("inputs")) read(file.at("level"), file.at("bytes"));
  for (const Json& slice : plan.value("slices", Json::array())) {
    read(level_of_file.at(slice.at("file")), slice.at("bytes"));
  }
}

Traffic counted(const std::vector<std::string>& log) {
  Traffic traffic;
  for (const std::string& line : log) count_line(Json::parse(line), traffic);
  return traffic;
}

void require_sums(const Totals& totals) {
  LevelTraffic levels;
  for (const LevelTraffic& level : totals.by_level) levels += level;
  ReasonTraffic reasons;
  for (const auto& [reason, traffic] : totals.by_reason) reasons += traffic;
  const Uint128 written = totals.flush_bytes_written + totals.merge_bytes_written;
  REQUIRE(levels.bytes_read + levels.bytes_read_next == totals.merge_bytes_read);
  REQUIRE(levels.bytes_written == totals.merge_bytes_written);
  REQUIRE(levels.bytes_in == written + levels.bytes_moved);
  REQUIRE(reasons.bytes_read == totals.merge_bytes_read);
  REQUIRE(reasons.bytes_written == written);
  REQUIRE(reasons.bytes_moved == levels.bytes_moved);
  REQUIRE((totals.moves == 0) == (levels.bytes_moved == 0));
  OutputTraffic outputs;
  for (const OutputTraffic& level : totals.by_output_level) outputs += level;
  REQUIRE(outputs.bytes_read_own + outputs.bytes_read_others == totals.merge_bytes_read);
  REQUIRE(outputs.bytes_written == written);
  REQUIRE(outputs.bytes_moved_in == levels.bytes_moved);
  REQUIRE(outputs.entries_dropped == totals.entries_dropped);
  // All other plans are flushes that are not part of a merge.
  const std::uint64_t without_flushes =
      totals.merges + totals.moves + totals.links + totals.drops + totals.refers + totals.trims;
  const auto cold = totals.by_reason.find(PlanReason::kColdCopies);
  REQUIRE(totals.trims == (cold == totals.by_reason.end() ? 0 : cold->second.plans));
  REQUIRE(reasons.plans >= without_flushes);
  REQUIRE(reasons.plans <= without_flushes + totals.flushes);
}

void require_counted(const Run& run) {
  const Traffic traffic = counted(run.log);
  REQUIRE(run.totals.by_level == traffic.by_level);
  REQUIRE(run.totals.by_output_level == traffic.by_output_level);
  REQUIRE(run.totals.by_reason == traffic.by_reason);
  require_sums(run.totals);
}

TEST_CASE("bytes by level and by reason add up to the totals") {
  for (const Spec& spec : testing::every_policy(testing::PolicyShare::kThird)) {
    const ConfiguredPolicy policy = testing::small_policy(spec);
    INFO(policy.label);
    require_counted(simulated(policy, random_operations));
  }
}

TEST_CASE("simulator and engine count the same bytes by level and by reason, and so does the log") {
  for (const char* text : {"lo+1", "leveldb", "rocksdb-leveled", "ldc", "tiered", "tier",
                           "binomial", "binomial:flush=separate", "leveled-full",
                           "rocksdb-universal", "rocksdb-universal:l0_trigger=8", "tsd"}) {
    INFO(text);
    const ConfiguredPolicy policy = small(text);
    const Run simulation = simulated(policy, random_operations);
    const Run replay = replayed(policy, random_operations);
    REQUIRE(simulation.totals.merges > 0);
    REQUIRE(simulation.totals.by_level == replay.totals.by_level);
    REQUIRE(simulation.totals.by_output_level == replay.totals.by_output_level);
    REQUIRE(simulation.totals.by_reason == replay.totals.by_reason);
    require_counted(simulation);
    require_counted(replay);
  }
}

TEST_CASE("a sequential load moves files, and their bytes count in the levels that they leave") {
  for (const char* text : {"lo+1", "leveldb", "rocksdb-leveled", "ldc", "leveled"}) {
    INFO(text);
    const ConfiguredPolicy policy = small(text);
    const Run simulation = simulated(policy, sequential_puts);
    const Run replay = replayed(policy, sequential_puts);
    REQUIRE(simulation.totals.by_level == replay.totals.by_level);
    REQUIRE(simulation.totals.by_output_level == replay.totals.by_output_level);
    REQUIRE(simulation.totals.by_reason == replay.totals.by_reason);
    require_counted(simulation);
    require_counted(replay);
    const Totals& totals = simulation.totals;
    REQUIRE(totals.moves > 0);
    Uint128 moved = 0;
    for (const auto& [reason, traffic] : totals.by_reason) moved += traffic.bytes_moved;
    REQUIRE(moved > 0);
    REQUIRE(totals.by_level.back().bytes_moved == 0);
  }
}

TEST_CASE("at resolution flush, the stack's count is that of the log's lines") {
  for (const char* text : {"bigtable:k=4", "binomial:k=4", "binomial:k=4,flush=separate",
                           "tiered:size_ratio=3", "tiered:size_ratio=3,flush=separate",
                           "leveled-full:size_ratio=3", "leveled-full:size_ratio=3,flush=separate",
                           "exploring:k=5", "ratio-based:preset=accumulo", "none"}) {
    for (const char* distribution : {"constant", "exponential"}) {
      INFO(text << ", " << distribution);
      const FlushWorkload workload =
          testing::flushes_of(std::string("count=3000,size=1000,distribution=") + distribution);
      Run run;
      testing::run_tree(text, workload, 3, [&](const PlanRecord& record) {
        run.log.push_back(plan_record_line(record));
      });
      run.totals = testing::run_fast(text, workload, 3).totals;
      require_counted(run);
      REQUIRE(run.totals.by_reason.contains(PlanReason::kMemtableFull));
    }
  }
}

}  // namespace
}  // namespace lsmlab::traffic_test
