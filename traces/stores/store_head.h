// The first lines of a report: the system, and the files that were read.
#pragma once

#include <string>

#include "traces/stores/store_reading.h"

namespace lsmlab::stores {

[[nodiscard]] std::string store_head(const Store& store);

}  // namespace lsmlab::stores
