// RocksDB's subcompactions: RocksDB divides its merges into as many parts as the policy does, and
// without a clock they change nothing.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/foreign/foreign_replay.h"
#include "testing/drawn_tree.h"
#include "testing/engine/scratch_directory.h"
#include "testing/every_policy.h"
#include "testing/random_operations.h"
#include "testing/stepped_log.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::subcompactions_agreement_test {
namespace {

std::vector<std::string> log_of(const std::string& spec, bool is_engine) {
  testing::RandomOperations source(3, 1'500);
  const RunSetup setup = default_setup(testing::small_policy(parse_spec(spec).value()));
  return testing::stepped_log(setup, source, is_engine);
}

TEST_CASE("without a clock subcompactions change no byte of a plan log") {
  for (const std::string policy :
       {"rocksdb-leveled:", "rocksdb-universal:", "silk:", "delete-aware:del_ratio_base=0.1,"}) {
    for (const bool is_engine : {false, true}) {
      INFO(policy << (is_engine ? " engine" : " simulator"));
      const auto one = log_of(policy + "max_subcompactions=1", is_engine);
      REQUIRE(one.size() > 30);
      REQUIRE((log_of(policy + "max_subcompactions=16", is_engine) == one));
    }
  }
}

#ifdef LSMLAB_WITH_ROCKSDB

constexpr std::uint64_t kFileBytes = 256 << 10;

struct Counted {
  std::uint64_t merges = 0;   // with files of level 0 into a deeper level
  std::uint64_t divided = 0;  // by RocksDB
  std::uint64_t alike = 0;    // into as many parts as by lsmlab
};

// How many parts lsmlab makes of a merge of two files of level 0 with so many bytes in all.
std::uint64_t parts_of(const Policy& policy, std::uint64_t bytes) {
  DrawnTree drawn({{0, 1, 10, 90, bytes / 2}, {0, 2, 10, 90, bytes - bytes / 2}});
  MergePlan merge;
  for (const SortedRun& run : drawn.view().levels()[0].runs) {
    merge.inputs.push_back(input_of(0, run, run.files));
  }
  merge.target = {1, std::nullopt};
  merge.cut.file_bytes = Bytes(kFileBytes);
  return std::max<std::size_t>(1, policy.merge_parts(drawn.view(), merge, 0).input_bytes.size());
}

Counted count_parts(const std::string& policy_text) {
  const engine::testing::ScratchDirectory scratch;
  const std::string place = scratch.path() + "/db";
  const auto policy = policy_of_spec(parse_spec(policy_text).value()).value();
  const auto workload = key_workload_of_spec(parse_spec("load:entries=200k").value()).value();
  const auto source = workload.open(1).value();
  RunSetup setup = default_setup(policy);
  setup.options.source = RunSource::kRocksdb;
  RunControl control;
  const auto replayed = engine::replay_foreign(setup, place, *source, control);
  INFO((replayed ? std::string() : replayed.error().message));
  REQUIRE(replayed.has_value());
  const stores::Store store = stores::read_store(place).value();
  REQUIRE(store.logs.size() == 1);
  Counted counted;
  for (const stores::LoggedCompaction& merge : store.logs.front().log.compactions) {
    if (!merge.is_finished || merge.output_level == 0 || merge.inputs.empty() ||
        merge.inputs.front().level != 0 || !merge.input_bytes) {
      continue;
    }
    ++counted.merges;
    if (merge.threads > 1) ++counted.divided;
    if (merge.threads == parts_of(*policy.policy, *merge.input_bytes)) ++counted.alike;
  }
  return counted;
}

TEST_CASE("RocksDB divides merges into as many parts as lsmlab") {
  const std::string options = fmt::format(
      "buffer=256KiB,file_size={},table_format=rocksdb,max_subcompactions=", kFileBytes);
  for (const std::string family :
       {"rocksdb-leveled:level_base=1MiB,size_ratio=4,", "rocksdb-universal:"}) {
    for (const std::uint64_t parts : {2U, 3U, 6U}) {
      const Counted counted = count_parts(family + options + std::to_string(parts));
      CAPTURE(family, parts, counted.merges, counted.divided, counted.alike);
      REQUIRE(counted.merges > 15);
      // RocksDB counts data blocks, lsmlab whole files, which have 2 % more.
      REQUIRE(10 * counted.alike >= 9 * counted.merges);
      REQUIRE((counted.divided > 0) == (parts > 2));
    }
  }
}

#endif

}  // namespace
}  // namespace lsmlab::subcompactions_agreement_test
