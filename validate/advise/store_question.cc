#include "validate/advise/store_question.h"

#include <fmt/format.h>

#include "validate/advise/parameter_table.h"
#include "validate/stores/store_runs.h"

namespace lsmlab {
namespace {

std::string lack_of_start(const AdviceQuestion& question) {
  const RunSpec& run = question.run;
  if (!run.measure_from.empty()) return "--measure-from asks for parts of a whole run";
  if (run.scale) return "--scale changes the store's size";
  if (run.resolution == Resolution::kFlush) return "resolution flush knows no files";
  std::vector<std::string> names;
  for (const Spec& policy : question.policies) names.push_back(policy.name);
  if (names.empty()) names = policies_of_system(question.today->name);
  for (const std::string& name : names) {
    if (opens_trees_of(name, question.today->name)) continue;
    return fmt::format("policy '{}' cannot go on from it", name);
  }
  return {};
}

}  // namespace

std::string device_of(const StoreCase& store, const WhatIfQuestion& what_if) {
  if (uses_logged_clock(store, what_if)) return store.clock->device;
  return what_if.device == kNoClock ? std::string() : what_if.device;
}

Result<std::string> take_store_case(const StoreCase& store, const WhatIfQuestion& what_if,
                                    AdviceQuestion& question) {
  const RunSpec told = BOOST_OUTCOME_TRYX(run_of_case(store, what_if));
  RunSpec& run = question.run;
  question.today = BOOST_OUTCOME_TRYX(parse_spec(store.policy.spec));
  const bool has_final_flush = run.options.final_flush;
  run.workload = told.workload;
  run.options.disable_wal = run.options.disable_wal || told.options.disable_wal;
  if (run.device) {
    if (run.clients.name.empty()) run.clients = told.clients;
    run.options.merge_threads = told.options.merge_threads;
    question.todays_stalls = told.stalls;
    question.counts_to_last_operation = !store.ends_at_rest;
  }
  std::string lack = store.starts.now == nullptr ? "" : lack_of_start(question);
  if (run.measure_from.empty()) {
    run.measure_from = told.measure_from;
    run.options.final_flush = has_final_flush && told.options.final_flush;
  }
  if (store.starts.now == nullptr || !lack.empty()) return lack;
  question.start = store.starts.now;
  run.workload = BOOST_OUTCOME_TRYX(parse_spec(store.workload_after(*question.start, false)));
  run.measure_from.clear();
  run.options.final_flush = has_final_flush && told.options.is_stepped;
  question.counts_to_last_operation = !told.options.is_stepped;
  return lack;
}

}  // namespace lsmlab
