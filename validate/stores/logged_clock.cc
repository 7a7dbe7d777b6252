#include "validate/stores/logged_clock.h"

#include <fmt/format.h>

#include <charconv>

#include "traces/stores/option_table.h"
#include "traces/stores/rocksdb_stalls.h"

namespace lsmlab {
namespace {

std::int64_t number_or(const stores::StoreOptions& options, const stores::FamilyOptions& family,
                       std::string_view name, std::int64_t otherwise) {
  const auto text = stores::option_value(options, family, name);
  std::int64_t number = otherwise;
  if (text) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

}  // namespace

std::optional<LoggedClock> logged_clock(const stores::Store& store,
                                        const stores::FamilyFigures& figures,
                                        const std::string& policy) {
  const auto flush_ns = figures.flush_speed.entry_ns();
  const auto merge_ns = figures.merge_speed.entry_ns();
  if (!flush_ns || !merge_ns) return std::nullopt;
  LoggedClock clock;
  clock.flush_entry_ns = *flush_ns;
  clock.merge_entry_ns = *merge_ns;
  clock.device = fmt::format(
      "instant:cpu_flush_entry_ns={},cpu_flush_kib_ns=0,cpu_merge_entry_ns={},cpu_merge_kib_ns=0,"
      "cpu_file_ns=0",
      *flush_ns, *merge_ns);
  const stores::FamilyOptions* const family =
      store.options ? store.options->family(figures.name) : nullptr;
  if (family == nullptr || !policy.starts_with("rocksdb-")) return clock;
  clock.merge_threads = stores::merge_threads_of(
      number_or(*store.options, *family, "max_background_jobs", 2),
      number_or(*store.options, *family, "max_background_flushes", -1),
      number_or(*store.options, *family, "max_background_compactions", -1));
  if (const auto stalls = stores::stall_options(*store.options, *family)) {
    clock.stalls = stores::stall_parameters(*stalls, policy.starts_with("rocksdb-leveled"));
  }
  return clock;
}

}  // namespace lsmlab
