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
  std::string line;
  std::string file;
  void declare(OptionTable& table) {
    table.text(
        kLineParameter, line,
        "properties of YCSB's core workload (\"recordcount=1000 readproportion=0.5\") or its "
        "command line (\"ycsb run rocksdb -P workloada -p recordcount=1000\"), in quotes");
    table.text("file", file,
               "a property file of YCSB's core workload; other properties than those of the "
               "operations are ignored and listed");
  }
};

Result<tools::YcsbWorkload> workload_of_line(const std::string& text) {
  const tools::YcsbLine line = BOOST_OUTCOME_TRYX(tools::parse_ycsb_line(text));
  std::vector<tools::YcsbText> files;
  for (const std::string& path : line.files) {
    files.push_back({path, BOOST_OUTCOME_TRYX(read_text_file(path, kConfigBytesMax))});
  }
  return tools::read_ycsb_line(line, files);
}

}  // namespace

std::vector<OptionInfo> ycsb_options() { return declared_by(YcsbFileOptions()); }

Result<OperationWorkload> ycsb_workload(const Spec& spec) {
  const auto options =
      BOOST_OUTCOME_TRYX(options_with<YcsbFileOptions>(spec.parameters, "workload 'ycsb'"));
  if (options.file.empty() == options.line.empty()) {
    return input_error(
        "workload 'ycsb' needs one of ycsb:\"recordcount=... operationcount=...\" and "
        "ycsb:file=FILE, a property file such as workloada; ycsb-a to ycsb-f need none");
  }
  Result<tools::YcsbWorkload> read = input_error("");
  if (options.file.empty()) {
    read = workload_of_line(options.line);
    if (!read) return in_context("workload 'ycsb'", read.error());
  } else {
    read = tools::read_ycsb_properties(
        BOOST_OUTCOME_TRYX(read_text_file(options.file, kConfigBytesMax)));
    if (!read) return in_context(options.file, read.error());
  }
  OperationWorkload workload = std::move(read.value().workload);
  workload.name = kYcsbWorkload;
  const bool is_line = options.file.empty();
  workload.options = {{is_line ? kLineParameter : "file", is_line ? options.line : options.file},
                      {"key_bytes", workload.key_bytes.text()}};
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

std::vector<std::string> files_of_ycsb_line(const std::string& line) {
  auto read = tools::parse_ycsb_line(line);
  return read ? std::move(read).value().files : std::vector<std::string>();
}

}  // namespace lsmlab
