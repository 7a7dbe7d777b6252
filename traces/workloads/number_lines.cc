#include "traces/workloads/number_lines.h"

#include <fmt/format.h>

#include "traces/io/line_reader.h"

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
                                                     const NumberLines& lines,
                                                     std::size_t count_max) {
  auto reader = BOOST_OUTCOME_TRYX(LineReader::open(path));
  std::vector<std::uint64_t> numbers;
  for (;;) {
    auto line = BOOST_OUTCOME_TRYX(reader->next());
    if (!line) break;
    const std::string_view value = trimmed(line->substr(0, line->find('#')));
    if (value.empty()) continue;
    constexpr std::size_t kShownMax = 80;  // characters of a line, which may be a whole binary file
    const Result<std::uint64_t> parsed = lines.parse(value.substr(0, kShownMax));
    if (!parsed) {
      return in_context(fmt::format("{}:{}", path, reader->number()), parsed.error());
    }
    if (parsed.value() < lines.least || parsed.value() > lines.most) {
      return input_error(fmt::format("{}:{}: {} is out of range; expected {}", path,
                                     reader->number(), value.substr(0, kShownMax), lines.range));
    }
    if (numbers.size() == count_max) {
      return input_error(fmt::format("{}:{}: more than {} {}; a file may not hold more", path,
                                     reader->number(), count_max, lines.what));
    }
    numbers.push_back(parsed.value());
  }
  if (numbers.empty()) return input_error(fmt::format("{}: holds no {}", path, lines.what));
  return numbers;
}

}  // namespace lsmlab
