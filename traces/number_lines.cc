#include "traces/number_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/text_file.h"

namespace lsmlab {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Result<std::vector<std::uint64_t>> read_number_lines(const std::string& path,
                                                     const NumberLines& lines) {
  auto text = BOOST_OUTCOME_TRYX(read_text_file(path, kDataBytesMax, Pipes::kNamedToo));
  std::vector<std::uint64_t> numbers;
  std::string_view rest = text;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view value = trimmed(line.substr(0, line.find('#')));
    if (value.empty()) continue;
    constexpr std::size_t kShownMax = 80;  // of a line that may be a whole binary file
    const Result<std::uint64_t> parsed = lines.parse(value.substr(0, kShownMax));
    if (!parsed) {
      return input_error(fmt::format("{}:{}: {}", path, number, parsed.error().message));
    }
    if (parsed.value() < lines.least || parsed.value() > lines.most) {
      return input_error(fmt::format("{}:{}: {} is out of range; expected {}", path, number,
                                     value.substr(0, kShownMax), lines.range));
    }
    numbers.push_back(parsed.value());
  }
  if (numbers.empty()) return input_error(fmt::format("{}: holds no {}", path, lines.what));
  return numbers;
}

}  // namespace lsmlab
