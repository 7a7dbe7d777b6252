#include "models/tree/tree.h"
#include "models/execution/plan_log.h"
#include "testing/catch.h"

namespace lsmlab::tree_test {
namespace {

File file_of(std::uint64_t id, std::uint64_t smallest, std::uint64_t largest, std::uint64_t flush,
             std::uint64_t bytes = 10) {
  File file;
  file.id = FileId(id);
  file.keys = {smallest, largest};
  file.bytes = Bytes(bytes);
  file.flushes = {flush, flush};
  return file;
}

TreeEdit adding(std::uint32_t level, std::vector<File> files, std::optional<RunId> run = {}) {
  TreeEdit edit;
  edit.added.push_back({{level, run}, std::move(files)});
  return edit;
}

void require_applied(TreeState& tree, const TreeEdit& edit) {
  const auto applied = tree.apply(edit);
  INFO((applied ? "" : applied.error().message));
  REQUIRE(applied.has_value());
}

std::string fault_of(TreeState& tree, const TreeEdit& edit) {
  const auto applied = tree.apply(edit);
  return applied ? "" : applied.error().message;
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

std::vector<std::uint64_t> ids_in(const TreeView& tree, std::size_t level, std::size_t run) {
  std::vector<std::uint64_t> ids;
  for (const File& file : tree.levels()[level].runs[run].files) ids.push_back(file.id.value());
  return ids;
}

TEST_CASE("runs of a level stand newest first, whatever the order of arrival") {
  TreeState tree;
  require_applied(tree, adding(0, {file_of(1, 0, 9, 1)}));
  require_applied(tree, adding(0, {file_of(3, 0, 9, 3)}));
  require_applied(tree, adding(0, {file_of(2, 0, 9, 2)}));
  REQUIRE(ids_in(tree, 0, 0) == std::vector<std::uint64_t>{3});
  REQUIRE(ids_in(tree, 0, 1) == std::vector<std::uint64_t>{2});
  REQUIRE(ids_in(tree, 0, 2) == std::vector<std::uint64_t>{1});
}

TEST_CASE("a flush is taken once") {
  TreeState tree;
  tree.begin_flush({Bytes(10), Entries(1), KeyRange{}});
  TreeEdit edit = adding(0, {file_of(1, 0, 9, 1)});
  edit.takes_memtable = true;
  require_applied(tree, edit);
  REQUIRE(tree.flush_count() == 1);
  REQUIRE(!tree.pending_flush());
  TreeEdit again = adding(0, {file_of(2, 0, 9, 2)});
  again.takes_memtable = true;
  REQUIRE(fault_of(tree, again).find("none is pending") != std::string::npos);
  REQUIRE(tree.run_count() == 1);
}

TEST_CASE("outputs join a run in key order and may take the place of what was removed") {
  TreeState tree;
  require_applied(tree,
                  adding(1, {file_of(1, 0, 9, 1), file_of(2, 20, 29, 1), file_of(3, 40, 49, 1)}));
  const RunId run = tree.levels()[1].runs[0].id;
  TreeEdit edit = adding(1, {file_of(4, 12, 24, 2), file_of(5, 25, 31, 2)}, run);
  edit.removed = {FileId(2)};
  edit.is_merge = true;
  require_applied(tree, edit);
  REQUIRE(ids_in(tree, 1, 0) == std::vector<std::uint64_t>{1, 4, 5, 3});
  REQUIRE(tree.levels()[1].runs[0].id == run);
}

TEST_CASE("a run keeps its identity when all its files are rewritten, and goes when empty") {
  TreeState tree;
  require_applied(tree, adding(1, {file_of(1, 0, 9, 1)}));
  const RunId run = tree.levels()[1].runs[0].id;
  TreeEdit rewrite = adding(1, {file_of(2, 0, 9, 1)}, run);
  rewrite.removed = {FileId(1)};
  require_applied(tree, rewrite);
  REQUIRE(tree.levels()[1].runs[0].id == run);
  TreeEdit removal;
  removal.removed = {FileId(2)};
  require_applied(tree, removal);
  REQUIRE(tree.run_count() == 0);
}

TEST_CASE("edits that would break an invariant are refused and change nothing") {
  TreeState tree;
  require_applied(tree, adding(1, {file_of(1, 0, 9, 1), file_of(2, 20, 29, 1)}));
  const RunId run = tree.levels()[1].runs[0].id;
  REQUIRE(fault_of(tree, adding(1, {file_of(1, 50, 59, 1)})).find("exists already") !=
          std::string::npos);
  REQUIRE(fault_of(tree, adding(1, {file_of(5, 5, 15, 1)}, run)).find("overlaps file 1") !=
          std::string::npos);
  REQUIRE(fault_of(tree, adding(0, {file_of(5, 0, 9, 1), file_of(6, 9, 12, 1)}))
              .find("overlaps file 5") != std::string::npos);
  TreeEdit both_into_one_run = adding(1, {file_of(5, 50, 59, 1)}, run);
  both_into_one_run.added.push_back({{1, run}, {file_of(6, 55, 65, 1)}});
  REQUIRE(fault_of(tree, both_into_one_run).find("overlaps") != std::string::npos);
  REQUIRE(fault_of(tree, adding(1, {file_of(5, 50, 59, 1)}, RunId(99))).find("no run 99") !=
          std::string::npos);
  REQUIRE(fault_of(tree, adding(7, {file_of(5, 50, 59, 1)}, run)).find("no run") !=
          std::string::npos);
  TreeEdit frozen_alone;
  frozen_alone.frozen = {FileId(1)};
  REQUIRE(fault_of(tree, frozen_alone).find("no slice refers to it") != std::string::npos);
  TreeEdit unknown;
  unknown.removed = {FileId(77)};
  REQUIRE(fault_of(tree, unknown).find("not in the tree") != std::string::npos);
  TreeEdit twice;
  twice.removed = {FileId(1), FileId(1)};
  REQUIRE(fault_of(tree, twice).find("twice") != std::string::npos);
  REQUIRE(ids_in(tree, 1, 0) == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("overlapping files cannot move into one run, nor a file be taken twice") {
  TreeState tree;
  require_applied(tree, adding(0, {file_of(1, 0, 9, 1)}));
  require_applied(tree, adding(0, {file_of(2, 5, 15, 2)}));
  TreeEdit edit;
  edit.moved.push_back({{FileId(1), FileId(2)}, {1, {}}});
  REQUIRE(fault_of(tree, edit).find("overlaps") != std::string::npos);
  const RunId run = tree.levels()[0].runs[1].id;
  const Plan twice{
      PlanReason::kSizeRatio, MovePlan{{{0, run, {FileId(1), FileId(1)}}}, {1, {}}}, {}};
  REQUIRE(!tree.reserve(twice).has_value());
}

TEST_CASE("spans and order of runs follow their files") {
  TreeState tree;
  require_applied(tree, adding(1, {file_of(1, 0, 9, 1), file_of(2, 20, 29, 5)}));
  require_applied(tree, adding(1, {file_of(3, 0, 9, 3)}));
  REQUIRE(ids_in(tree, 1, 0) == std::vector<std::uint64_t>{1, 2});
  TreeEdit edit;
  edit.removed = {FileId(2)};
  require_applied(tree, edit);
  REQUIRE(ids_in(tree, 1, 0) == std::vector<std::uint64_t>{3});
  REQUIRE(tree.levels()[1].runs[1].flushes == FlushSpan{1, 1});
}

TEST_CASE("inputs of a reserved plan are busy until released or removed") {
  TreeState tree;
  require_applied(tree, adding(0, {file_of(1, 0, 9, 1)}));
  const RunId run = tree.levels()[0].runs[0].id;
  const Plan plan{PlanReason::kSizeRatio, MovePlan{{{0, run, {FileId(1)}}}, {1, {}}}, {}};
  REQUIRE(tree.reserve(plan).has_value());
  REQUIRE(tree.levels()[0].runs[0].busy());
  REQUIRE(!tree.reserve(plan).has_value());
  tree.release(plan);
  REQUIRE(!tree.levels()[0].runs[0].busy());
  const Plan wrong_level{PlanReason::kSizeRatio, MovePlan{{{3, run, {FileId(1)}}}, {4, {}}}, {}};
  REQUIRE(!tree.reserve(wrong_level).has_value());
}

TEST_CASE("a moved file changes level and keeps its id") {
  TreeState tree;
  require_applied(tree, adding(0, {file_of(1, 0, 9, 1)}));
  TreeEdit edit;
  edit.moved.push_back({{FileId(1)}, {2, {}}});
  edit.cursors = {{0, 9}};
  require_applied(tree, edit);
  REQUIRE(tree.levels()[0].runs.empty());
  REQUIRE(ids_in(tree, 2, 0) == std::vector<std::uint64_t>{1});
  REQUIRE(tree.levels()[0].cursor == 9u);
}

TEST_CASE("a frozen file lives while slices refer to it") {
  TreeState tree;
  require_applied(tree, adding(0, {file_of(1, 0, 99, 2)}));
  require_applied(tree, adding(1, {file_of(2, 0, 49, 1), file_of(3, 50, 99, 1)}));
  const RunId run = tree.levels()[1].runs[0].id;
  TreeEdit link;
  link.frozen = {FileId(1)};
  link.linked = {{FileId(1), FileId(2), {FileId(1), {0, 49}, Bytes(5)}},
                 {FileId(1), FileId(3), {FileId(1), {50, 99}, Bytes(5)}}};
  require_applied(tree, link);
  REQUIRE(tree.levels()[0].runs.empty());
  REQUIRE(tree.frozen_files().at(FileId(1)).references == 2);
  TreeEdit merge_left = adding(1, {file_of(4, 0, 49, 2)}, run);
  merge_left.removed = {FileId(2)};
  require_applied(tree, merge_left);
  REQUIRE(tree.frozen_files().at(FileId(1)).references == 1);
  TreeEdit merge_right = adding(1, {file_of(5, 50, 99, 2)}, run);
  merge_right.removed = {FileId(3)};
  require_applied(tree, merge_right);
  REQUIRE(tree.frozen_files().empty());
  TreeEdit dangling;
  dangling.linked = {{FileId(1), FileId(5), {FileId(1), {50, 99}, Bytes(5)}}};
  REQUIRE(fault_of(tree, dangling).find("lacks its frozen file") != std::string::npos);
}

TEST_CASE("slices stay in the responsible range of the file that they hang on") {
  TreeState tree;
  require_applied(tree, adding(0, {file_of(1, 5, 99, 2)}));
  require_applied(tree, adding(1, {file_of(2, 10, 19, 1), file_of(3, 50, 59, 1)}));
  const RunId run = tree.levels()[1].runs[0].id;
  const auto linking = [](KeyRange left, KeyRange right) {
    TreeEdit link;
    link.frozen = {FileId(1)};
    link.linked = {{FileId(1), FileId(2), {FileId(1), left, Bytes(5)}},
                   {FileId(1), FileId(3), {FileId(1), right, Bytes(5)}}};
    return link;
  };
  REQUIRE(fault_of(tree, linking({5, 25}, {26, 99})).find("exceeds the key range of file 2") !=
          std::string::npos);
  require_applied(tree, linking({5, 19}, {20, 99}));
  // To the left, between the files, and beyond the last one: each file would cover keys of a slice.
  for (const KeyRange keys : {KeyRange{0, 6}, KeyRange{22, 24}, KeyRange{200, 201}}) {
    const std::string fault =
        fault_of(tree, adding(1, {file_of(4, keys.smallest, keys.largest, 3)}, run));
    INFO(fault);
    REQUIRE(fault.find("file 4 overlaps a slice that is linked to file") != std::string::npos);
  }
  require_applied(tree, adding(1, {file_of(4, 0, 4, 3)}, run));
}

TEST_CASE("the tree tells the operations of the memtable flushed last") {
  TreeState tree;
  REQUIRE(tree.traffic() == Traffic{});
  tree.begin_flush({Bytes(10), Entries(1), KeyRange{}, Entries(), {3, 4}});
  REQUIRE(tree.traffic() == Traffic{});
  TreeEdit edit = adding(0, {file_of(1, 0, 9, 1)});
  edit.takes_memtable = true;
  require_applied(tree, edit);
  REQUIRE(tree.traffic() == Traffic{3, 4});
}

TEST_CASE("an unknown plan or reason of a record is answered with the words that are known") {
  const std::string line = plan_record_line({});
  const auto fault_in = [&](const char* from, const char* to) {
    const Error error = parse_plan_record(replaced(line, from, to)).error();
    REQUIRE(error.faults.size() == 1);
    REQUIRE(error.message == "not a plan record: " + error.faults.front().message);
    return error.faults.front();
  };
  const OptionFault kind = fault_in("\"flush\",", "\"flsh\",");
  REQUIRE(kind.option == "plan");
  REQUIRE(kind.found == "flsh");
  REQUIRE(kind.nearest == "flush");
  REQUIRE(
      kind.message ==
      "unknown plan 'flsh'; did you mean 'flush'? Expected one of flush, merge, move, link, drop, "
      "refer, trim");
  const OptionFault reason = fault_in("memtable-full", "whim");
  REQUIRE(reason.option == "reason");
  REQUIRE(reason.nearest.empty());
  REQUIRE(reason.message == "unknown reason 'whim'; expected one of memtable-full, " +
                                reason.expected.substr(std::string("memtable-full, ").size()));
}

TEST_CASE("plan records survive writing and reading, and damage is named") {
  PlanRecord record;
  record.sequence = 7;
  record.plan = PlanKind::kMerge;
  record.reason = PlanReason::kSizeRatio;
  record.flush = 12;
  record.takes_memtable = true;
  record.memtable_bytes = Bytes(100);
  record.inputs = {{FileId(3), 0, Bytes(50)}, {FileId(2), 0, Bytes(70)}};
  record.outputs = {{FileId(4), Bytes(220)}};
  const std::string line = plan_record_line(record);
  REQUIRE(
      line ==
      R"({"sequence":7,"plan":"merge","reason":"size-ratio","flush":12,"memtable_bytes":100,)"
      R"("inputs":[{"id":3,"level":0,"bytes":50},{"id":2,"level":0,"bytes":70}],"target_level":0,)"
      R"("outputs":[{"id":4,"bytes":220}],"entries_in":0,"entries_out":0})");
  REQUIRE(plan_record_line(parse_plan_record(line).value()) == line);
  for (const std::string& bad :
       {std::string("{"), std::string("[]"), line.substr(0, line.size() - 20),
        std::string(R"({"sequence":"x"})"), replaced(line, "merge", "murge"),
        replaced(line, "\"flush\":12", "\"flush\":-12"),
        replaced(line, "\"flush\":12", "\"flush\":1.5"),
        replaced(line, "\"target_level\":0", "\"target_level\":4000000000")}) {
    INFO(bad);
    REQUIRE(!parse_plan_record(bad).has_value());
  }
}

}  // namespace
}  // namespace lsmlab::tree_test
