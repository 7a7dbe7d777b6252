// Reads a log of many databases as one whose column families are named by database.
#pragma once

#include <memory>

#include "traces/stores/info_log.h"

namespace lsmlab::stores {

/// Hands each line to the reader of its source, which `make` makes.
[[nodiscard]] std::unique_ptr<InfoLogReader> sourced_log_reader(
    std::unique_ptr<InfoLogReader> (*make)());

}  // namespace lsmlab::stores
