#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "interrupt.h"
#include "models/base/printable.h"
#include "output.h"
#include "progress.h"
#include "validate/catalog/experiment.h"
#include "validate/judge/judge.h"
#include "verbs.h"

namespace lsmlab {
namespace {

Result<int> list_experiments() {
  std::string text =
      "experiments ('lsmlab validate NAME' runs one; NAME may also be a JSON file):\n";
  const std::vector<ExperimentInfo> presets = experiment_presets();
  std::size_t width = 0;
  for (const ExperimentInfo& info : presets) width = std::max(width, info.name.size());
  for (const ExperimentInfo& info : presets) {
    text += fmt::format("  {:{}} {}\n", info.name, width, info.description);
  }
  BOOST_OUTCOME_TRYV(print_text(text));
  return kExitDone;
}

Result<int> validate(const ValidateArguments& arguments) {
  if (arguments.experiment.empty()) return list_experiments();
  const std::string path = arguments.out + "/validation.json";
  BOOST_OUTCOME_TRYV(check_not_overwritten("--out", path, {arguments.experiment}));
  const Experiment experiment = BOOST_OUTCOME_TRYX(read_experiment(arguments.experiment));
  ValidationOptions options;
  options.results = arguments.out + "/runs";
  options.scratch = arguments.scratch.empty() ? arguments.out + "/scratch" : arguments.scratch;
  options.devices = arguments.out + "/devices";
  options.stop = &interrupt_flag();
  options.on_damage = [](const std::string& what) {
    std::fputs(printable(fmt::format("lsmlab: {}; the run is repeated\n", what)).c_str(), stderr);
  };
  ProgressLine line;
  if (!arguments.quiet) {
    options.on_progress = [&](const ValidationProgress& progress) {
      line.show({progress.runs_done, progress.runs_total, progress.operations_done,
                 progress.operations_total, "operations", progress.measuring});
    };
  }
  catch_interrupts();
  const Validation validation = BOOST_OUTCOME_TRYX(run_validation(experiment, options));
  if (!validation.is_complete) {
    std::fputs("lsmlab: stopped; the same command continues where it was\n", stderr);
    return interrupt_exit_code();
  }
  BOOST_OUTCOME_TRYV(write_output(path, validation.json.dump(1) + "\n"));
  BOOST_OUTCOME_TRYV(print_text(validation_text(validation.json)));
  return validation.broken_bounds.empty() ? kExitDone : kExitFellShort;
}

}  // namespace

int run_validate(const ValidateArguments& arguments) {
  const Result<int> code = validate(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
