// Forced plans on hand-made trees: which files a plan finds if the tree's files are not exactly the
// log's, and which logs are errors. testing/agreement/identity_test.cc shows that whole runs
// reproduce their log.
#include "models/execution/forced_plans.h"

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/tree_text.h"

namespace lsmlab::forced_plans_test {
namespace {

using testing::plan_text;
using testing::tree_of_text;

const char* const kFlush =
    R"({"sequence":1,"plan":"flush","reason":"memtable-full","flush":1,"memtable_bytes":100,"inputs":[],"target_level":0,"outputs":[{"id":1,"bytes":100,"keys":[10,50]}],"entries_in":4,"entries_out":4})";
const char* const kPushDown =
    R"({"sequence":2,"plan":"merge","reason":"level-saturated","flush":1,"inputs":[{"id":1,"level":0,"bytes":100}],"target_level":1,"outputs":[{"id":2,"bytes":60,"keys":[10,30]},{"id":3,"bytes":60,"keys":[31,50]}],"entries_in":4,"entries_out":4})";
const char* const kMove =
    R"({"sequence":3,"plan":"move","reason":"level-saturated","flush":1,"inputs":[{"id":3,"level":1,"bytes":60}],"target_level":2,"outputs":[{"id":3,"bytes":60,"keys":[31,50]}],"entries_in":2,"entries_out":2})";
const char* const kMoveBeside =
    R"({"sequence":4,"plan":"move","reason":"level-saturated","flush":1,"inputs":[{"id":2,"level":1,"bytes":60}],"target_level":2,"target_run":3,"outputs":[{"id":2,"bytes":60,"keys":[10,30]}],"entries_in":2,"entries_out":2})";

const char* const kLink =
    R"({"sequence":2,"plan":"link","reason":"level-saturated","flush":1,"inputs":[{"id":1,"level":0,"bytes":100}],"slices":[{"frozen":1,"file":9,"bytes":50}],"target_level":1,"outputs":[],"entries_in":4,"entries_out":0})";

Result<std::shared_ptr<const Policy>> policy_of(const std::vector<std::string>& lines) {
  std::vector<PlanRecord> records;
  for (const std::string& line : lines) {
    auto record = parse_plan_record(line);
    REQUIRE(record.has_value());
    records.push_back(std::move(record).value());
  }
  return force_plans(make_policy({"leveldb", {}}).value().policy, records);
}

std::string fault_of(const std::vector<std::string>& lines) {
  const auto policy = policy_of(lines);
  REQUIRE(!policy.has_value());
  return policy.error().message;
}

std::string with(std::string line, const std::string& part, const std::string& by) {
  const std::size_t at = line.find(part);
  REQUIRE(at != std::string::npos);
  return line.replace(at, part.size(), by);
}

TEST_CASE("forced plans come in the log's order, flushes when there is a memtable") {
  const auto policy = policy_of({kFlush, kPushDown, kMove}).value();
  TreeState tree;
  REQUIRE(!policy->pick(tree));
  tree.begin_flush({Bytes(90), Entries(4), {11, 52}});
  const auto flush = policy->pick(tree);
  REQUIRE(plan_text(tree, flush) == "flush -> 0, memtable-full, cursor 0=1");
}

TEST_CASE("a forced merge takes the files that stand where the log's stood, and cuts as it did") {
  const auto policy = policy_of({kFlush, kPushDown, kMove}).value();
  const TreeState tree = tree_of_text("0@1 7:11-52*90");
  const auto merge = policy->pick(tree);
  REQUIRE(plan_text(tree, merge) == "merge 0:7 -> 1, level-saturated, cursor 0=2");
  const OutputCut& cut = std::get<MergePlan>(merge->action).cut;
  REQUIRE(cut.file_begins == std::vector<std::uint64_t>{31});
  REQUIRE(!cut.file_bytes);
}

TEST_CASE("a forced move takes the file in the same place, and none where there is none") {
  const auto policy = policy_of({kFlush, kPushDown, kMove}).value();
  // In the log's tree, file 3 is responsible for all keys above 30.
  const TreeState tree = tree_of_text("0@2; 1 4:12-28*60 5:29-55*60");
  REQUIRE(plan_text(tree, policy->pick(tree)) == "move 1:5 -> 2, level-saturated, cursor 0=3");
  const TreeState elsewhere = tree_of_text("0@2 8:1-9*10");
  REQUIRE(!policy->pick(elsewhere));
}

TEST_CASE("a forced move that overlaps a file of the run it joins becomes a merge with it") {
  const auto policy = policy_of({kFlush, kPushDown, kMove, kMoveBeside}).value();
  const TreeState clear = tree_of_text("0@3; 1 4:12-32*60; 2 5:33-55*60");
  REQUIRE(plan_text(clear, policy->pick(clear)) == "move 1:4 -> 2, level-saturated, cursor 0=4");
  const TreeState tree = tree_of_text("0@3; 1 4:12-34*60; 2 5:33-55*60 6:56-60*60");
  REQUIRE(plan_text(tree, policy->pick(tree)) == "merge 1:4 2:5 -> 2, level-saturated, cursor 0=4");
  // The files do not become one: a file that was taken in addition begins where it began, and the
  // log's files begin where the log says.
  const auto file_begins = [&](const char* text) {
    const TreeState drawn_in = tree_of_text(text);
    return std::get<MergePlan>(policy->pick(drawn_in)->action).cut.file_begins.value();
  };
  using Begins = std::vector<std::uint64_t>;
  REQUIRE(file_begins("0@3; 1 4:12-34*60; 2 5:33-55*60 6:56-60*60") == Begins{33});
  REQUIRE(file_begins("0@3; 1 4:12-32*60; 2 9:1-13*60 5:33-55*60") == Begins{10});
}

TEST_CASE("a file of the run that forced files join stays if it lies between them") {
  const std::string deeper =
      with(with(kPushDown, "\"target_level\":1", "\"target_level\":2"),
           R"({"id":2,"bytes":60,"keys":[10,30]},{"id":3,"bytes":60,"keys":[31,50]})",
           R"({"id":2,"bytes":60,"keys":[31,50]})");
  const std::string flush =
      R"({"sequence":3,"plan":"flush","reason":"memtable-full","flush":2,"memtable_bytes":100,"inputs":[],"target_level":1,"outputs":[{"id":3,"bytes":60,"keys":[10,20]},{"id":4,"bytes":60,"keys":[60,70]}],"entries_in":4,"entries_out":4})";
  const std::string around =
      R"({"sequence":4,"plan":"move","reason":"level-saturated","flush":2,"inputs":[{"id":3,"level":1,"bytes":60},{"id":4,"level":1,"bytes":60}],"target_level":2,"target_run":2,"outputs":[{"id":3,"bytes":60,"keys":[10,20]},{"id":4,"bytes":60,"keys":[60,70]}],"entries_in":4,"entries_out":4})";
  const auto policy = policy_of({kFlush, deeper, flush, around}).value();
  const TreeState clear = tree_of_text("0@3; 1 7:11-21*60 8:61-71*60; 2 9:31-50*60");
  REQUIRE(plan_text(clear, policy->pick(clear)) ==
          "move 1:7 1:8 -> 2, level-saturated, cursor 0=4");
  // Of two between them, one overlaps: outputs end before the other.
  const TreeState tree = tree_of_text("0@3; 1 7:11-21*60 8:61-71*60; 2 6:25-28*60 9:31-64*60");
  const auto merge = policy->pick(tree);
  REQUIRE(plan_text(tree, merge) == "merge 1:7 1:8 2:9 -> 2, level-saturated, cursor 0=4");
  REQUIRE(std::get<MergePlan>(merge->action).cut.file_begins == std::vector<std::uint64_t>{31, 60});
}

TEST_CASE("files begin where the log's began, in whatever order it names them") {
  const std::string unsorted =
      with(kPushDown, R"({"id":2,"bytes":60,"keys":[10,30]},{"id":3,"bytes":60,"keys":[31,50]})",
           R"({"id":3,"bytes":60,"keys":[31,50]},{"id":2,"bytes":60,"keys":[10,30]})");
  const auto policy = policy_of({kFlush, unsorted}).value();
  const TreeState tree = tree_of_text("0@1 7:11-52*90");
  const auto merge = policy->pick(tree);
  REQUIRE(std::get<MergePlan>(merge->action).cut.file_begins == std::vector<std::uint64_t>{31});
  REQUIRE(policy->needs() == PolicyNeeds::kKeys);
}

TEST_CASE("keys between two of the log's files go where they meet no file that the log's did not") {
  const std::string deeper = with(with(kPushDown, "\"target_level\":1", "\"target_level\":2"),
                                  R"([10,30]},{"id":3,"bytes":60,"keys":[31,50])",
                                  R"([10,34]},{"id":3,"bytes":60,"keys":[35,50])");
  const std::string flush =
      R"({"sequence":3,"plan":"flush","reason":"memtable-full","flush":2,"memtable_bytes":100,"inputs":[],"target_level":0,"outputs":[{"id":4,"bytes":100,"keys":[10,50]}],"entries_in":4,"entries_out":4})";
  const std::string upper =
      R"({"sequence":4,"plan":"merge","reason":"level-saturated","flush":2,"inputs":[{"id":4,"level":0,"bytes":100}],"target_level":1,"outputs":[{"id":5,"bytes":60,"keys":[10,28]},{"id":6,"bytes":60,"keys":[40,50]}],"entries_in":4,"entries_out":4})";
  const auto policy = policy_of({kFlush, deeper, flush, upper}).value();
  // Keys from 35 on overlap the second file of level 2, as those from 40 on did in the log.
  const TreeState tree = tree_of_text("0@3 7:11-52*90; 2 8:12-34*60 9:35-52*60");
  REQUIRE(std::get<MergePlan>(policy->pick(tree)->action).cut.file_begins ==
          std::vector<std::uint64_t>{35});
}

TEST_CASE("after the log's end memtables are flushed and nothing else is done") {
  const auto policy = policy_of({kFlush}).value();
  TreeState tree = tree_of_text("0@1 7:11-52*90");
  REQUIRE(!policy->pick(tree));
  tree.begin_flush({Bytes(90), Entries(4), {11, 52}});
  REQUIRE(plan_text(tree, policy->pick(tree)) == "flush -> 0, memtable-full, cursor 0=1");
}

TEST_CASE("logs that do not follow from themselves are refused with the plan's number") {
  REQUIRE(fault_of({kPushDown}) == "plan 2: no file 1 of 100 bytes in level 0");
  REQUIRE(fault_of({kFlush, with(kPushDown, "\"bytes\":100", "\"bytes\":99")}) ==
          "plan 2: no file 1 of 99 bytes in level 0");
  REQUIRE(fault_of({kFlush, with(kPushDown, "[31,50]", "[30,50]")}).starts_with("plan 2: "));
  REQUIRE(fault_of({with(kFlush, "\"memtable_bytes\":100,", "")}) ==
          "plan 1: a flush needs a memtable");
  REQUIRE(fault_of({kFlush, kPushDown, with(kMove, "\"plan\":\"move\"", "\"plan\":\"link\"")}) ==
          "plan 3: a link needs one input file and a deeper target level");
  REQUIRE(fault_of({kFlush, with(kLink, "\"target_level\":1", "\"target_level\":0")}) ==
          "plan 2: a link needs one input file and a deeper target level");
  REQUIRE(fault_of({kFlush, kLink}) == "plan 2: a slice names file 9, which is not in level 1");
  REQUIRE(fault_of({kFlush, with(kFlush, "\"inputs\":[]",
                                 R"("inputs":[{"id":1,"level":0,"bytes":100}])")}) ==
          "plan 1: a flush takes no files");
  REQUIRE(!parse_plan_record(with(kFlush, "[10,50]", "[60,50]")).has_value());
  REQUIRE(!parse_plan_record(with(kFlush, "[10,50]", "[10]")).has_value());
  REQUIRE(!parse_plan_record(with(kFlush, "[10,50]", "[10,-3]")).has_value());
}

}  // namespace
}  // namespace lsmlab::forced_plans_test
