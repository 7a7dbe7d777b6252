#include "validate/catalog/run_command.h"

#include <fmt/format.h>

namespace lsmlab {
namespace {

std::string clock_words(const RunSpec& run) {
  if (!run.device) return {};
  std::string text = " --device " + shell_word(spec_text(*run.device));
  if (!run.clients.name.empty()) text += " --clients " + shell_word(spec_text(run.clients));
  if (run.options.merge_threads > RunOptions{}.merge_threads) {
    text += fmt::format(" --merge-threads {}", run.options.merge_threads);
  }
  if (!run.stalls.empty()) text += " --stalls " + shell_word(parameters_text(run.stalls));
  if (run.options.sync == SyncRule::kEveryBatch) text += " --sync batch";
  if (run.options.sync_files && run.options.sync != SyncRule::kEveryBatch) text += " --sync-files";
  return text;
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted_text = "'";
  for (const char c : text) quoted_text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted_text + "'";
}

std::string parameters_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  return text;
}

std::string resolution_name(Resolution resolution) {
  switch (resolution) {
    case Resolution::kFlush:
      return "flush";
    case Resolution::kKey:
      return "key";
    case Resolution::kRange:
      return "range";
  }
  return {};
}

std::string run_command(const RunSpec& run) {
  std::string text = fmt::format("lsmlab simulate -p {} -w {}", shell_word(spec_text(run.policy)),
                                 shell_word(spec_text(run.workload)));
  text += clock_words(run);
  if (run.scale) text += " --scale " + run.scale->text();
  if (run.options.seed != RunOptions{}.seed) text += fmt::format(" --seed {}", run.options.seed);
  if (!run.options.final_flush) text += " --no-final-flush";
  if (run.options.disable_wal) text += " --disable-wal";
  if (!run.measure_from.empty()) text += " --measure-from " + shell_word(run.measure_from);
  if (run.resolution) text += " --resolution " + resolution_name(*run.resolution);
  if (run.cells && run.resolution == Resolution::kRange) {
    text += fmt::format(" --cells {}", *run.cells);
  }
  return text;
}

}  // namespace lsmlab
