#include "validate/results/compare_logs.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "testing/catch.h"

namespace lsmlab::compare_logs_test {
namespace {

namespace fs = std::filesystem;

PlanRecord merge_record(std::uint64_t sequence) {
  PlanRecord record;
  record.sequence = sequence;
  record.plan = PlanKind::kMerge;
  record.reason = PlanReason::kLevelSaturated;
  record.flush = sequence;
  record.inputs = {{FileId(3), 1, Bytes(100)}, {FileId(4), 2, Bytes(200)}};
  record.target_level = 2;
  record.outputs = {{FileId(5), Bytes(290)}};
  record.entries_in = Entries(30);
  record.entries_out = Entries(29);
  return record;
}

class Logs {
 public:
  Logs() {
    std::string name = (fs::temp_directory_path() / "lsmlab-logs-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
  }
  ~Logs() { fs::remove_all(directory_); }
  Logs(const Logs&) = delete;
  Logs& operator=(const Logs&) = delete;

  std::string write(const std::string& name, const std::vector<PlanRecord>& records) const {
    std::ofstream file(directory_ / name);
    for (const PlanRecord& record : records) file << plan_record_line(record) << "\n";
    return (directory_ / name).string();
  }
  std::string write_text(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
    return (directory_ / name).string();
  }

 private:
  fs::path directory_;
};

LogComparison compare(const PlanRecord& a, const PlanRecord& b) {
  const Logs logs;
  const PlanRecord first = merge_record(1);
  return compare_logs(logs.write("a", {first, a}), logs.write("b", {first, b})).value();
}

TEST_CASE("equal logs are the same") {
  const LogComparison same = compare(merge_record(2), merge_record(2));
  REQUIRE(same.difference == LogDifference::kNone);
  REQUIRE(same.same_plans == 2);
  REQUIRE(log_comparison_text(same) == "the logs are the same: 2 plans\n");
}

TEST_CASE("a wrong decision, a wrong time and a wrong size are told apart") {
  PlanRecord other = merge_record(2);
  other.inputs[1].id = FileId(9);
  other.outputs[0].bytes = Bytes(1);  // a consequence of the wrong decision, not its cause
  LogComparison found = compare(merge_record(2), other);
  REQUIRE(found.same_plans == 1);
  REQUIRE(found.difference == LogDifference::kDecision);
  REQUIRE(found.member == "inputs");

  other = merge_record(2);
  other.flush = 7;
  found = compare(merge_record(2), other);
  REQUIRE(found.difference == LogDifference::kTiming);
  REQUIRE(found.member == "flush");

  other = merge_record(2);
  other.outputs[0].bytes = Bytes(289);
  found = compare(merge_record(2), other);
  REQUIRE(found.difference == LogDifference::kSize);
  REQUIRE(found.member == "outputs");
  REQUIRE(log_comparison_text(found).find("plan 2: the same decision, other sizes") !=
          std::string::npos);
}

TEST_CASE("a log that ends early parts there") {
  const Logs logs;
  const LogComparison found = compare_logs(logs.write("a", {merge_record(1)}),
                                           logs.write("b", {merge_record(1), merge_record(2)}))
                                  .value();
  REQUIRE(found.difference == LogDifference::kEnd);
  REQUIRE_FALSE(found.a.has_value());
  REQUIRE(found.b.has_value());
}

TEST_CASE("lines that are no plans are named, and results are no logs") {
  const Logs logs;
  const std::string good = logs.write("a", {merge_record(1)});
  const std::string bad = logs.write_text("b", "{\"sequence\": 1}\n");
  const auto outcome = compare_logs(good, bad);
  REQUIRE_FALSE(outcome.has_value());
  REQUIRE(outcome.error().message.find(bad + ":1: not a plan record") == 0);
  REQUIRE(is_plan_log(good));
  REQUIRE_FALSE(is_plan_log(bad));
  REQUIRE_FALSE(is_plan_log(logs.write_text("c", "")));
  REQUIRE_FALSE(is_plan_log("/no/such/log"));
}

}  // namespace
}  // namespace lsmlab::compare_logs_test
