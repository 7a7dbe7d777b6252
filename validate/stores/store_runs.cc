#include "validate/stores/store_runs.h"

#include <algorithm>
#include <variant>

#include "traces/stores/store_figures.h"
#include "validate/stores/store_start.h"

namespace lsmlab {
namespace {

std::uint64_t levels_max(const ConfiguredPolicy& policy) {
  for (const auto& [name, value] : policy.options) {
    const auto* const levels = std::get_if<std::uint64_t>(&value);
    if (name == "levels" && levels != nullptr) return *levels;
  }
  return stores::kStoreLevelsMax;
}

// Older versions open a store as it is.
bool packs_levels(const ConfiguredPolicy& policy) {
  bool is_dynamic = false;
  bool is_new = false;
  for (const auto& [name, value] : policy.options) {
    if (name == "dynamic_levels") is_dynamic = value == OptionValue(true);
    const auto* const version = std::get_if<std::string>(&value);
    if (name != "version" || version == nullptr) continue;
    is_new = *version != "6.12" && *version != "7.4" && *version != "7.8";
  }
  return is_dynamic && is_new;
}

}  // namespace

// RocksDB opens a store of either style with the other one: for universal compaction, each level
// that has files is a sorted run, and leveled compaction finds the runs as its levels.
// Source: RocksDB 7.8.3, db/compaction/compaction_picker_universal.cc (CalculateSortedRuns).
bool opens_trees_of(const std::string& policy, const std::string& today) {
  const auto is_either = [](const std::string& name) {
    return name == "rocksdb-leveled" || name == "rocksdb-universal";
  };
  return policy == today || (is_either(policy) && is_either(today));
}

bool begin_with(const std::shared_ptr<const StartingTree>& start, const std::string& today,
                ResolvedRun& run) {
  if (!opens_trees_of(run.spec.policy.name, today)) return false;
  const std::uint64_t levels = levels_max(run.setup.policy);
  const bool has_levels = std::all_of(start->runs.begin(), start->runs.end(),
                                      [&](const StartingRun& one) { return one.level < levels; });
  if (!has_levels) return false;
  run.setup.start =
      packs_levels(run.setup.policy)
          ? std::make_shared<const StartingTree>(opened_with_dynamic_levels(*start, levels))
          : start;
  run.setup.parts.clear();
  return true;
}

}  // namespace lsmlab
