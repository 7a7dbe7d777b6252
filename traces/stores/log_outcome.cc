#include "traces/stores/log_outcome.h"

#include <algorithm>

#include "traces/stores/log_lines.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// Of "12, 3) ...": levels above that of the output, and that level.
struct AboveAndOwn {
  double above = 0;
  double own = 0;
};
std::optional<AboveAndOwn> pair_after(std::string_view text, std::string_view mark) {
  const auto pair = after(text, mark);
  const auto own = pair ? after(*pair, ", ") : std::nullopt;
  if (!own) return std::nullopt;
  const auto first = leading_real(*pair);
  const auto second = leading_real(*own);
  if (!first || !second) return std::nullopt;
  return AboveAndOwn{*first, *second};
}

// Bounded, so that the conversion is defined for any text.
std::uint64_t bytes_of_mebibytes(double number) {
  return static_cast<std::uint64_t>(std::clamp(number, 0.0, 1e12) * 1048576);
}
std::uint64_t count_of_files(double number) {
  return static_cast<std::uint64_t>(std::clamp(number, 0.0, 1e12));
}

// Merges into the base level begin at level 0, others at the level above.
std::uint32_t level_above(std::uint32_t output, std::uint64_t base) {
  return output == 0 || output == base ? 0 : output - 1;
}

}  // namespace

bool has_failed(std::string_view outcome) {
  constexpr std::string_view kMark = " write-amplify(";
  const std::size_t at = outcome.rfind(kMark);
  const std::size_t close = at == std::string_view::npos ? at : outcome.find(") ", at);
  return close != std::string_view::npos && !outcome.substr(close + 2).starts_with("OK");
}

std::optional<LoggedCompaction> compaction_of_outcome(std::string_view message) {
  constexpr std::uint64_t kLevelMax = 255;
  const auto family = family_of_message(message, "compacted to: ");
  const auto level = after(message, ", level ");
  const auto output = level ? leading_number(*level) : std::nullopt;
  const auto files = pair_after(message, "files in(");
  const auto sizes = pair_after(message, "MB in(");
  const auto written = sizes ? after(*after(message, "MB in("), " out(") : std::nullopt;
  const auto output_size = written ? leading_real(*written) : std::nullopt;
  if (!family || !output || *output > kLevelMax || !files || !output_size) return std::nullopt;
  LoggedCompaction merge;
  merge.family = *family;
  merge.is_finished = true;
  merge.output_level = static_cast<std::uint32_t>(*output);
  const auto outputs = after(*after(message, "files in("), " out(");
  merge.output_files = outputs ? leading_number(*outputs).value_or(0) : 0;
  merge.output_bytes = bytes_of_mebibytes(*output_size);
  merge.input_bytes = bytes_of_mebibytes(sizes->above + sizes->own);
  const auto base = after(message, "base level ");
  const bool is_leveled = base.has_value();
  if (is_leveled) {
    const std::uint32_t from =
        level_above(merge.output_level, leading_number(*base).value_or(kLevelMax));
    if (files->above > 0) {
      merge.inputs.push_back(
          {from, count_of_files(files->above), {}, bytes_of_mebibytes(sizes->above)});
    }
    if (files->own > 0) {
      merge.inputs.push_back(
          {merge.output_level, count_of_files(files->own), {}, bytes_of_mebibytes(sizes->own)});
    }
  }
  const auto in = after(message, "records in: ");
  const auto dropped = after(message, "records dropped: ");
  merge.input_entries = in ? leading_number(*in).value_or(0) : 0;
  const std::uint64_t obsolete = dropped ? leading_number(*dropped).value_or(0) : 0;
  merge.output_entries = merge.input_entries - std::min(merge.input_entries, obsolete);
  if (const auto codec = after(message, "output_compression: ")) {
    const auto words = words_of(*codec);
    if (!words.empty()) merge.compression = std::string(words.front());
  }
  return merge;
}

}  // namespace lsmlab::stores
