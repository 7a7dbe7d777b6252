// What changes of a user's store begin from.
#include <memory>

#include "testing/catch.h"
#include "validate/stores/what_if.h"
#include "validate/stores/what_if_text.h"

namespace lsmlab::what_if_start_test {
namespace {

// 30,000 records in level 2.
StoreCase case_with_tree() {
  StoreCase asked;
  asked.policy.spec =
      "rocksdb-leveled:buffer=64KiB,file_size=64KiB,level_base=1MiB,size_ratio=4,levels=3";
  asked.workload.writes = 40'000;
  asked.workload.update_fraction = 1;
  asked.workload.spec = "load:entries=40000";
  stores::FlushFigures& flushes = asked.reported.flushes;
  flushes.bytes = 60'000;
  flushes.flushes = 10;
  flushes.entries = 1000;
  flushes.raw_key_bytes = 16'000;
  flushes.raw_value_bytes = 100'000;
  StartingTree tree;
  tree.records = 30'000;
  tree.runs = {{2, {{0, 0.5, 15'000}, {0.5, 1, 15'000}}}};
  asked.starts.now = std::make_shared<const StartingTree>(tree);
  return asked;
}

WhatIfAnswer whole_answer(const StoreCase& asked, const WhatIfQuestion& question) {
  return simulate_runs(runs_of(asked, question).value(), {}).value();
}

TEST_CASE("from now on, writes draw one of as many keys as before, until all are there") {
  StoreCase asked = case_with_tree();
  asked.workload.update_fraction = 0;
  asked.workload.drawn_keys = 40'000;
  // 60,000 draws hit all but a share of exp(-1.5) of the 10,000 keys that are not there yet.
  const std::string spec = asked.workload_after(*asked.starts.now, false);
  REQUIRE(spec.starts_with("load:records=30000,entries=60000,"));
  REQUIRE(spec.ends_with(",update_fraction=0.8705"));
}

TEST_CASE("from now on, writes are like those of the later half of the history") {
  StoreCase asked = case_with_tree();
  asked.workload.update_fraction = 0.5;
  asked.workload.lately = stores::LateWrites{0.8, 0.1, 0.99, 30'000, "as lately"};
  const std::string spec = asked.workload_after(*asked.starts.now, false);
  REQUIRE(spec.ends_with(
      ",update_fraction=0.8000,delete_fraction=0.1000,update_distribution=zipfian,zipf_exponent="
      "0.99"));
  REQUIRE(asked.workload_after(*asked.starts.now, true).ends_with(",update_fraction=0.5000"));
}

TEST_CASE("what is loaded anew is compared with today's options loaded anew") {
  WhatIfQuestion question;
  question.changes = {"policy=tiered:buffer=64KiB"};
  const StoreCase asked = case_with_tree();
  const WhatIfAnswer found = whole_answer(asked, question);
  REQUIRE(&found.baseline_of(found.variants[0]) == &found.variants[0]);
  REQUIRE(&found.baseline_of(found.variants[2]) == &found.variants[1]);
  const std::string text = variants_text(asked, found);
  REQUIRE(text.find("\ntoday's options (loaded anew) ") != std::string::npos);
  REQUIRE(text.find("\npolicy=tiered:buffer=64KiB (loaded anew) ") != std::string::npos);
  REQUIRE(what_if_json(asked, found)["variants"][2]["is_loaded_anew"] == true);
}

TEST_CASE("RocksDB's other style goes on from today's tree, whose levels are its sorted runs") {
  WhatIfQuestion question;
  question.changes = {"policy=rocksdb-universal:buffer=64KiB,levels=7"};
  StoreCase asked = case_with_tree();
  const WhatIfRuns runs = runs_of(asked, question).value();
  REQUIRE(runs.variants.size() == 2);
  REQUIRE(runs.variants[1].run.setup.start == asked.starts.now);
  asked.policy.spec = "rocksdb-universal:buffer=64KiB,levels=7";
  question.changes = {"policy=rocksdb-leveled:buffer=64KiB,levels=7"};
  REQUIRE(runs_of(asked, question).value().variants[1].run.setup.start == asked.starts.now);
}

TEST_CASE("changes that exclude each other are simulated alone, and the answer says so") {
  WhatIfQuestion question;
  StoreCase asked = case_with_tree();
  asked.starts = {};
  asked.policy.spec = "rocksdb-universal:buffer=64KiB";
  asked.options.emplace();
  asked.options->options.emplace();
  asked.options->options->add_family("default").values["compaction_style"] =
      "kCompactionStyleUniversal";
  asked.reported.name = "default";
  question.changes = {"max_size_amplification_percent=50", "compaction_style=level"};
  const WhatIfAnswer found = whole_answer(asked, question);
  REQUIRE(found.variants.size() == 3);
  REQUIRE(found.lack_of_all.find("max_size_amplification_percent") != std::string::npos);
  REQUIRE(variants_text(asked, found).find("\nall together: not simulated: ") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::what_if_start_test
