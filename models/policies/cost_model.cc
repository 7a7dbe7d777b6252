#include "models/policies/cost_model.h"

namespace lsmlab {

std::optional<std::uint64_t> ModelledRun::count(std::string_view option) const {
  for (const auto& [name, value] : policy_options) {
    const auto* number = std::get_if<std::uint64_t>(&value);
    if (name == option && number != nullptr) return *number;
  }
  return std::nullopt;
}

FlushMode ModelledRun::flush_mode() const {
  for (const auto& [name, value] : policy_options) {
    const auto* text = std::get_if<std::string>(&value);
    if (name == "flush" && text != nullptr && *text == "separate") return FlushMode::kSeparate;
  }
  return FlushMode::kEager;
}

}  // namespace lsmlab
