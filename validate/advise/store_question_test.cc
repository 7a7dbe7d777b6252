// A store is asked by `advise` as `what-if` asks it.
#include "validate/advise/store_question.h"

#include <memory>

#include "testing/catch.h"
#include "validate/advise/advice_text.h"
#include "validate/advise/search.h"
#include "validate/results/result_query.h"

namespace lsmlab::store_question_test {
namespace {

// 30,000 records in level 2. A LOG tells how long jobs took where `has_log`.
StoreCase case_with_tree(bool has_log) {
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
  asked.starts.at_history = asked.starts.now;
  if (!has_log) return asked;
  asked.workload.writes_per_second = 100'000;
  asked.clock.emplace();
  asked.clock->device = "nvme";
  return asked;
}

struct Asked {
  AdviceQuestion question;
  std::string lack;
};

Asked asked_of(const StoreCase& store, const std::vector<std::string>& policies,
               const std::vector<std::string>& varied, const std::string& measure_from = "") {
  Asked asked;
  AdviceQuestion& question = asked.question;
  WhatIfQuestion what_if;
  what_if.device = store.clock ? kLoggedClock : kNoClock;
  const std::string device = device_of(store, what_if);
  if (!device.empty()) {
    question.run.device = Spec{device, {}};
    question.run.options.is_stepped = false;
    question.run.clients = {};
  }
  question.run.measure_from = measure_from;
  question.store_command = "lsmlab what-if db";
  for (const std::string& text : policies) question.policies.push_back(parse_spec(text).value());
  for (const std::string& text : varied) question.varied.push_back(parse_varied(text).value());
  asked.lack = take_store_case(store, what_if, question).value();
  REQUIRE(set_figures(question, {}, {}));
  return asked;
}

TEST_CASE("today's options give the figures of what-if, with the clock of a LOG and without one") {
  for (const bool has_log : {false, true}) {
    INFO(has_log);
    const StoreCase store = case_with_tree(has_log);
    const Asked asked = asked_of(store, {"rocksdb-universal:levels=3,l0_trigger=4"},
                                 {"max_size_amplification_percent=100,200"});
    REQUIRE(asked.lack.empty());
    const Advice advice = search_advice(asked.question, {}).value();
    REQUIRE(advice.plan.candidates.size() > 2);
    const WhatIfAnswer answer = simulate_runs(runs_of(store, {}).value(), {}).value();
    const Candidate& today = advice.candidate(0);
    REQUIRE(today.round == AdviceRound::kToday);
    const auto write = figure_of(today.result(), asked.question.minimize.front());
    REQUIRE(write);
    REQUIRE(*write == Approx(answer.variants.front().write));
    REQUIRE(figure_number(today.result(), "amplification.read_max") ==
            static_cast<double>(answer.variants.front().read_max));
    REQUIRE(simulate_command(asked.question, today)
                .starts_with("lsmlab what-if db --set policy=rocksdb-leveled:"));
  }
}

TEST_CASE("candidates load the records where one of them cannot go on from today's tree") {
  const StoreCase store = case_with_tree(false);
  const Asked asked = asked_of(store, {"tiered:buffer=64KiB"}, {});
  REQUIRE(asked.lack == "policy 'tiered' cannot go on from it");
  REQUIRE(asked.question.start == nullptr);
  REQUIRE(spec_text(asked.question.run.workload) == "load:entries=40000");
  REQUIRE(asked_of(store, {}, {"size_ratio=4,8"}, "50%").lack ==
          "--measure-from asks for parts of a whole run");
}

TEST_CASE("a candidate with too few levels for today's tree is left out") {
  const StoreCase store = case_with_tree(false);
  const Asked asked = asked_of(store, {"rocksdb-leveled:size_ratio=4"}, {"levels=2,3,4"});
  const auto planned = plan_advice(asked.question);
  INFO((planned ? "" : planned.error().message));
  REQUIRE(planned);
  const AdvicePlan& plan = planned.value();
  REQUIRE(plan.impossible > 0);
  for (const Candidate& one : plan.candidates) {
    INFO(spec_text(one.spec));
    REQUIRE(spec_text(one.spec).find("levels=2,") == std::string::npos);
  }
}

}  // namespace
}  // namespace lsmlab::store_question_test
