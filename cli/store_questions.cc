// lsmlab what-if and explain: questions about a user's store, answered by simulations.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "interrupt.h"
#include "models/policies/registry.h"
#include "output.h"
#include "progress.h"
#include "validate/catalog/catalog.h"
#include "validate/stores/decisions_text.h"
#include "validate/stores/usual_changes.h"
#include "validate/stores/what_if_text.h"
#include "verbs.h"

namespace lsmlab {
namespace {

constexpr std::size_t kChangesShown = 3;
constexpr std::size_t kDifferencesShown = 10;

WhatIfQuestion question_of(const WhatIfArguments& arguments) {
  WhatIfQuestion question;
  question.changes = arguments.changes;
  question.workload = arguments.workload;
  question.device = arguments.device;
  question.stalls = arguments.stalls;
  if (arguments.merge_threads > 0) {
    question.merge_threads = arguments.merge_threads;
  }
  return question;
}

Result<void> check_arguments(const WhatIfArguments& arguments) {
  if (arguments.format != "text" && arguments.format != "json") {
    return input_error(
        fmt::format("--format: '{}' is unknown; expected text or json", arguments.format));
  }
  return success();
}

void tell_faults(const stores::Store& store) {
  for (const Error& fault : store.faults) fmt::print(stderr, "lsmlab: {}\n", fault.message);
}

// Decisions are checked without a clock: no file of the history gets old. Returns whether there
// were ages.
bool leave_out_ages(Spec& spec, std::vector<std::string>& unmodelled) {
  const std::optional<PolicyFamily> family = policy_family(spec.name);
  if (!family) return false;
  return std::erase_if(spec.parameters, [&](const auto& parameter) {
           const bool is_age = counting_option(family->options, parameter.first) != nullptr;
           if (is_age) {
             unmodelled.push_back(fmt::format("{}={} (decisions are checked without a clock)",
                                              parameter.first, parameter.second));
           }
           return is_age;
         }) > 0;
}

Result<int> compare_decisions(const WhatIfArguments& arguments, const stores::Store& store) {
  for (const auto& [name, value] :
       {std::pair("--workload", &arguments.workload), std::pair("--device", &arguments.device)}) {
    if (value->empty()) continue;
    return input_error(
        fmt::format("{}: does not apply with --check-decisions, which simulates nothing", name));
  }
  StoreCase asked = BOOST_OUTCOME_TRYX(store_policy(store, arguments.family));
  Spec spec = BOOST_OUTCOME_TRYX(changed_policy(asked, arguments.changes));
  const bool had_ages = leave_out_ages(spec, asked.policy.unmodelled);
  const ConfiguredPolicy policy = BOOST_OUTCOME_TRYX(policy_of_spec(spec, asked.policy_workload()));
  if (had_ages || !arguments.changes.empty()) asked.policy.spec = spec_text(spec);
  tell_faults(store);
  const DecisionCheck check =
      BOOST_OUTCOME_TRYX(check_decisions(store, asked.reported.name, policy));
  BOOST_OUTCOME_TRYV(print_text(arguments.format == "json"
                                    ? decisions_json(asked, store, check).dump(2) + "\n"
                                    : decisions_text(asked, store, check, kDifferencesShown)));
  return kExitDone;
}

Result<int> answer(const WhatIfArguments& arguments, bool explains) {
  BOOST_OUTCOME_TRYV(check_arguments(arguments));
  const stores::Store store = BOOST_OUTCOME_TRYX(stores::read_store(arguments.path));
  if (arguments.check_decisions) return compare_decisions(arguments, store);
  auto known = store_case(store, arguments.family, arguments.workload);
  if (!known) return stores::with_faults_of(store, known.error());
  StoreCase& asked = known.value();
  WhatIfQuestion question = question_of(arguments);
  // So that the answer's text states the threads of the run.
  if (question.merge_threads) {
    asked.rules.merge_threads = *question.merge_threads;
    asked.rules.merge_threads_guess.clear();
  }
  if (explains) {
    question.changes = usual_changes(asked);
    question.combines = false;
  }
  const bool is_json = arguments.format == "json";
  const WhatIfRuns runs = BOOST_OUTCOME_TRYX(runs_of(asked, question));
  catch_interrupts();
  ProgressLine progress;
  const BatchOptions options = watched_batch(0, arguments.quiet, progress);
  WhatIfAnswer figures = BOOST_OUTCOME_TRYX(simulate_history(runs, options));
  // The changes may take minutes, and whether to trust them is known before.
  if (!is_json) {
    progress.clear();
    BOOST_OUTCOME_TRYV(print_text(trust_text(asked, figures.history, figures.counted_history)));
  }
  BOOST_OUTCOME_TRYV(simulate_variants(runs, options, figures));
  progress.clear();
  BOOST_OUTCOME_TRYV(print_text(is_json    ? what_if_json(asked, figures).dump(2) + "\n"
                                : explains ? explanation_text(asked, figures, kChangesShown)
                                           : variants_text(asked, figures)));
  tell_faults(store);
  if (figures.complete()) return kExitDone;
  fmt::print(stderr, "lsmlab: stopped early; the answer is incomplete\n");
  return interrupt_exit_code();
}

}  // namespace

int run_what_if(const WhatIfArguments& arguments) {
  const Result<int> code = answer(arguments, false);
  return code ? code.value() : report_error(code.error());
}

int run_explain(const WhatIfArguments& arguments) {
  const Result<int> code = answer(arguments, true);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
