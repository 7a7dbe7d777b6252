// The search against exhaustive search, which simulates every combination by itself.
#include "validate/advise/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "testing/catch.h"
#include "validate/advise/advice_json.h"
#include "validate/advise/advice_text.h"
#include "validate/advise/rocksdb_words.h"
#include "validate/catalog/catalog.h"
#include "validate/results/result_json.h"
#include "validate/runs/batch.h"

namespace lsmlab::search_test {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

struct Ask {
  std::string workload;
  Texts policies = {};
  Texts varied = {};
  Texts minimize = {};
  Texts where = {};
};

AdviceQuestion question_of(const Ask& ask) {
  AdviceQuestion question;
  question.run.workload = parse_spec(ask.workload).value();
  for (const std::string& text : ask.policies) {
    question.policies.push_back(parse_spec(text).value());
  }
  for (const std::string& text : ask.varied) {
    question.varied.push_back(parse_varied(text).value());
  }
  const auto set = set_figures(question, ask.minimize, ask.where);
  INFO((set ? "" : set.error().message));
  REQUIRE(set);
  return question;
}

Advice searched(const AdviceQuestion& question, unsigned threads = 1, double budget = 600) {
  AdviceOptions options;
  options.threads = threads;
  options.budget_seconds = budget;
  auto advice = search_advice(question, options);
  INFO((advice ? "" : advice.error().message));
  REQUIRE(advice);
  return std::move(advice).value();
}

std::string fault_of(const AdviceQuestion& question) {
  const auto advice = search_advice(question, {});
  return advice ? "" : advice.error().message;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The figures of one policy, by a simulation that knows nothing of the search.
std::vector<double> simulated(const std::string& policy, const std::string& workload,
                              const Texts& paths, std::optional<Resolution> resolution) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = parse_spec(workload).value();
  spec.resolution = resolution;
  const std::vector<ResolvedRun> runs{resolve(spec).value()};
  const Json result = result_to_json(run_simulations(runs, {}).value().front());
  std::vector<double> figures;
  for (const std::string& path : paths) {
    const Json& value = result.at(Json::json_pointer("/amplification/" + path));
    figures.push_back(std::stod(fmt::format("{:.3e}", value.get<double>())));
  }
  return figures;
}

// Whether another policy is at least as good in everything and better in something, or equal and
// earlier.
bool is_beaten(const std::map<std::string, std::vector<double>>& all, const std::string& name) {
  const std::vector<double>& mine = all.at(name);
  for (const auto& [other, figures] : all) {
    bool is_no_worse = true;
    bool is_better = false;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      is_no_worse = is_no_worse && figures[i] <= mine[i];
      is_better = is_better || figures[i] < mine[i];
    }
    if (is_no_worse && is_better) return true;
  }
  return false;
}

std::set<std::vector<double>> front_figures(const AdviceQuestion& question, const Advice& advice) {
  std::set<std::vector<double>> figures;
  for (const std::size_t place : advice.front) {
    std::vector<double> row;
    for (const AdvisedFigure& figure : question.front) {
      row.push_back(
          std::stod(fmt::format("{:.3e}", *figure_of(advice.candidate(place).result(), figure))));
    }
    figures.insert(row);
  }
  return figures;
}

// Searches, and compares best and front with those of `policies`, which are all combinations.
void require_exhaustive(const Ask& ask, const Texts& policies, const Texts& paths,
                        std::optional<Resolution> resolution) {
  std::map<std::string, std::vector<double>> all;
  for (const std::string& policy : policies) {
    all[policy] = simulated(policy, ask.workload, paths, resolution);
  }
  std::set<std::vector<double>> front;
  std::vector<double> best;
  for (const auto& [name, figures] : all) {
    if (!is_beaten(all, name)) front.insert(figures);
    if (best.empty() || figures < best) best = figures;
  }
  AdviceQuestion question = question_of(ask);
  question.run.resolution = resolution;
  const Advice advice = searched(question);
  REQUIRE(advice.plan.candidates.size() + advice.plan.equal == policies.size());
  REQUIRE(front_figures(question, advice) == front);
  REQUIRE(advice.best);
  REQUIRE(all.at(spec_text(advice.candidate(*advice.best).spec)) == best);
}

TEST_CASE("best and Pareto front are those of exhaustive search over sizes of flushes") {
  const Ask ask{"flushes:count=300,size=1MiB",
                {"exploring"},
                {"k=2,3,5,8", "lambda=1,1.5,3", "min_files=2,3"},
                {"write", "read_mean"},
                {}};
  Texts policies;
  for (const char* k : {"2", "3", "5", "8"}) {
    for (const char* lambda : {"1", "1.5", "3"}) {
      for (const char* files : {"2", "3"}) {
        policies.push_back(fmt::format("exploring:k={},lambda={},min_files={}", k, lambda, files));
      }
    }
  }
  require_exhaustive(ask, policies, {"write", "read_mean"}, std::nullopt);
}

TEST_CASE("best and Pareto front are those of exhaustive search with every key") {
  const Ask ask{"load:entries=30k,update_fraction=50%",
                {"rocksdb-leveled:level_base=256KiB,dynamic_levels=false,priority=round-robin,"
                 "file_size=64KiB,buffer=64KiB"},
                {"size_ratio=2,4,10", "l0_trigger=2,4,8"},
                {"write", "read_mean", "space"},
                {}};
  Texts policies;
  for (const char* ratio : {"2", "4", "10"}) {
    for (const char* trigger : {"2", "4", "8"}) {
      policies.push_back(
          fmt::format("{},size_ratio={},l0_trigger={}", ask.policies[0], ratio, trigger));
    }
  }
  require_exhaustive(ask, policies, {"write", "read_mean", "space"}, Resolution::kKey);
}

TEST_CASE("refinement finds the best value of a ladder, which is no coarse one") {
  const Ask ask{"flushes:count=200,size=1MiB", {"binomial"}, {}, {}, {"read_max<=4"}};
  double least = 1e9;
  std::string best;
  for (const char* k : {"2", "3", "4", "5", "6", "7", "8", "10", "12", "16", "20", "24", "32"}) {
    const std::string policy = fmt::format("binomial:k={}", k);
    const auto figures = simulated(policy, ask.workload, {"write", "read_max"}, std::nullopt);
    if (figures[1] > 4 || figures[0] >= least) continue;
    least = figures[0];
    best = policy;
  }
  REQUIRE(best == "binomial:k=4");
  const AdviceQuestion question = question_of(ask);
  const Advice advice = searched(question);
  REQUIRE(advice.refined_tried > 0);
  REQUIRE(spec_text(advice.candidate(*advice.best).spec) == best);
}

TEST_CASE("tiering writes least, and leveling wins where few runs are allowed") {
  Ask ask{"load:entries=300k", {"tiered:buffer=128KiB", "lo+1:buffer=128KiB,file_size=128KiB"}};
  const auto name_of_best = [&] {
    const AdviceQuestion question = question_of(ask);
    const Advice advice = searched(question, 2);
    REQUIRE(advice.best);
    return advice.candidate(*advice.best).spec.name;
  };
  REQUIRE(name_of_best() == "tiered");
  ask.where = {"read_max<=4"};
  REQUIRE(name_of_best() == "lo+1");
}

TEST_CASE("the best satisfies all conditions, and otherwise the nearest misses them by least") {
  const Ask ask{"flushes:count=200,size=1MiB", {"binomial", "tiered"}, {}, {}, {"read_max<=4"}};
  const AdviceQuestion question = question_of(ask);
  const Advice advice = searched(question);
  REQUIRE(advice.best);
  for (const std::size_t place : advice.front) {
    REQUIRE(figure_number(advice.candidate(place).result(), "amplification.read_max") <= 4);
  }
  double least = 1e9;
  for (const Candidate& one : advice.plan.candidates) {
    if (figure_number(one.result(), "amplification.read_max") > 4) continue;
    least = std::min(least, *figure_number(one.result(), "amplification.write"));
  }
  REQUIRE(figure_number(advice.candidate(*advice.best).result(), "amplification.write") <=
          least * 1.001);
  Ask hopeless = ask;
  hopeless.where = {"read_max<=4", "write<=1.01"};
  const AdviceQuestion no_question = question_of(hopeless);
  const Advice none = searched(no_question);
  REQUIRE_FALSE(none.best);
  REQUIRE(none.front.empty());
  REQUIRE(none.nearest);
  const double shortfall = shortfall_of(no_question, none.candidate(*none.nearest).result());
  REQUIRE(shortfall > 0);
  for (const Candidate& one : none.plan.candidates) {
    REQUIRE(shortfall <= shortfall_of(no_question, one.result()));
  }
  REQUIRE(has(advice_text(no_question, none), "no candidate satisfies every condition"));
}

TEST_CASE("finalists have figures of both resolutions, and the best is chosen by exact ones") {
  const AdviceQuestion question =
      question_of({"load:entries=100k,update_fraction=60%",
                   {"rocksdb-leveled:buffer=64KiB", "lo+1:buffer=64KiB"}});
  const Advice advice = searched(question, 2);
  REQUIRE(advice.exact == ExactRound::kDone);
  REQUIRE(advice.finalists.size() > 1);
  std::optional<double> least;
  for (const std::size_t place : advice.finalists) {
    const Candidate& one = advice.candidate(place);
    REQUIRE(one.resolution == Resolution::kRange);
    REQUIRE_FALSE(one.coarse.is_null());
    REQUIRE_FALSE(one.exact.is_null());
    const double write = *figure_number(one.exact, "amplification.write");
    least = std::min(least.value_or(write), write);
  }
  const double chosen = *figure_number(advice.candidate(*advice.best).exact, "amplification.write");
  REQUIRE(chosen <= *least * 1.001);
}

TEST_CASE("an answer does not depend on the number of threads") {
  const AdviceQuestion question = question_of(
      {"load:entries=50k,update_fraction=50%", {"leveldb:buffer=64KiB", "tiered:buffer=64KiB"}});
  const auto json = [&](unsigned threads) {
    Json answer = advice_json(question, searched(question, threads), 600);
    answer.erase("run");
    return answer.dump();
  };
  REQUIRE(json(1) == json(4));
}

TEST_CASE("a budget ends the search with what is known, or says that nothing is") {
  const AdviceQuestion question = question_of({"flushes:count=100000,size=1MiB"});
  AdviceOptions options;
  options.budget_seconds = 0;
  const auto none = search_advice(question, options);
  REQUIRE_FALSE(none);
  REQUIRE(has(none.error().message, "--budget"));
  options.budget_seconds = 0.3;
  const auto cut = search_advice(question, options);
  if (!cut) return;  // a machine so slow that not one candidate was done
  REQUIRE(cut.value().is_budget_over);
  REQUIRE(cut.value().coarse_tried < cut.value().coarse_total);
  REQUIRE(has(advice_text(question, cut.value()), "another --budget"));
  REQUIRE(advice_json(question, cut.value(), 0.3)["complete"] == false);
}

TEST_CASE("an interrupted search has what is known") {
  const AdviceQuestion question =
      question_of({"load:entries=200k", {"rocksdb-leveled:buffer=64KiB"}});
  std::atomic<bool> stop{false};
  AdviceOptions options;
  options.threads = 1;
  options.stop = &stop;
  options.on_progress = [&](const AdviceProgress& now) { stop = stop || now.done > 3; };
  const auto advice = search_advice(question, options);
  if (!advice) return;  // the first progress came before the first candidate was done
  if (!advice.value().is_interrupted) return;  // or after the last one
  REQUIRE(has(advice_text(question, advice.value()), "was stopped"));
  REQUIRE(advice.value().best);
}

TEST_CASE("today's options come first, and the answer names what to change in RocksDB") {
  AdviceQuestion question = question_of({"load:entries=100k"});
  question.today = parse_spec(
                       "rocksdb-leveled:size_ratio=10,l0_trigger=4,level_base=256KiB,"
                       "file_size=64KiB,buffer=64KiB,table_format=rocksdb")
                       .value();
  const Advice advice = searched(question);
  REQUIRE(advice.candidate(0).round == AdviceRound::kToday);
  REQUIRE(spec_text(advice.candidate(0).spec) == spec_text(*question.today));
  for (const Candidate& one : advice.plan.candidates) {
    INFO(spec_text(one.spec));
    REQUIRE(one.spec.name.starts_with("rocksdb-"));
    REQUIRE(has(spec_text(one.spec), "buffer=64KiB"));
    REQUIRE(has(spec_text(one.spec), "table_format=rocksdb"));
    // RocksDB's target_file_size_base is one option for both kinds of compaction.
    const bool is_universal = one.spec.name == "rocksdb-universal";
    REQUIRE((!is_universal || has(spec_text(one.spec), "file_size=64KiB")));
  }
  const std::string text = advice_text(question, advice);
  REQUIRE(has(text, "RocksDB's options that change:"));
  REQUIRE(has(text, "today's options"));
  const auto before = policy_of_spec(*question.today).value();
  const auto after =
      policy_of_spec(parse_spec("rocksdb-leveled:size_ratio=4,l0_trigger=4,level_base=256KiB,"
                                "file_size=64KiB,buffer=1MiB,table_format=rocksdb,"
                                "priority=round-robin")
                         .value())
          .value();
  std::map<std::string, std::string> words;
  for (const OptionWords& word : rocksdb_words(after, &before)) words[word.name] = word.value;
  REQUIRE(words["max_bytes_for_level_multiplier"] == "4");
  REQUIRE(words["write_buffer_size"] == "1048576");
  REQUIRE(words["compaction_pri"] == "kRoundRobin");
  REQUIRE(!words.contains("target_file_size_base"));
}

TEST_CASE("what fits today's policy only is not handed to other candidates") {
  AdviceQuestion question = question_of({"load:entries=20k"});
  question.today = parse_spec(
                       "rocksdb-leveled:level_base=256KiB,file_size=64KiB,buffer=64KiB,"
                       "max_compaction_bytes=1MiB,disable_auto_compactions=true")
                       .value();
  const Advice advice = searched(question);
  std::size_t universal = 0;
  for (const Candidate& one : advice.plan.candidates) {
    if (one.round == AdviceRound::kToday) continue;
    INFO(spec_text(one.spec));
    REQUIRE_FALSE(has(spec_text(one.spec), "disable_auto_compactions"));
    if (one.spec.name != "rocksdb-universal") continue;
    REQUIRE_FALSE(has(spec_text(one.spec), "max_compaction_bytes"));
    ++universal;
  }
  REQUIRE(universal > 0);
}

TEST_CASE("the options of a db_bench line are today's") {
  const std::string line =
      "db_bench:\"--benchmarks=fillrandom --num=100000 --write_buffer_size=65536 "
      "--max_bytes_for_level_multiplier=5\"";
  AdviceQuestion question = question_of({line, {"db_bench:l0_trigger=2"}});
  REQUIRE(take_db_bench(question));
  REQUIRE(question.today);
  REQUIRE(question.policies.front().name == "rocksdb-leveled");
  const auto plan = plan_advice(question);
  REQUIRE(plan);
  REQUIRE(has(spec_text(plan.value().candidates[0].spec), "size_ratio=5"));
  for (std::size_t i = 1; i < plan.value().candidates.size(); ++i) {
    const std::string text = spec_text(plan.value().candidates[i].spec);
    INFO(text);
    REQUIRE(has(text, "buffer=64KiB"));
    REQUIRE(has(text, "l0_trigger=2"));
  }
  AdviceQuestion timed = question_of({line});
  timed.run.device = Spec{"nvme", {}};
  timed.run.options.is_stepped = false;
  REQUIRE(take_db_bench(timed));
  const auto has_pending = [&](const char* policy) {
    const RunSpec run = run_with(timed, {policy, {}});
    return std::any_of(run.stalls.begin(), run.stalls.end(),
                       [](const auto& one) { return one.first.starts_with("pending_"); });
  };
  REQUIRE(has_pending("rocksdb-leveled"));
  REQUIRE_FALSE(has_pending("rocksdb-universal"));
  REQUIRE(run_with(timed, {"binomial", {}}).stalls.empty());
  REQUIRE(plan_advice(timed));
  AdviceQuestion other = question_of({"load:entries=10k", {"db_bench"}});
  REQUIRE_FALSE(take_db_bench(other));
}

TEST_CASE("the log that a db_bench line leaves out is left out of each run, and of the command") {
  const std::string line =
      "db_bench:\"--benchmarks=fillrandom --num=50000 --write_buffer_size=65536 --disable_wal=1";
  // Style 3 is no policy, but other policies need none of the line's options.
  for (const Ask& ask : {Ask{line + '"'}, Ask{line + " --compaction_style=3\"", {"tiered"}}}) {
    INFO(ask.workload);
    AdviceQuestion question = question_of(ask);
    question.varied = {parse_varied("size_ratio=4,8").value()};
    REQUIRE(take_db_bench(question));
    const Advice advice = searched(question);
    for (const Candidate& one : advice.plan.candidates) {
      INFO(spec_text(one.spec));
      for (const Json& result : {one.coarse, one.exact}) {
        if (!result.is_null()) REQUIRE(result["totals"]["wal_bytes_written"] == 0);
      }
      REQUIRE(has(simulate_command(question, one), " --disable-wal"));
    }
  }
}

TEST_CASE("of a run that is measured from some moment on, the second part counts") {
  AdviceQuestion question;
  question.run.workload = parse_spec("load:entries=100k,update_fraction=50%").value();
  question.run.measure_from = "50%";
  question.policies = {parse_spec("tiered:buffer=64KiB").value()};
  REQUIRE(set_figures(question, {}, {"write<=100"}));
  const Advice advice = searched(question);
  REQUIRE(advice.best);
  const Json& result = advice.candidate(*advice.best).result();
  const auto measured = figure_number(result, "phases[1].write");
  REQUIRE(measured);
  REQUIRE(figure_of(result, question.minimize.front()) == measured);
  REQUIRE(figure_number(result, question.where.front().condition.path) == measured);
  REQUIRE(figure_number(result, "amplification.write") != measured);
}

TEST_CASE("a limit on memory keeps larger candidates out") {
  AdviceQuestion question = question_of({"load:entries=100k", {"tiered", "rocksdb-leveled"}});
  question.memory = Bytes(1 << 20);
  const Advice advice = searched(question, 2);
  REQUIRE(advice.plan.too_large > 0);
  REQUIRE(advice.best);
  for (const Candidate& one : advice.plan.candidates) REQUIRE(*one.memory <= *question.memory);
  question.memory = Bytes(100);
  REQUIRE(has(fault_of(question), "take more than --memory"));
}

TEST_CASE("a question that cannot be asked says why") {
  const auto figures = [](const Texts& minimize, const Texts& where) {
    AdviceQuestion question;
    const auto set = set_figures(question, minimize, where);
    return set ? std::string() : set.error().message;
  };
  REQUIRE(has(figures({"wirte"}, {}), "did you mean 'write'"));
  REQUIRE(has(figures({"put_p99"}, {}), "add --device"));
  REQUIRE(has(figures({}, {"stalled<=10s"}), "add --device"));
  REQUIRE(has(figures({}, {"read_max=8"}), "not a condition"));
  REQUIRE(has(fault_of(question_of({"load:entries=10k", {"tiered"}, {"siz_ratio=2,4"}})),
              "did you mean 'size_ratio'"));
  REQUIRE(
      has(fault_of(question_of({"load:entries=10k", {"tiered:size_ratio=2"}, {"size_ratio=2,4"}})),
          "states it"));
  REQUIRE(has(fault_of(question_of({"load:entries=10k", {"tired"}})), "did you mean 'tiered'"));
  REQUIRE(has(fault_of(question_of({"load:entries=10k", {"tiered"}, {}, {"read_blocks"}})),
              "no run of this workload has the figure"));
  AdviceQuestion no_keys = question_of({"load:entries=10k"});
  no_keys.run.resolution = Resolution::kFlush;
  REQUIRE(has(fault_of(no_keys), "nothing to search: policy '"));
  AdviceQuestion timed;
  timed.run.device = Spec{"nvme", {}};
  const auto more = set_figures(timed, {"throughput"}, {});
  REQUIRE(has(more.error().message, "more is better"));
}

TEST_CASE("the command of an answer repeats its run") {
  AdviceQuestion question;
  RunSpec& run = question.run;
  run.workload = parse_spec("load:entries=10k").value();
  run.options.seed = 7;
  run.measure_from = "50%";
  run.options.final_flush = false;
  run.options.disable_wal = true;
  Candidate candidate;
  candidate.spec = parse_spec("tiered:size_ratio=4").value();
  REQUIRE(simulate_command(question, candidate) ==
          "lsmlab simulate -p tiered:size_ratio=4 -w load:entries=10k --seed 7 --no-final-flush "
          "--disable-wal --measure-from 50% --resolution range");
}

}  // namespace
}  // namespace lsmlab::search_test
