#include "validate/report/results/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/accounting/figures.h"
#include "testing/catch.h"
#include "validate/report/axes.h"
#include "validate/report/gnuplot.h"
#include "validate/report/results/data.h"
#include "validate/report/results/shown_figure.h"
#include "validate/report/results/table.h"

namespace lsmlab::results_page_test {
namespace {

using Json = nlohmann::ordered_json;

struct Policy {
  std::string name = "binomial";
  int k = 4;
};

// A run with the given number of flushes of one byte. Every fourth flush merges all SSTables into
// one.
Json result_of(const Policy& policy, int flushes = 16) {
  Json series{{"flushes", Json::array()},       {"bytes_flushed", Json::array()},
              {"write_flushed", Json::array()}, {"sorted_runs", Json::array()},
              {"read_mean", Json::array()},     {"space_transient", Json::array()},
              {"merges", Json::array()}};
  Json stacks = Json::array();
  for (int flush = 1; flush <= flushes; ++flush) {
    series["flushes"].push_back(flush);
    series["bytes_flushed"].push_back(flush);
    series["write_flushed"].push_back(1 + flush / 8.0);
    series["sorted_runs"].push_back(1 + flush % 4);
    series["read_mean"].push_back(2.5);
    series["space_transient"].push_back(2);
    series["merges"].push_back(flush / 4);
    Json stack{{"bytes", Json::array({flush - flush % 4})}, {"levels", Json::array({1})}};
    for (int i = 0; i < flush % 4; ++i) {
      stack["bytes"].push_back(1);
      stack["levels"].push_back(0);
    }
    stacks.push_back(std::move(stack));
  }
  Json result;
  result["schema"] = "lsmlab.result/1";
  result["source"] = "simulator";
  result["policy"] = {{"name", policy.name},
                      {"label", fmt::format("{} k={}", policy.name, policy.k)},
                      {"parameters", {{"k", policy.k}, {"flush", "eager"}, {"absent", nullptr}}}};
  result["workload"] = {{"name", "flushes"}, {"parameters", {{"count", flushes}, {"size", 1}}}};
  result["device"] = nullptr;
  result["mode"] = "stepped";
  result["resolution"] = "flush";
  result["seed"] = 1;
  result["complete"] = true;
  result["totals"] = {
      {"flushes", flushes}, {"merges", flushes / 4}, {"moves", 0}, {"bytes_flushed", flushes}};
  result["amplification"] = {{"write", 3.0},          {"write_flushed", 3.0}, {"write_total", 3.0},
                             {"read_mean", 2.5},      {"read_max", 4},        {"space", 1.0},
                             {"space_transient", 2.0}};
  result["floor"] = {{"k", policy.k},
                     {"k_is_policy_bound", true},
                     {"method", "closed form"},
                     {"write_flushed", 1.5},
                     {"ratio", 2.0},
                     {"worst_case_bound", 3.5}};
  result["series"] = std::move(series);
  result["stacks"] = std::move(stacks);
  result["run"] = {{"flushes_per_second", 1000000.0}, {"version", "0.1.0"}};
  return result;
}

std::string report_of(const std::vector<Json>& results, const std::string& title = "A report") {
  const Result<std::string> page = make_report(results, title);
  if (!page) FAIL(page.error().message);
  return page.value();
}

std::size_t count_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string fault_of(const std::vector<Json>& results) {
  const Result<std::string> page = make_report(results, "A report");
  REQUIRE(!page);
  REQUIRE(page.error().kind == ErrorKind::kInput);
  return page.error().message;
}

std::string fault_after(const std::function<void(Json&)>& edit) {
  std::vector<Json> results{result_of({}), result_of({"tiered", 2})};
  edit(results[1]);
  return fault_of(results);
}

}  // namespace

TEST_CASE("a report of one result has its charts, its figures and nothing from elsewhere") {
  const std::string page = report_of({result_of({})});
  REQUIRE(page.starts_with("<!DOCTYPE html>"));
  // The charts: write over flushes, write against read, runs over flushes, one stack.
  REQUIRE(count_in(page, "<svg") == 4);
  REQUIRE(count_in(page, "role=\"img\"") == 4);
  REQUIRE(has(page, "aria-label=\"Write amplification over flushes"));
  REQUIRE(has(page, "aria-label=\"Write amplification against mean read amplification"));
  REQUIRE(has(page, "aria-label=\"Mean sorted runs over flushes"));
  REQUIRE(has(page, "aria-label=\"The stack of SSTables after each of 16 flushes, binomial k=4\""));
  REQUIRE(has(page, "floor, k=4"));
  REQUIRE(has(page, "floor.worst_case_bound"));
  REQUIRE(!has(page, "<script"));
  REQUIRE(!has(page, "<?xml"));
  REQUIRE(!has(page, "<title>Gnuplot"));
  const std::size_t namespaces =
      count_in(page, "http://www.w3.org/2000/svg") + count_in(page, "http://www.w3.org/1999/xlink");
  REQUIRE(count_in(page, "http") == namespaces);
}

TEST_CASE("labels, units and definitions are those of the figures' descriptors") {
  const std::string page = report_of({result_of({})});
  const Figure& write = result_figures().write_flushed.descriptor();
  const Figure& read = result_figures().read_mean.descriptor();
  for (const Figure* figure : {&write, &read}) {
    REQUIRE(has(page, fmt::format("<text>{} ({})</text>", figure->name, figure->unit)));
    REQUIRE(has(page, html_escaped(plain_definition(*figure))));
  }
  // In the table of every figure, each with its unit.
  REQUIRE(has(page, "totals.<wbr>bytes_<wbr>flushed</th><td class=\"word\">bytes</td>"));
}

TEST_CASE("bytes by level and by reason are bars and tables, of results that have them") {
  REQUIRE(!has(report_of({result_of({})}), "Bytes by level and by reason"));
  Json result = result_of({});
  const auto level = [](int number, int bytes) {
    return Json{{"level", number},      {"bytes_in", bytes},      {"bytes_read", 0},
                {"bytes_read_next", 0}, {"bytes_written", bytes}, {"bytes_moved", 0}};
  };
  result["by_level"] = {level(0, 2048), level(1, 4096), level(2, 0)};
  result["by_reason"] = {
      {"memtable-full",
       {{"plans", 3}, {"bytes_read", 0}, {"bytes_written", 1024}, {"bytes_moved", 0}}}};
  const std::string page = report_of({result});
  REQUIRE(has(page, "aria-label=\"by_level, 1 result: bytes_written (bytes)\""));
  REQUIRE(has(page, "<text>level 1</text>"));
  REQUIRE(!has(page, "<text>level 2</text>"));
  REQUIRE(has(page, "<text>memtable-full</text>"));
  REQUIRE(has(page, "<td class=\"word\">level 1</td><td>4 KiB</td>"));
  REQUIRE(has(page, "<td class=\"word\">memtable-full</td><td>3</td>"));
}

TEST_CASE("runs with deletes are compared by how fast they forget them") {
  REQUIRE(!has(report_of({result_of({})}), "How fast deletes are forgotten"));
  const auto forgets = [](Json result, int p50, double left) {
    result["deletes"] = {{"flushed", 1000},        {"gone", 900},
                         {"superseded", 0},        {"present", 100},
                         {"present_share", left},  {"gone_after_mean", 1.0},
                         {"gone_after_p50", p50},  {"gone_after_p99", 4242},
                         {"gone_after_max", 98765}};
    return result;
  };
  const std::string page =
      report_of({forgets(result_of({}), 1234, 0.125), forgets(result_of({"tiered", 2}), 777, 0.5),
                 result_of({"none", 1})});
  const std::size_t at = page.find("<h3>How fast deletes are forgotten</h3>");
  REQUIRE(at != std::string::npos);
  const std::string table = page.substr(at, page.find("</table>", at) - at);
  REQUIRE(count_in(table, "<tr><th scope=\"row\">") == 3);
  for (const char* text : {"1,234", "777", "4,242", "98,765", "0.125", "0.500"}) {
    INFO(text << " in " << table);
    REQUIRE(has(table, std::string("<td>") + text + "</td>"));
  }
  REQUIRE(has(table, "amplification"));
  REQUIRE(has(table, "until a merge drops its tombstone, in operations"));
}

TEST_CASE("a workload's parameters have the units that its family declares") {
  Json result = result_of({});
  result["workload"]["parameters"] = {{"count", 10000}, {"size", 4194304}};
  const auto data = read_report_data(std::vector<Json>{result});
  REQUIRE(workload_text(data.value().at(0)) == "flushes: count 10,000, size 4 MiB; seed 1");
  result["workload"] = {{"name", "of nobody"}, {"parameters", {{"size", 4194304}}}};
  const auto unknown = read_report_data(std::vector<Json>{result});
  REQUIRE(workload_text(unknown.value().at(0)) == "of nobody: size 4,194,304; seed 1");
}

TEST_CASE("the name of a db_bench workload is its line, without what follows from it") {
  Json result = result_of({});
  result["workload"] = {{"name", "db_bench"},
                        {"parameters",
                         {{"line", "--benchmarks=fillrandom --num=1000"},
                          {"key_bytes", 16},
                          {"phases[0].benchmark", "fillrandom"},
                          {"policy", "rocksdb-leveled:levels=7"},
                          {"flags_of_the_policy", "write_buffer_size=4096"}}}};
  const auto data = read_report_data(std::vector<Json>{result});
  REQUIRE(workload_text(data.value().at(0)) ==
          "db_bench: line --benchmarks=fillrandom --num=1000, key_bytes 16; seed 1");
}

TEST_CASE("a lone preset has its label next to its point") {
  Json result = result_of({"lo+1", 4});
  result["policy"]["family"] = "primitives";
  const auto data = read_report_data(std::vector<Json>{result});
  REQUIRE(data.value().at(0).results[0].variant_text == "lo+1 k=4");
}

TEST_CASE("the same results give the same page") {
  const std::vector<Json> results{result_of({}), result_of({"tiered", 2}),
                                  result_of({"binomial", 8})};
  REQUIRE(report_of(results) == report_of(results));
}

TEST_CASE("identifiers are of one chart only") {
  const std::string page = report_of({result_of({}), result_of({"tiered", 2})});
  std::vector<std::string> ids;
  for (const std::string quote : {"\"", "'"}) {
    const std::string start = " id=" + quote;
    for (std::size_t at = 0; (at = page.find(start, at)) != std::string::npos;) {
      at += start.size();
      ids.push_back(page.substr(at, page.find(quote, at) - at));
    }
  }
  std::sort(ids.begin(), ids.end());
  REQUIRE(!ids.empty());
  REQUIRE(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}

TEST_CASE("text of the user's is shown as it is and runs nothing") {
  const std::string trap = "/tmp/lsmlab-report-test-trap";
  std::filesystem::remove(trap);
  Json result = result_of({});
  const std::string label =
      "<b>&amp; `touch " + trap + "` '; system('touch " + trap + "') # @x \\ \"$";
  result["policy"]["label"] = label;
  result["policy"]["name"] = "it's <i>`touch " + trap + "`";
  result["workload"]["parameters"]["path"] = "<script>a\"'&</script>";
  const std::string page = report_of({result}, "R & <D>");
  REQUIRE(!std::filesystem::exists(trap));
  REQUIRE(!has(page, "<script"));
  REQUIRE(!has(page, "<b>&"));
  REQUIRE(!has(page, "<i>"));
  REQUIRE(has(page, "<h1>R &amp; &lt;D&gt;</h1>"));
  // In the table, the inputs, the stack's caption and description, and the legends.
  REQUIRE(count_in(page, html_escaped(label)) >= 6);
  REQUIRE(has(page, "&lt;script&gt;a&quot;&#39;&amp;&lt;/script&gt;"));
}

TEST_CASE("every policy has its label, a row and its inputs") {
  const std::string page =
      report_of({result_of({}), result_of({"tiered", 2}), result_of({"binomial", 8})});
  for (const char* label : {"binomial k=4", "tiered k=2", "binomial k=8"}) {
    REQUIRE(has(page, fmt::format("<th scope=\"row\">{}</th>", label)));
    REQUIRE(has(page, fmt::format(". {}</h3>", label)));
    REQUIRE(has(page, fmt::format("<text>{}</text>", label)));
  }
}

TEST_CASE("different workloads are not mixed in a chart") {
  Json other = result_of({"tiered", 2});
  other["seed"] = 2;
  const std::string page = report_of({result_of({}), other});
  REQUIRE(count_in(
              page,
              "aria-label=\"Write amplification over flushes, both axes logarithmic, 1 result\"") ==
          2);
  REQUIRE(count_in(page, "<th scope=\"rowgroup\"") == 2);
}

TEST_CASE("stacks are drawn of up to 64 flushes") {
  REQUIRE(has(report_of({result_of({}, 64)}), "after each of 64 flushes"));
  REQUIRE(!has(report_of({result_of({}, 65)}), "The stack over time"));
}

TEST_CASE("zeros, empty series and huge numbers leave a page") {
  Json zeros = result_of({"zeros", 2});
  for (Json& value : zeros["series"]["write_flushed"]) value = 0;
  for (auto& [name, value] : zeros["amplification"].items()) value = 0;
  Json empty = result_of({"empty", 2});
  for (auto& [name, column] : empty["series"].items()) column = Json::array();
  empty["stacks"] = Json::array();
  empty["floor"] = nullptr;
  empty.erase("run");
  Json huge = result_of({"huge", 2});
  huge["series"]["write_flushed"][0] = 1e300;
  huge["series"]["write_flushed"][1] = 1e-300;
  huge["totals"]["bytes_flushed"] = 1e300;
  huge["amplification"]["write_flushed"] = 1e300;
  for (const Json& result : {zeros, empty, huge}) REQUIRE(has(report_of({result}), "<svg"));
  REQUIRE(has(report_of({zeros, empty, huge}), "<svg"));
}

TEST_CASE("sixty results fit one page") {
  std::vector<Json> results;
  for (int k = 1; k <= 6; ++k) {
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
      results.push_back(result_of({name, k}));
  }
  REQUIRE(count_in(report_of(results), "<th scope=\"row\">") == 60);
}

TEST_CASE("an unfinished run is marked and is never the best") {
  Json finished = result_of({"slow", 4});
  Json stopped = result_of({"fast", 4});
  stopped["complete"] = false;
  stopped["amplification"]["write_flushed"] = 1.25;
  const std::string page = report_of({finished, stopped});
  REQUIRE(has(page, "<td class=\"incomplete\">no</td>"));
  REQUIRE(!has(page, "<b>1.250</b>"));
  stopped["complete"] = true;
  REQUIRE(has(report_of({finished, stopped}), "<b>1.250</b>"));
}

TEST_CASE("a malformed member is an input error that names the result and the member") {
  REQUIRE(fault_after([](Json& r) { r["amplification"].erase("write_flushed"); }) ==
          "result 2: amplification.write_flushed: is missing");
  REQUIRE(fault_after([](Json& r) { r["amplification"]["read_mean"] = "many"; }) ==
          "result 2: amplification.read_mean: expected a number of at least 0, found a string");
  REQUIRE(fault_after([](Json& r) { r["series"]["read_mean"][3] = -1; }) ==
          "result 2: series.read_mean[3]: expected a number of at least 0, found -1");
  REQUIRE(fault_after([](Json& r) { r["series"]["flushes"].push_back(17); }) ==
          "result 2: series.bytes_flushed: has 16 elements, series.flushes has 17");
  REQUIRE(fault_after([](Json& r) { r["policy"] = 7; }) ==
          "result 2: policy: expected an object, found 7");
  REQUIRE(fault_after([](Json& r) { r["stacks"][2].erase("levels"); }) ==
          "result 2: stacks[2].levels: expected an array");
  REQUIRE(fault_after([](Json& r) { r["stacks"][1]["bytes"][0] = nullptr; }) ==
          "result 2: stacks[1].bytes[0]: expected a number of at least 0, found null");
  REQUIRE(fault_after([](Json& r) { r["floor"]["k"] = 1.5; }) ==
          "result 2: floor.k: expected a whole number of at least 0, found 1.5");
  REQUIRE(fault_after([](Json& r) { r["complete"] = "yes"; }) ==
          "result 2: complete: expected true or false, found a string");
  REQUIRE(fault_after([](Json& r) { r = 5; }) ==
          "result 2: the result: expected an object, found 5");
  REQUIRE(fault_of({}) == "report: there are no results to show");
}

TEST_CASE("no single edit of a result is more than an input error") {
  // The test replaces every member in turn by other values. Reading must neither throw nor crash.
  const Json original = result_of({}, 2);
  const Json flat = original.flatten();
  for (const auto& [path, ignored] : flat.items()) {
    Json::json_pointer place(path);
    for (; !place.empty(); place.pop_back()) {
      for (const Json& value :
           {Json(nullptr), Json("x"), Json(-1), Json(1e300), Json::array({1}), Json::object()}) {
        Json edited = original;
        edited[place] = value;
        const auto data = read_report_data(std::vector<Json>{edited});
        REQUIRE((data.has_value() || data.error().kind == ErrorKind::kInput));
      }
    }
  }
}

TEST_CASE("members of a family are in the order of the parameter that tells them apart") {
  const std::vector<Json> results{result_of({"binomial", 12}), result_of({"tiered", 3}),
                                  result_of({"binomial", 4})};
  const auto data = read_report_data(results);
  REQUIRE(data.has_value());
  const ReportWorkload& workload = data.value().at(0);
  REQUIRE(workload.families.size() == 2);
  REQUIRE(workload.families[0].members == std::vector<std::size_t>{2, 0});
  REQUIRE(workload.results[0].variant == 1);
  REQUIRE(workload.results[0].variant_text == "k=12");
}

TEST_CASE("equal labels and mixed sources are told apart") {
  Json measured = result_of({});
  measured["source"] = "engine";
  const auto data = read_report_data(std::vector<Json>{result_of({}), measured, measured});
  REQUIRE(data.has_value());
  const std::vector<ReportResult>& results = data.value().at(0).results;
  REQUIRE(results[0].label == "binomial k=4 (simulator)");
  REQUIRE(results[1].label == "binomial k=4 (engine) (result 2)");
  REQUIRE(results[2].label == "binomial k=4 (engine) (result 3)");
}

TEST_CASE("a missing gnuplot is the machine's fault and names the package") {
  const char* path = std::getenv("PATH");
  const std::string saved = path == nullptr ? "" : path;
  setenv("PATH", "/nowhere", 1);
  const Result<std::string> page = make_report(std::vector<Json>{result_of({})}, "A report");
  setenv("PATH", saved.c_str(), 1);
  REQUIRE(!page);
  REQUIRE(page.error().kind == ErrorKind::kMachine);
  REQUIRE(has(page.error().message, "gnuplot-nox"));
}

TEST_CASE("numbers are shown with four digits that matter, ticks with suffixes") {
  REQUIRE(figure_text(2.34567) == "2.346");
  REQUIRE(figure_text(34.7108542) == "34.71");
  REQUIRE(figure_text(230.44) == "230.4");
  REQUIRE(figure_text(833334.2) == "833,334");
  REQUIRE(tick_text(1) == "1");
  REQUIRE(tick_text(1.5) == "1.5");
  REQUIRE(tick_text(20000) == "20k");
  REQUIRE(tick_text(1e7) == "10M");
}

TEST_CASE("long text is shortened at characters, not bytes") {
  REQUIRE(shortened("abc", 3) == "abc");
  REQUIRE(shortened("abcd", 3) == "ab\xE2\x80\xA6");
  REQUIRE(shortened("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 3) == "\xC3\xA9\xC3\xA9\xE2\x80\xA6");
}

}  // namespace lsmlab::results_page_test
