#include "validate/judge/judge.h"

#include <cmath>
#include <fstream>
#include <functional>

#include "testing/catch.h"
#include "testing/cli.h"
#include "testing/experiment_place.h"
#include "validate/judge/cell_figures.h"
#include "validate/judge/forgetting.h"
#include "validate/report/validation/validation_page.h"

namespace lsmlab::judge_test {
namespace {

using Json = nlohmann::ordered_json;

using testing::experiment_of_group;
using Place = testing::ExperimentPlace;

Experiment small_experiment(const std::string& bounds) {
  return experiment_of_group(R"("policies": ["lo+1:buffer=64KiB,file_size=64KiB",
      "binomial:k=3,buffer=64KiB", "tiered:size_ratio=3,buffer=64KiB"],
    "workloads": ["load:entries=20k", "load:entries=20k,update_fraction=40%"], "bounds": )" +
                             bounds)
      .value();
}

TEST_CASE("our engine does what was simulated: every cell, every plan, the line the diagonal") {
  Place place;
  const auto validation = run_validation(
      small_experiment(R"({"write_error": "0%", "r_squared": 0.999999, "same_logs": true})"),
      place.options);
  REQUIRE(validation.has_value());
  const Json& json = validation.value().json;
  REQUIRE(validation.value().broken_bounds.empty());
  REQUIRE(json["schema"] == kValidationSchema);
  REQUIRE(json["cells"].size() == 6);
  for (const Json& cell : json["cells"]) {
    REQUIRE(cell["simulated"] == cell["measured"]);
    REQUIRE(cell["relative_error"]["write"] == 0.0);
    REQUIRE(cell["logs"]["difference"] == "none");
    REQUIRE(cell["error_of"]["decision"] == 0.0);
    REQUIRE(cell["curves"]["measured"]["write"].size() > 3);
  }
  bool has_line = false;
  for (const Json& fit : json["fits"]) {
    if (fit["of"] != "all" || fit["figure"] != "write") continue;
    has_line = true;
    REQUIRE(std::abs(fit["slope"].get<double>() - 1) < 1e-9);
    REQUIRE(fit["points"] == 6);
    REQUIRE(fit["slope_95"].is_array());
  }
  REQUIRE(has_line);
  REQUIRE(!json["merge_times"].empty());
  REQUIRE(json["merge_times"][0]["seconds"].size() == json["merge_times"][0]["merges"]);
  // There are a simulation and a measurement for each cell, and the stores are removed.
  REQUIRE(place.results() == 12);
  REQUIRE((!std::filesystem::exists(place.options.scratch) ||
           std::filesystem::is_empty(place.options.scratch)));
  REQUIRE(validation_text(json).find("same, ") != std::string::npos);
}

TEST_CASE("what was done is not done again, and what was stopped goes on") {
  Place place;
  const Experiment experiment = small_experiment("{}");
  std::atomic<bool> stop{false};
  place.options.stop = &stop;
  place.options.on_progress = [&](const ValidationProgress& progress) {
    REQUIRE(progress.runs_total == 12);
    if (progress.runs_done >= 2) stop.store(true);
  };
  const auto stopped = run_validation(experiment, place.options);
  REQUIRE(stopped.has_value());
  if (!stopped.value().is_complete) {
    REQUIRE(place.results() < 12);
    REQUIRE(place.results() >= 2);
  }
  stop.store(false);
  place.options.on_progress = {};
  REQUIRE(run_validation(experiment, place.options).value().is_complete);
  REQUIRE(place.results() == 12);
  std::size_t done_at_first = 0;
  place.options.on_progress = [&](const ValidationProgress& progress) {
    if (done_at_first == 0) done_at_first = progress.runs_done;
  };
  REQUIRE(run_validation(experiment, place.options).value().is_complete);
  REQUIRE(done_at_first == 12);
}

// Damages one kept file of a finished experiment at a time. The validation names the file, repeats
// its run, and gives the same JSON.
TEST_CASE("kept files that were cut, emptied or altered are named, and their runs done anew") {
  Place place;
  const Experiment experiment = experiment_of_group(R"("policies": ["tier:buffer=64KiB"],
    "workloads": ["load:entries=20k"], "bounds": {"same_logs": true})")
                                    .value();
  std::vector<std::string> told;
  place.options.on_damage = [&](const std::string& what) { told.push_back(what); };
  const Json whole = run_validation(experiment, place.options).value().json;
  REQUIRE(told.empty());
  const auto cut = [](std::string text) { return text.substr(0, text.size() / 2); };
  const auto emptied = [](const std::string&) { return std::string(); };
  const auto altered = [](std::string text) {
    const std::size_t digit = text.find_first_of("12345678", text.size() / 3);
    ++text[digit];
    return text;
  };
  const auto without_line = [](std::string text) { return text.substr(text.find('\n') + 1); };
  const auto of_other_types = [](const std::string&) {
    return std::string(R"({"schema": "lsmlab.result/1", "policy": 3})");
  };
  const std::vector<std::function<std::string(std::string)>> damages{cut, emptied, altered,
                                                                     without_line, of_other_types};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(place.options.results)) {
    if (entry.path().filename() != "LOCK") files.push_back(entry.path());
  }
  REQUIRE(files.size() == 4);
  const auto all_of = [&](const auto& damage) {
    for (const auto& file : files) {
      const std::string text = testing::read_file(file);
      std::ofstream(file, std::ios::trunc) << damage(text);
    }
  };
  for (const auto& damage : damages) {
    for (const auto& file : files) {
      told.clear();
      const std::string text = testing::read_file(file);
      std::ofstream(file, std::ios::trunc) << damage(text);
      const Json again = run_validation(experiment, place.options).value().json;
      INFO(file);
      REQUIRE(told.size() == 1);
      INFO(told[0]);
      REQUIRE(told[0].find(file.string() + ": ") == 0);
      REQUIRE(again["cells"][0]["logs"] == whole["cells"][0]["logs"]);
      REQUIRE(again["cells"][0]["simulated"] == whole["cells"][0]["simulated"]);
    }
  }
  // Damages both logs at once, so that they are still equal.
  told.clear();
  all_of([](const std::string& text) { return text.starts_with("{\"sequence\"") ? "" : text; });
  REQUIRE(run_validation(experiment, place.options).value().json["cells"][0]["logs"] ==
          whole["cells"][0]["logs"]);
  REQUIRE(told.size() == 2);
  // A run with only half of its files is not damaged: it was stopped.
  told.clear();
  std::filesystem::remove(files[0]);
  REQUIRE(run_validation(experiment, place.options).value().is_complete);
}

TEST_CASE("a broken bound is told with its cell") {
  Place place;
  Experiment experiment = small_experiment("{}");
  REQUIRE(run_validation(experiment, place.options).value().broken_bounds.empty());
  experiment.groups[0].bounds.write_error = -1;  // every error breaks this bound
  experiment.groups[0].bounds.r_squared = 1.5;
  const auto validation = run_validation(experiment, place.options).value();
  REQUIRE(validation.broken_bounds.size() == 7);
  REQUIRE(validation.broken_bounds[0].find("lo+1") != std::string::npos);
  REQUIRE(validation.json["broken_bounds"].size() == 7);
}

TEST_CASE("a run that fails ends the experiment with its error") {
  Place place;
  Experiment experiment = small_experiment("{}");
  std::optional<ResolvedRun>& measured = experiment.groups[0].cells[0].measured;
  RunSpec spec = measured->spec;
  spec.workload = parse_spec("load:entries=100,key_bytes=4").value();
  measured = resolve(spec).value();
  const auto validation = run_validation(experiment, place.options);
  REQUIRE(!validation);
  REQUIRE(validation.error().message.find("engine of policy 'lo+1") != std::string::npos);
}

TEST_CASE("a validation tells how fast each run forgets deletes, in text and page") {
  Place place;
  const Experiment experiment =
      experiment_of_group(R"("policies": ["tsd:buffer=16KiB,file_size=16KiB",
        "tiered:size_ratio=4,buffer=16KiB,gc_grace=1M"],
      "workloads": ["load:entries=20k,update_fraction=20%,delete_fraction=10%",
        "load:entries=20k"], "bounds": {"same_logs": true})")
          .value();
  const auto validation = run_validation(experiment, place.options);
  REQUIRE(validation.has_value());
  REQUIRE(validation.value().broken_bounds.empty());
  const Json& json = validation.value().json;
  std::size_t with_deletes = 0;
  for (const Json& cell : json["cells"]) {
    if (cell["deletes"].is_null()) continue;
    ++with_deletes;
    REQUIRE(cell["deletes"]["simulated"] == cell["deletes"]["measured"]);
    REQUIRE(cell["deletes"]["simulated"]["write"] == cell["simulated"]["write"]);
  }
  REQUIRE(with_deletes == 2);
  const auto rows = forgetting_rows(json);
  REQUIRE(rows.size() == 3);
  REQUIRE(rows[1][1] == "both");
  REQUIRE(rows[1][5] != "-");
  // No merge may drop a tombstone yet.
  REQUIRE(rows[2][5] == "-");
  const std::string text = validation_text(json);
  REQUIRE(text.find("how fast deletes are forgotten:") != std::string::npos);
  const std::string page = make_validation_report(json, "Deletes").value();
  REQUIRE(page.find("<h2>How fast deletes are forgotten</h2>") != std::string::npos);
  REQUIRE(page.find("<td>" + rows[1][5] + "</td>") != std::string::npos);
  Json apart = json;
  for (Json& cell : apart["cells"]) {
    if (!cell["deletes"].is_null()) cell["deletes"]["measured"]["gone_after_p50"] = 5;
  }
  REQUIRE(forgetting_rows(apart).size() == 5);
  REQUIRE(forgetting_rows(apart)[2][1] == "measured");
  Json old = json;
  for (Json& cell : old["cells"]) cell.erase("deletes");
  REQUIRE(forgetting_rows(old).empty());
  REQUIRE(make_validation_report(old, "Deletes").value().find("forgotten") == std::string::npos);
}

TEST_CASE("a validation's page shows every cell, and marks the worst") {
  Place place;
  Json json = run_validation(small_experiment("{}"), place.options).value().json;
  json["cells"][3]["relative_error"]["write"] = -0.25;
  json["broken_bounds"].push_back("cell <3> is off");
  const Result<std::string> made = make_validation_report(json, "Title & more");
  INFO((made ? std::string() : made.error().message));
  REQUIRE(made.has_value());
  const std::string& html = made.value();
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = html.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  REQUIRE(count("<svg") == 2 + 6 + 2 + 6);
  REQUIRE(count("class=\"worst\"") == 1);
  REQUIRE(count("Title &amp; more") == 2);
  REQUIRE(count("cell &lt;3&gt; is off") == 1);
  REQUIRE(count("-25.00 %") >= 1);
  // Write amplification has columns of its own, so it is no column under "error of".
  REQUIRE(count("<th scope=\"col\" title=") == compared_figures().size() - 1);
  REQUIRE(make_validation_report(json, "Title & more").value() == html);
  json["cells"][0].erase("curves");
  REQUIRE(!make_validation_report(json, "t"));
  json.erase("fits");
  REQUIRE(make_validation_report(json, "t").error().message.find("fits") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::judge_test
