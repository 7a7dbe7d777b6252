#include "validate/stores/todays_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/printable.h"
#include "traces/stores/option_table.h"

namespace lsmlab {
namespace {

// What decides most of what a store writes.
constexpr std::array<const char*, 10> kCompared{"compaction_style",
                                                "write_buffer_size",
                                                "num_levels",
                                                "target_file_size_base",
                                                "max_bytes_for_level_base",
                                                "max_bytes_for_level_multiplier",
                                                "level0_file_num_compaction_trigger",
                                                "level_compaction_dynamic_level_bytes",
                                                "min_write_buffer_number_to_merge",
                                                "compaction_pri"};

std::optional<std::string> logged_option(const stores::NamedLog& named, const std::string& family,
                                         const char* name) {
  const stores::FamilyOptions* const values = named.log.options.family(family);
  if (values == nullptr) return std::nullopt;
  return stores::option_value(named.log.options, *values, name);
}

// "write_buffer_size=1048576"; empty: the log has today's options, or does not tell them.
std::string other_option(const stores::NamedLog& old, const stores::NamedLog& today,
                         const std::string& family) {
  for (const char* const name : kCompared) {
    const auto then = logged_option(old, family, name);
    const auto now = logged_option(today, family, name);
    if (then && now && *then != *now) return fmt::format("{}={}", name, printable(*then));
  }
  return {};
}

bool has_flush(const stores::NamedLog& named, const std::string& family) {
  return std::any_of(
      named.log.flushes.begin(), named.log.flushes.end(),
      [&](const stores::LoggedFlush& one) { return one.family == family && one.is_finished; });
}

}  // namespace

TodaysLogs todays_logs(const stores::Store& store, const std::string& family) {
  for (std::size_t i = store.logs.size(); i-- > 0;) {
    const std::string other = other_option(store.logs[i], store.logs.back(), family);
    if (other.empty()) continue;
    const auto first = store.logs.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const bool has_history = std::any_of(
        first, store.logs.end(), [&](const auto& named) { return has_flush(named, family); });
    const std::string had = fmt::format("{} had {}", store.logs[i].name, other);
    if (!has_history) {
      return {{},
              had + ", and newer logs have no flush: the figures are of the older options, too"};
    }
    TodaysLogs found{store, had + "; only what the newer logs tell is compared"};
    found.store->logs.erase(found.store->logs.begin(),
                            found.store->logs.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return found;
  }
  return {};
}

}  // namespace lsmlab
