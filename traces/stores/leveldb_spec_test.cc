// The memtable that a LevelDB's files tell of.
#include "traces/stores/leveldb_spec.h"

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::leveldb_spec_test {
namespace {

using lsmlab::testing::Scratch;
using lsmlab::testing::write_text;

const std::string kOpened =
    "2018/08/02-22:49:25.709436 700011bf4000 Recovering log #928\n"
    "2018/08/02-22:49:25.711374 700011bf4000 Level-0 table #930: started\n"
    "2018/08/02-22:49:25.721923 700011bf4000 Level-0 table #930: 150700 bytes OK\n"
    "2018/08/02-22:49:25.722820 700011bf4000 Delete type=0 #928\n";

PolicySpec spec_of(const std::string& log) {
  const Scratch scratch;
  write_text(scratch.path("LOG"), log);
  const Store store = read_store(scratch.path("LOG")).value();
  REQUIRE(store.system == StoreSystem::kLeveldb);
  return leveldb_spec(figures_of(store, "default"), store);
}

bool has(const PolicySpec& spec, const std::string& text) {
  return spec.spec.find("," + text + ",") != std::string::npos;
}

TEST_CASE("LevelDB's flush of a recovered log does not tell the size of a memtable") {
  const PolicySpec opened = spec_of(kOpened);
  REQUIRE(has(opened, "buffer=4MiB"));
  REQUIRE(std::any_of(opened.guesses.begin(), opened.guesses.end(), [](const PolicyGuess& guess) {
    return guess.parameter == "buffer" && guess.why.find("opened") != std::string::npos;
  }));
  const std::string flushed =
      "2018/08/02-22:50:25.711374 700011bf4000 Level-0 table #932: started\n"
      "2018/08/02-22:50:25.721923 700011bf4000 Level-0 table #932: 1048576 bytes OK\n";
  REQUIRE(has(spec_of(kOpened + flushed), "buffer=1MiB"));
}

TEST_CASE("A file smaller than any memtable of LevelDB's was no full one") {
  const std::string small =
      "2018/08/02-22:50:25.711374 700011bf4000 Level-0 table #932: started\n"
      "2018/08/02-22:50:25.721923 700011bf4000 Level-0 table #932: 5761 bytes OK\n";
  REQUIRE(has(spec_of(small), "buffer=4MiB"));
}

}  // namespace
}  // namespace lsmlab::stores::leveldb_spec_test
