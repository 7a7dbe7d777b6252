#include "validate/catalog/ycsb_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "traces/io/text_file.h"
#include "traces/tools/ycsb_properties.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

struct YcsbFileOptions {
  std::string file;
  void declare(OptionTable& table) {
    table.text("file", file,
               "a property file of YCSB's core workload; other properties than those of the "
               "operations are ignored and listed");
  }
};

}  // namespace

std::vector<OptionInfo> ycsb_options() { return declared_by(YcsbFileOptions()); }

Result<OperationWorkload> ycsb_workload(const Spec& spec) {
  const auto options =
      BOOST_OUTCOME_TRYX(options_with<YcsbFileOptions>(spec.parameters, "workload 'ycsb'"));
  if (options.file.empty()) {
    return input_error(
        "workload 'ycsb' needs file=FILE, a property file such as workloada; ycsb-a to ycsb-f need "
        "none");
  }
  const std::string text = BOOST_OUTCOME_TRYX(read_text_file(options.file, kConfigBytesMax));
  Result<tools::YcsbWorkload> read = tools::read_ycsb_properties(text);
  if (!read) return in_context(options.file, read.error());
  OperationWorkload workload = std::move(read.value().workload);
  workload.name = kYcsbWorkload;
  workload.options = {{"file", options.file}, {"key_bytes", workload.key_bytes.text()}};
  for (std::size_t i = 0; i < workload.phases.size(); ++i) {
    for (auto& option : describe_phase(fmt::format("phases[{}].", i), workload.phases[i])) {
      workload.options.push_back(std::move(option));
    }
  }
  if (!read.value().ignored.empty()) {
    workload.options.emplace_back("ignored_properties",
                                  fmt::format("{}", fmt::join(read.value().ignored, " ")));
  }
  return workload;
}

}  // namespace lsmlab
