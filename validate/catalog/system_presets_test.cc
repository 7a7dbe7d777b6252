// Defaults of systems that their presets must have. Each row names where the system has it.
#include <string>
#include <vector>

#include "testing/catch.h"
#include "validate/catalog/catalog.h"

namespace lsmlab::system_presets_test {
namespace {

std::string mebibytes(std::uint64_t count) { return std::to_string(count << 20); }

struct Row {
  std::string preset;
  std::string option;
  std::string value;
};

TEST_CASE("presets of systems have the defaults of their systems") {
  const std::vector<Row> rows{
      // vy_scheduler.c: "Don't compress L1 runs".
      {"tarantool-defaults", "compression", "none:zstd"},
      // StorageProperties.java: 0.9 of a quarter of the heap; NCService.java: half of the memory.
      {"asterixdb-concurrent-defaults", "buffer", mebibytes(8192 / 2 / 4 * 9 / 10)},
      {"asterixdb-concurrent-defaults", "compression", "snappy"},
      // ha_xengine.cc: DEFAULT_XENGINE_MIN_WRITE_BUFFER_NUMBER_TO_MERGE memtables at a time.
      {"x-engine-defaults", "buffer", mebibytes(2 * 256)},
      // HConstants.java: DEFAULT_BLOCKSIZE is 64 KiB, more than lsmlab's format has.
      {"hbase-defaults", "block_size", "32768"},
      {"hbase-ratio-based", "block_size", "32768"},
      // Compactor.java: only a merge of all files has COMPACT_DROP_DELETES.
      {"hbase-defaults", "deletes_go_with", "all"},
      // memTreeComponent.h: a merge waits below 0.8 of C0, and writers above all of it; a run of
      // random keys is twice what C0 holds.
      {"blsm-defaults", "buffer", mebibytes(2 * 100 * 9 / 10)},
  };
  for (const Row& row : rows) {
    INFO(row.preset << ", " << row.option);
    const auto policy = policy_of_spec(parse_spec(row.preset).value());
    REQUIRE(policy.has_value());
    REQUIRE(value_in_force(policy.value(), row.option) == row.value);
  }
}

}  // namespace
}  // namespace lsmlab::system_presets_test
