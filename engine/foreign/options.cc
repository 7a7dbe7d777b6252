#include "engine/foreign/options.h"

#include <fmt/format.h>

#include <variant>

#include "models/base/check.h"

namespace lsmlab::engine {

const OptionValue& PolicyValues::value(std::string_view name) const {
  for (const auto& [known, value] : policy_.options) {
    if (known == name) return value;
  }
  CHECK(!"an option that the policy does not have");
  return policy_.options.front().second;
}

std::uint64_t PolicyValues::count(std::string_view name) const {
  const OptionValue& found = value(name);
  CHECK(std::holds_alternative<std::uint64_t>(found));
  return std::get<std::uint64_t>(found);
}

std::optional<std::uint64_t> PolicyValues::optional_count(std::string_view name) const {
  if (std::holds_alternative<std::monostate>(value(name))) return std::nullopt;
  return count(name);
}

bool PolicyValues::flag(std::string_view name) const {
  const OptionValue& found = value(name);
  CHECK(std::holds_alternative<bool>(found));
  return std::get<bool>(found);
}

std::string PolicyValues::text(std::string_view name) const {
  return option_value_text(value(name));
}

Result<void> expect_built_in(const char* store, const char* name, std::uint64_t built_in,
                             std::uint64_t given) {
  if (given == built_in) return success();
  return input_error(
      fmt::format("{0} has a fixed {1} of {2}, and the policy has {3}: add {1}={2} to it", store,
                  name, built_in, given));
}

}  // namespace lsmlab::engine
