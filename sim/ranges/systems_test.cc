// Systems whose choices hang on what resolution range must draw, not average.
#include <cmath>

#include "testing/both_resolutions.h"

namespace lsmlab::range_systems_test {
namespace {

using namespace testing;

struct Row {
  std::string policy;
  std::string workload;
  double written;
};

void check_near(const Row& row) {
  INFO(row.policy << " on " << row.workload << ", seeds from 1 on");
  const Closeness close = closeness(row.policy, workload_of(row.workload));
  INFO("written " << close.written << ", merges " << close.merges << ", space " << close.space);
  REQUIRE(std::abs(close.written) < row.written);
  REQUIRE(std::abs(close.merges) < 0.06);
  REQUIRE(std::abs(close.space) < 0.06);
}

// It moves files that overlap nothing, and level 2 is full with 31 files: the entries beyond the
// outermost keys of older files are files of their own.
TEST_CASE("resolution range is near resolution key where files end beside each other's keys") {
  const std::string policy = "hyperleveldb:buffer=256KiB,file_size=256KiB";
  check_near({policy, "load:entries=500K", 0.04});
  check_near({policy, "load:entries=500K,update_fraction=40%,delete_fraction=10%", 0.06});
}

// A range's slice of a dump counts with whole blocks, of which it fills a part.
TEST_CASE("resolution range is near resolution key where slices are smaller than a block") {
  const std::string policy = "tarantool:buffer=256KiB,range_size_min=256KiB,range_size_max=4MiB";
  check_near({policy, "load:entries=500K", 0.03});
  check_near({policy, "load:entries=500K,update_fraction=50%", 0.03});
}

// The largest file of a level is merged, and full files differ in where their blocks ended.
TEST_CASE("resolution range is near resolution key where the largest of full files goes first") {
  const std::string store = ",buffer=256KiB,file_size=256KiB";
  for (const std::string version : {"6.12", "7.8"}) {
    check_near({"rocksdb-leveled:priority=by-compensated-size,version=" + version + store,
                "load:entries=500K,update_fraction=40%,delete_fraction=10%", 0.06});
  }
}

}  // namespace
}  // namespace lsmlab::range_systems_test
