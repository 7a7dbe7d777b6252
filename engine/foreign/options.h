// A policy's option values by name, for stores that get them as their own options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/policies/registry.h"

namespace lsmlab::engine {

class PolicyValues {
 public:
  explicit PolicyValues(const ConfiguredPolicy& policy) : policy_(policy) {}

  // REQUIRES: the policy has an option of that name and kind.
  [[nodiscard]] std::uint64_t count(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint64_t> optional_count(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;

 private:
  [[nodiscard]] const OptionValue& value(std::string_view name) const;

  const ConfiguredPolicy& policy_;
};

/// Errors: the store has a fixed value, and `given` is another.
[[nodiscard]] Result<void> expect_built_in(const char* store, const char* name,
                                           std::uint64_t built_in, std::uint64_t given);

}  // namespace lsmlab::engine
