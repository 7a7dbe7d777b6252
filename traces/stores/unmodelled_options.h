// Options of RocksDB that change merges, sizes or stalls in ways that lsmlab does not model.
#pragma once

#include <string>
#include <vector>

#include "traces/stores/options_file.h"

namespace lsmlab::stores {

/// Those of a column family with a value that has such an effect, as "option=value".
[[nodiscard]] std::vector<std::string> unmodelled_options(const StoreOptions& options,
                                                          const FamilyOptions& family);

}  // namespace lsmlab::stores
