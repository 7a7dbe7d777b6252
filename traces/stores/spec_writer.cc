#include "traces/stores/spec_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/stated_time.h"

namespace lsmlab::stores {

void SpecWriter::add(std::string_view parameter, std::string_view value) {
  const bool is_first = result_.spec.find(':') == std::string::npos;
  result_.spec += fmt::format("{}{}={}", is_first ? ":" : ",", parameter, value);
}

void SpecWriter::add_time(std::string_view parameter, std::uint64_t seconds) {
  add(parameter, typed_time_text(seconds));
  result_.states_times = true;
}

void SpecWriter::add(CompressionSpec compression) {
  for (const auto& [name, text] : compression.parameters) add(name, text);
  for (PolicyGuess& one : compression.guesses) result_.guesses.push_back(std::move(one));
  for (std::string& one : compression.unmodelled) add_unmodelled(std::move(one));
}

std::uint64_t SpecWriter::in_range(std::string_view parameter, std::string_view option,
                                   std::uint64_t number, std::uint64_t min, std::uint64_t max) {
  const std::uint64_t shown = std::clamp(number, min, max);
  if (shown != number) {
    guess(parameter,
          fmt::format("{}={} is outside of lsmlab's range {}..{}", option, number, min, max), true);
  }
  return shown;
}

}  // namespace lsmlab::stores
