// One row of the tables of options that lsmlab knows.
#pragma once

#include <span>
#include <string_view>

namespace lsmlab::stores {

struct KnownOption {
  std::string_view name;
  std::string_view standard;  // the default; empty: the option is shown without one
  bool is_important = false;
  // The default from this version on, if it changed.
  unsigned changed = 0;
  std::string_view changed_standard = {};
};

[[nodiscard]] std::span<const KnownOption> pebble_options();
[[nodiscard]] std::span<const KnownOption> cassandra_options();

}  // namespace lsmlab::stores
