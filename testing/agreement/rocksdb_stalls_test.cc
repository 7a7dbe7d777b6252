// RocksDB's own stalls do not stop the runs that measure it.
#include "engine/foreign/foreign_replay.h"
#include "testing/engine/scratch_directory.h"
#include "testing/every_policy.h"

namespace lsmlab::rocksdb_stalls_agreement_test {
namespace {

#ifdef LSMLAB_WITH_ROCKSDB

// RocksDB waits with a flush while level 0 has as many files as slow writes need, unless the merge
// that ends this can begin. Where merges begin at that number of files only, it cannot.
TEST_CASE("RocksDB is measured with merges that begin where writes become slow") {
  for (const std::string family : {"rocksdb-leveled:level_base=1MiB,", "rocksdb-universal:"}) {
    INFO(family);
    const engine::testing::ScratchDirectory scratch;
    const auto policy =
        policy_of_spec(
            parse_spec(family + "buffer=64KiB,table_format=rocksdb,l0_trigger=20").value())
            .value();
    const auto workload = key_workload_of_spec(parse_spec("load:entries=20k").value()).value();
    const auto source = workload.open(1).value();
    RunSetup setup = default_setup(policy);
    setup.options.source = RunSource::kRocksdb;
    RunControl control;
    const auto replayed = engine::replay_foreign(setup, scratch.path() + "/db", *source, control);
    REQUIRE(replayed.has_value());
    REQUIRE(replayed.value().totals.flushes > 30);
    REQUIRE(replayed.value().totals.merges > 0);
  }
}

#endif

}  // namespace
}  // namespace lsmlab::rocksdb_stalls_agreement_test
