// lsmlab advise: arguments in, an answer out; validate/advise searches.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "interrupt.h"
#include "models/base/printable.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "output.h"
#include "progress.h"
#include "simulated_spec.h"
#include "validate/advise/advice_chart.h"
#include "validate/advise/advice_json.h"
#include "validate/advise/advice_text.h"
#include "validate/advise/search.h"
#include "validate/advise/store_question.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/run_command.h"
#include "validate/stores/what_if_text.h"
#include "verbs.h"

namespace lsmlab {
namespace {

struct AdviseCase {
  AdviceQuestion question;
  std::optional<StoreCase> store;
  std::optional<WhatIfRuns> trust;  // today's options over the store's history
  std::string lack_of_start;        // take_store_case()
  std::vector<Error> store_faults;
};

// As the user would ask `what-if`.
WhatIfQuestion what_if_of(const AdviseArguments& arguments) {
  WhatIfQuestion question;
  question.device = arguments.run.device;
  question.stalls = arguments.run.stalls;
  if (arguments.run.merge_threads > 0) question.merge_threads = arguments.run.merge_threads;
  return question;
}

// A search makes hundreds of runs, so they have a clock only where the user wants one.
WhatIfQuestion candidates_question(const AdviseArguments& arguments) {
  WhatIfQuestion question = what_if_of(arguments);
  if (question.device.empty()) question.device = kNoClock;
  return question;
}

// The question about the store in words of `what-if`, without the policy.
std::string store_command(const AdviseArguments& arguments) {
  const std::string device = candidates_question(arguments).device;
  std::string command = "lsmlab what-if " + shell_word(arguments.store);
  for (const auto& [option, value] :
       {std::pair("--family", &arguments.family), std::pair("--device", &device),
        std::pair("--stalls", &arguments.run.stalls)}) {
    if (!value->empty()) command += fmt::format(" {} {}", option, shell_word(*value));
  }
  if (arguments.run.merge_threads > 0) {
    command += fmt::format(" --merge-threads {}", arguments.run.merge_threads);
  }
  return command;
}

Result<void> read_asked_store(const AdviseArguments& arguments, AdviseCase& asked) {
  const stores::Store store = BOOST_OUTCOME_TRYX(stores::read_store(arguments.store));
  auto known = store_case(store, arguments.family, arguments.workload);
  if (!known) return stores::with_faults_of(store, known.error());
  asked.store = std::move(known).value();
  asked.store_faults = store.faults;
  const WhatIfQuestion what_if = what_if_of(arguments);
  if (what_if.merge_threads) {
    asked.store->rules.merge_threads = *what_if.merge_threads;
    asked.store->rules.merge_threads_guess.clear();
  }
  return success();
}

// A store's run is what its files tell, as far as the user says nothing else.
Result<void> take_store(const AdviseArguments& arguments, AdviseCase& asked) {
  asked.question.store_command = store_command(arguments);
  asked.lack_of_start = BOOST_OUTCOME_TRYX(
      take_store_case(*asked.store, candidates_question(arguments), asked.question));
  asked.trust = BOOST_OUTCOME_TRYX(runs_of(*asked.store, what_if_of(arguments)));
  return success();
}

Result<void> take_searched(const AdviseArguments& arguments, AdviceQuestion& question) {
  for (const std::string& text : arguments.run.policies) {
    const Spec spec = BOOST_OUTCOME_TRYX(parse_spec(text));
    const auto policies = BOOST_OUTCOME_TRYX(expand_lists(spec));
    question.policies.insert(question.policies.end(), policies.begin(), policies.end());
  }
  for (const std::string& text : arguments.varied) {
    question.varied.push_back(BOOST_OUTCOME_TRYX(parse_varied(text)));
    const std::string& name = question.varied.back().name;
    const auto times = std::count_if(question.varied.begin(), question.varied.end(),
                                     [&](const VariedParameter& one) { return one.name == name; });
    if (times > 1) {
      return input_error(
          fmt::format("--vary {}: given twice; list all values once", excerpt(name)));
    }
  }
  if (arguments.memory.empty()) return success();
  const auto memory = parse_bytes(arguments.memory);
  if (!memory) return in_context("--memory", memory.error());
  question.memory = Bytes(memory.value());
  return success();
}

Result<AdviseCase> case_of(const AdviseArguments& arguments) {
  AdviseCase asked;
  if (arguments.workload.empty() && arguments.store.empty()) {
    return input_error("give the workload with -w, or a store with --store");
  }
  if (!arguments.family.empty() && arguments.store.empty()) {
    return input_error("--family: needs --store");
  }
  SimulateArguments run = arguments.run;
  if (!arguments.store.empty()) {
    BOOST_OUTCOME_TRYV(read_asked_store(arguments, asked));
    run.device = device_of(*asked.store, candidates_question(arguments));
  }
  asked.question.run = BOOST_OUTCOME_TRYX(common_spec(run));
  BOOST_OUTCOME_TRYV(take_searched(arguments, asked.question));
  if (asked.store) {
    BOOST_OUTCOME_TRYV(take_store(arguments, asked));
  } else {
    asked.question.run.workload = BOOST_OUTCOME_TRYX(parse_spec(arguments.workload));
    BOOST_OUTCOME_TRYV(take_db_bench(asked.question));
  }
  BOOST_OUTCOME_TRYV(set_figures(asked.question, arguments.minimize, arguments.where));
  return asked;
}

// Outputs must differ, and no output may be an input.
Result<void> check_outputs(const AdviseArguments& arguments, const AdviceQuestion& question) {
  const std::pair<const char*, std::string> outputs[] = {
      {"--out", arguments.run.out}, {"--csv", arguments.csv}, {"--plot", arguments.plot}};
  std::vector<std::string> inputs = files_of_spec(question.run.workload);
  for (const Spec& policy : question.policies) {
    for (std::string& file : files_of_spec(policy)) inputs.push_back(std::move(file));
  }
  if (!arguments.store.empty()) inputs.push_back(arguments.store);
  for (std::size_t i = 0; i < std::size(outputs); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    if (arguments.dry_run) {
      return input_error(
          fmt::format("{}: --dry-run simulates nothing, so it writes no file", option));
    }
    BOOST_OUTCOME_TRYV(check_not_overwritten(option, path, inputs));
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[j].second.empty() || !is_same_output(outputs[j].second, path)) continue;
      return input_error(fmt::format("{} and {} name the same output", outputs[j].first, option));
    }
  }
  if (arguments.plot.empty() || arguments.plot == "-" || arguments.plot.ends_with(".svg")) {
    return success();
  }
  return input_error(
      fmt::format("--plot '{}': expected a file that ends in .svg, the only kind of "
                  "picture that is drawn",
                  excerpt(arguments.plot)));
}

Result<std::optional<OutputFile>> open_output(const std::string& path) {
  if (path.empty()) return std::optional<OutputFile>();
  auto file = BOOST_OUTCOME_TRYX(OutputFile::open(path));
  return std::optional<OutputFile>(std::move(file));
}

Result<void> write_whole(std::optional<OutputFile>& file, const std::string& text) {
  file->write(text);
  return file->commit();
}

Result<Advice> search(const AdviseArguments& arguments, const AdviceQuestion& question) {
  AdviceOptions options;
  options.threads = arguments.run.threads;
  options.budget_seconds = static_cast<double>(arguments.budget_seconds);
  options.stop = &interrupt_flag();
  ProgressLine progress;
  if (!arguments.run.quiet) {
    options.on_progress = [&](const AdviceProgress& now) {
      progress.show_time(options.budget_seconds, fmt::format("round {}, {} of {} candidates",
                                                             now.round, now.done, now.total));
    };
  }
  return search_advice(question, options);
}

Result<void> print_answer(const AdviseArguments& arguments, const std::string& text) {
  const bool is_free = arguments.run.out != "-" && arguments.csv != "-" && arguments.plot != "-";
  if (is_free) return print_text(text);
  std::fputs(printable(text).c_str(), stderr);
  return success();
}

// Printed before the search, as `what-if` does before its changes. False: it was interrupted.
Result<bool> print_trust(const AdviseArguments& arguments, const AdviseCase& asked) {
  ProgressLine progress;
  const BatchOptions options = watched_batch(arguments.run.threads, arguments.run.quiet, progress);
  const WhatIfAnswer trust = BOOST_OUTCOME_TRYX(simulate_history(*asked.trust, options));
  progress.clear();
  if (!trust.complete()) return false;
  std::string text =
      trust_text(*asked.store, trust.history, trust.counted_history,
                 asked.question.run.device ? JudgedRun::kHistory : JudgedRun::kCounted);
  if (!asked.lack_of_start.empty()) {
    text += fmt::format(
        "  Not from today's tree: {}. Every candidate runs the history's workload from an empty "
        "store.\n",
        asked.lack_of_start);
  }
  BOOST_OUTCOME_TRYV(print_answer(arguments, text + "\n"));
  return true;
}

Result<int> advise(const AdviseArguments& arguments) {
  const AdviseCase asked = BOOST_OUTCOME_TRYX(case_of(arguments));
  BOOST_OUTCOME_TRYV(check_outputs(arguments, asked.question));
  if (arguments.dry_run) {
    const AdvicePlan plan = BOOST_OUTCOME_TRYX(plan_advice(asked.question));
    BOOST_OUTCOME_TRYV(print_text(plan_text(plan)));
    return kExitDone;
  }
  auto out = BOOST_OUTCOME_TRYX(open_output(arguments.run.out));
  auto csv = BOOST_OUTCOME_TRYX(open_output(arguments.csv));
  auto plot = BOOST_OUTCOME_TRYX(open_output(arguments.plot));
  catch_interrupts();
  if (asked.trust && !BOOST_OUTCOME_TRYX(print_trust(arguments, asked))) {
    fmt::print(stderr, "lsmlab: stopped before the search\n");
    return interrupt_exit_code();
  }
  const Result<Advice> found = search(arguments, asked.question);
  if (!found && interrupt_flag().load()) {
    fmt::print(stderr, "lsmlab: {}\n", printable(found.error().message));
    return interrupt_exit_code();
  }
  if (!found) return found.error();
  const Advice& advice = found.value();
  BOOST_OUTCOME_TRYV(print_answer(arguments, advice_text(asked.question, advice)));
  if (out) {
    const auto json =
        advice_json(asked.question, advice, static_cast<double>(arguments.budget_seconds));
    BOOST_OUTCOME_TRYV(write_whole(out, json.dump(2) + "\n"));
  }
  if (csv) {
    BOOST_OUTCOME_TRYV(write_whole(csv, advice_csv(advice)));
  }
  if (plot) {
    const std::string svg = BOOST_OUTCOME_TRYX(advice_svg(asked.question, advice));
    BOOST_OUTCOME_TRYV(write_whole(plot, svg));
  }
  for (const Error& fault : asked.store_faults) {
    fmt::print(stderr, "lsmlab: {}\n", printable(fault.message));
  }
  if (advice.is_interrupted) return interrupt_exit_code();
  return advice.best ? kExitDone : kExitFellShort;
}

}  // namespace

int run_advise(const AdviseArguments& arguments) {
  const Result<int> code = advise(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
