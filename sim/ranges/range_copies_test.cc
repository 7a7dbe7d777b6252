// Merges that leave copies, at resolution range: the space is that of resolution key, merges are
// those without copies, and reads are refused.
#include <cmath>

#include "testing/both_resolutions.h"

namespace lsmlab::range_copies_test {
namespace {

using namespace testing;

const std::string kLsbm = "lsbm:buffer=64KiB,file_size=64KiB,l0_size=1MiB,size_ratio=4,";

double most_on_disk(const RunResult& run) { return static_cast<double>(run.disk.file_bytes); }

TEST_CASE("copies at resolution range take the space of resolution key, and write nothing") {
  const OperationWorkload workload = workload_of("load:entries=300K,update_fraction=30%");
  const RunResult off = by_ranges(kLsbm + "compaction_buffer=off", workload);
  for (const std::string options :
       {"compaction_buffer=on", "compaction_buffer=on,hot_file_percent=0"}) {
    INFO(options);
    const RunResult on = by_ranges(kLsbm + options, workload);
    REQUIRE(on.totals.merges == off.totals.merges);
    REQUIRE(on.totals.merge_bytes_written == off.totals.merge_bytes_written);
    REQUIRE(most_on_disk(on) > most_on_disk(off));
    const RunResult keys = by_keys(kLsbm + options, workload);
    INFO(most_on_disk(on) << " bytes at most, at resolution key " << most_on_disk(keys));
    REQUIRE(std::abs(most_on_disk(on) / most_on_disk(keys) - 1) < 0.05);
  }
}

TEST_CASE("resolution range refuses reads where merges leave copies") {
  const OperationWorkload reads = workload_of("design-space-interleaved:entries=10K,lookups=1K");
  const auto run = try_ranges("lsbm:compaction_buffer=on", reads);
  REQUIRE(!run.has_value());
  REQUIRE(run.error().message ==
          "resolution 'range' does not know which blocks of compaction_buffer=on are cached when "
          "the workload reads; use resolution 'key'");
}

}  // namespace
}  // namespace lsmlab::range_copies_test
