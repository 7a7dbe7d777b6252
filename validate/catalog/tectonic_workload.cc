#include "validate/catalog/tectonic_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "traces/io/text_file.h"
#include "traces/tools/tectonic_spec.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

struct TectonicFileOptions {
  std::string file;
  void declare(OptionTable& table) {
    table.text("file", file,
               "a workload spec of Tectonic (JSON with \"sections\"); what lsmlab cannot do is an "
               "error, and what it does otherwise is told");
  }
};

Result<tools::TectonicWorkload> spec_of_text(const std::string& path, const std::string& text) {
  const auto json = parse_json(text, kConfigLimits);
  if (!json) return in_context(path, json.error());
  Result<tools::TectonicWorkload> read = tools::read_tectonic_spec(json.value());
  if (!read) return in_context(path, read.error());
  return read;
}

// The path of the spec that a SPEC names; empty if it names none.
std::string path_of(const Spec& spec) {
  if (is_config_path(spec.name)) return spec.name;
  if (spec.name != kTectonicWorkload) return {};
  for (const auto& [name, value] : spec.parameters) {
    if (name == "file") return value;
  }
  return {};
}

}  // namespace

std::vector<OptionInfo> tectonic_options() { return declared_by(TectonicFileOptions()); }

Result<OperationWorkload> tectonic_workload(const Spec& spec) {
  const auto options =
      BOOST_OUTCOME_TRYX(options_with<TectonicFileOptions>(spec.parameters, "workload 'tectonic'"));
  if (options.file.empty()) {
    return input_error("workload 'tectonic' needs file=FILE, a workload spec of Tectonic");
  }
  const std::string text = BOOST_OUTCOME_TRYX(read_text_file(options.file, kConfigBytesMax));
  return tectonic_workload_of_text(options.file, text);
}

Result<OperationWorkload> tectonic_workload_of_text(const std::string& path,
                                                    const std::string& text) {
  tools::TectonicWorkload read = BOOST_OUTCOME_TRYX(spec_of_text(path, text));
  OperationWorkload workload = std::move(read.workload);
  workload.name = kTectonicWorkload;
  workload.options = {{"file", path}, {"key_bytes", workload.key_bytes.text()}};
  for (std::size_t i = 0; i < workload.phases.size(); ++i) {
    for (auto& option : describe_phase(fmt::format("phases[{}].", i), workload.phases[i])) {
      workload.options.push_back(std::move(option));
    }
  }
  if (!read.notes.empty()) {
    workload.options.emplace_back("differences", fmt::format("{}", fmt::join(read.notes, "; ")));
  }
  return workload;
}

bool is_tectonic_text(const std::string& text) {
  const auto json = parse_json(text, kConfigLimits);
  return json && tools::is_tectonic_spec(json.value());
}

std::vector<std::string> tectonic_notes(const Spec& spec) {
  const std::string path = path_of(spec);
  if (path.empty()) return {};
  const auto text = read_text_file(path, kConfigBytesMax);
  if (!text) return {};
  if (spec.name != kTectonicWorkload && !is_tectonic_text(text.value())) return {};
  auto read = spec_of_text(path, text.value());
  if (!read) return {};
  return std::move(read).value().notes;
}

}  // namespace lsmlab
