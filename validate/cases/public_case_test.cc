#include "validate/cases/public_case.h"

#include <set>

#include "testing/catch.h"
#include "validate/cases/case_table.h"
#include "validate/catalog/run_command.h"

namespace lsmlab::public_case_test {
namespace {

const std::string kCase = R"({
  "source": "somebody's table", "grade": "A", "remarks": "It is small.",
  "runs": [{"policy": "rocksdb-leveled:buffer=64KiB", "workload": "load:entries=20k",
            "figures": [{"label": "W-Amp", "figure": "write_flushed", "reported": 2},
                        {"label": "flushed, MB", "figure": "totals.bytes_flushed",
                         "unit": 1000000, "reported": 2.5}]}]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("a case is predicted in the units of its source") {
  const std::vector<PublicCase> cases{parse_case("small", kCase).value()};
  const std::vector<CaseFigures> predicted = predict(cases, {}).value();
  REQUIRE(predicted.size() == 1);
  REQUIRE(predicted[0].size() == 1);
  const auto& figures = predicted[0][0];
  REQUIRE(figures.size() == 2);
  REQUIRE(*figures[0] > 1);
  // 20,000 entries of 128 bytes, with what an SSTable adds to them.
  REQUIRE(*figures[1] == Approx(2.56 * 1.1).epsilon(0.05));
  const std::string text = cases_text(cases, predicted);
  REQUIRE(text.find("small (grade A): somebody's table") != std::string::npos);
  REQUIRE(text.find("flushed, MB") != std::string::npos);
  const std::string markdown = cases_markdown(cases, predicted);
  REQUIRE(markdown.find("| small (A) |  | W-Amp | 2.00 |") != std::string::npos);
  REQUIRE(markdown.find("    lsmlab simulate -p rocksdb-leveled:buffer=64KiB -w "
                        "load:entries=20k --no-final-flush\n") != std::string::npos);
  const auto json = cases_json(cases, predicted);
  REQUIRE(json[0]["figures"][1]["predicted"] == *figures[1]);
}

TEST_CASE("what is no case is refused with its place") {
  const std::tuple<std::string, std::string, std::string> changes[] = {
      {"\"grade\"", "\"grate\"", "unknown member 'grate'; did you mean 'grade'?"},
      {"write_flushed", "write_flush", "write_flush"},
      {"\"reported\": 2}", "\"reported\": 0}", "\"reported\": expected a number above 0"},
      {"load:entries=20k", "", "case 'small': run 1"},
      {"\"unit\": 1000000", "\"unit\": \"MB\"", "\"unit\""},
      {"\"workload\"", "\"resolution\": \"flush\", \"workload\"", "expected key or range"},
      {"\"workload\"", "\"device\": \"nvme\", \"merge_threads\": 0, \"workload\"",
       "\"merge_threads\""},
      {"\"runs\": [", "\"runs\": [], \"remarks\": [", "\"remarks\""}};
  for (const auto& [from, to, message] : changes) {
    const auto made = parse_case("small", replaced(kCase, from, to));
    INFO(to);
    REQUIRE(!made.has_value());
    INFO(made.error().message);
    REQUIRE(made.error().message.find(message) != std::string::npos);
  }
  REQUIRE(!parse_case("small", "{").has_value());
}

TEST_CASE("every public case can be read and resolved, and an unknown one gets the nearest name") {
  const std::vector<PublicCase> cases = public_cases().value();
  REQUIRE(cases.size() >= 7);
  std::set<std::string> names;
  for (const PublicCase& one : cases) {
    names.insert(one.name);
    REQUIRE((one.grade == "A" || one.grade == "B"));
    for (const CaseRun& run : one.runs) {
      INFO(one.name << ": " << run_command(run.spec));
      REQUIRE(resolve(run.spec).has_value());
    }
  }
  REQUIRE(names.size() == cases.size());
  REQUIRE(cases_list(cases).find("course-report") != std::string::npos);
  const std::vector<std::string> asked{"course-repot"};
  REQUIRE(cases_named(cases, asked).error().message.find("did you mean 'course-report'") !=
          std::string::npos);
  const std::vector<std::string> two{"nethermind", "course-report"};
  REQUIRE(cases_named(cases, two).value().front().name == "nethermind");
}

}  // namespace
}  // namespace lsmlab::public_case_test
