// Names of other systems' options here. They come from the table that errors about unknown
// parameters use (models/base/foreign_option_table.cc), so that both say the same.
#pragma once

#include <string_view>

#include "traces/stores/store_system.h"

namespace lsmlab::stores {

struct OurOption {
  std::string_view name;
  bool is_bytes = false;
};

/// The parameter of policy family `family` that means the same as an option of `system`. A group
/// such as "compaction_options_universal." before the option's name is left out. An option that the
/// table lacks has the same name here.
[[nodiscard]] OurOption our_option(StoreSystem system, std::string_view option,
                                   std::string_view family);

}  // namespace lsmlab::stores
