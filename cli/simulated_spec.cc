#include "simulated_spec.h"

#include <fmt/format.h>

#include <bit>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/execution/write_stall.h"

namespace lsmlab {
namespace {

Result<std::optional<Resolution>> resolution_of(const std::string& text) {
  if (text.empty()) return std::optional<Resolution>();
  if (text == "flush") return std::optional(Resolution::kFlush);
  if (text == "key") return std::optional(Resolution::kKey);
  if (text == "range") return std::optional(Resolution::kRange);
  return input_error(fmt::format(
      "--resolution: unknown resolution '{}'; expected flush, key or range", excerpt(text)));
}

Result<std::optional<std::uint64_t>> cells_of(const std::string& text) {
  if (text.empty()) return std::optional<std::uint64_t>();
  const Result<std::uint64_t> cells = parse_count(text);
  if (!cells) return in_context("--cells", cells.error());
  const auto [min, max] = kRangeCellsRange;
  if (std::has_single_bit(cells.value()) && cells.value() >= min && cells.value() <= max) {
    return std::optional(cells.value());
  }
  return input_error(
      fmt::format("--cells: {} is not a power of two from {} to {}", cells.value(), min, max));
}

Result<void> check_untimed(const SimulateArguments& arguments) {
  const SimulateArguments defaults;
  const std::pair<bool, const char*> given[] = {
      {arguments.clients != defaults.clients, "--clients"},
      {arguments.merge_threads != defaults.merge_threads, "--merge-threads"},
      {!arguments.stalls.empty(), "--stalls"},
      {arguments.sync != defaults.sync, "--sync"},
      {arguments.sync_files, "--sync-files"}};
  for (const auto& [is_given, option] : given) {
    if (!is_given) continue;
    return input_error(
        fmt::format("{}: needs --device; without --device a simulation has no time", option));
  }
  return success();
}

Result<void> read_clock(const SimulateArguments& arguments, RunSpec& spec) {
  if (arguments.device.empty()) return check_untimed(arguments);
  spec.options.is_stepped = false;
  spec.device = BOOST_OUTCOME_TRYX(parse_spec(arguments.device));
  spec.clients = {};
  if (!arguments.clients.empty()) {
    spec.clients = BOOST_OUTCOME_TRYX(parse_spec(arguments.clients));
  }
  spec.options.merge_threads = arguments.merge_threads;
  spec.stalls = BOOST_OUTCOME_TRYX(parse_stall_changes(arguments.stalls));
  const std::string_view never = sync_words(SyncRule::kNever).option;
  const std::string_view batch = sync_words(SyncRule::kEveryBatch).option;
  if (arguments.sync != never && arguments.sync != batch) {
    return input_error(fmt::format("--sync: unknown value '{}'; a simulation expects {} or {}",
                                   excerpt(arguments.sync), never, batch));
  }
  const bool is_synced = arguments.sync == batch;
  spec.options.sync = is_synced ? SyncRule::kEveryBatch : SyncRule::kNever;
  spec.options.sync_files = arguments.sync_files || is_synced;
  return success();
}

}  // namespace

Result<RunSpec> common_spec(const SimulateArguments& arguments) {
  RunSpec spec;
  spec.resolution = BOOST_OUTCOME_TRYX(resolution_of(arguments.resolution));
  spec.cells = BOOST_OUTCOME_TRYX(cells_of(arguments.cells));
  const Result<std::uint64_t> seed = parse_count(arguments.seed);
  if (!seed) return in_context("--seed", seed.error());
  spec.options.seed = seed.value();
  spec.options.final_flush = arguments.final_flush;
  spec.options.disable_wal = arguments.disable_wal;
  spec.measure_from = arguments.measure_from;
  if (!arguments.scale.empty()) {
    spec.scale = BOOST_OUTCOME_TRYX(RunScale::parse(arguments.scale));
  }
  BOOST_OUTCOME_TRYV(read_clock(arguments, spec));
  return spec;
}

}  // namespace lsmlab
