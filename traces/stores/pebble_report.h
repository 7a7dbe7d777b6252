// A table of Pebble's metrics in a report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "traces/stores/pebble_metrics.h"

namespace lsmlab::stores {

/// Lines of a report: what the tables of levels and compactions do not show.
[[nodiscard]] std::string metrics_text(const PebbleMetrics& metrics, const std::string& source);
[[nodiscard]] nlohmann::ordered_json metrics_json(const PebbleMetrics& metrics);

}  // namespace lsmlab::stores
