#include "models/policies/cost_model.h"

#include <algorithm>

namespace lsmlab {

std::string CostFigure::name() const {
  return std::string(kCostKinds[static_cast<std::size_t>(kind)].name);
}

std::string CostFigure::unit() const {
  return std::string(kCostKinds[static_cast<std::size_t>(kind)].unit);
}

std::optional<CostKind> cost_kind_of_name(std::string_view name) {
  const auto* const row = std::find_if(kCostKinds.begin(), kCostKinds.end(),
                                       [&](const CostKindRow& own) { return own.name == name; });
  return row == kCostKinds.end() ? std::nullopt : std::optional(row->kind);
}

std::optional<std::uint64_t> ModelledRun::count(std::string_view option) const {
  for (const auto& [name, value] : policy_options) {
    const auto* number = std::get_if<std::uint64_t>(&value);
    if (name == option && number != nullptr) return *number;
  }
  return std::nullopt;
}

std::optional<double> ModelledRun::number(std::string_view option) const {
  if (const auto whole = count(option)) return static_cast<double>(*whole);
  for (const auto& [name, value] : policy_options) {
    const auto* number = std::get_if<double>(&value);
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
