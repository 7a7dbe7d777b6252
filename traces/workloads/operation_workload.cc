#include "traces/workloads/operation_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "models/base/check.h"
#include "models/base/scaled_count.h"
#include "traces/workloads/operation_generator.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kNano = 1'000'000'000;
constexpr std::uint64_t kMixWeightMax = 1'000'000;
// A workload with deletes needs one bit for each key that was ever inserted: at most 9 GiB.
constexpr std::uint64_t kInsertsMaxWithDeletes = std::uint64_t{1} << 36;

std::uint64_t sum_of(const ActionCounts& counts) {
  return std::accumulate(counts.values.begin(), counts.values.end(), std::uint64_t{0});
}

// The number in billionths, which is exact because a Decimal's denominator divides 10^9.
std::uint64_t nano_of(const Decimal& decimal) {
  return decimal.numerator() * (kNano / decimal.denominator());
}

void validate_phase(const std::string& name, const Phase& phase, std::vector<std::string>& faults) {
  phase.insert_keys.validate(name + ".insert_keys", faults);
  phase.update_keys.validate(name + ".update_keys", faults);
  phase.delete_keys.validate(name + ".delete_keys", faults);
  phase.lookup_keys.validate(name + ".lookup_keys", faults);
  phase.value_bytes.validate(name + ".value_bytes", kValueBytesRange, faults);
  if (phase.scan_entries) {
    phase.scan_entries->validate(name + ".scan_entries", kScanEntriesRange, faults);
  }
  if (phase.scan_entries && phase.scan_selectivity) {
    faults.push_back(fmt::format("{}: scan_entries and scan_selectivity cannot be combined", name));
  }
  const bool has_scans = phase.actions[Action::kScan] != 0;
  const bool has_scan_length = phase.scan_entries || phase.scan_selectivity;
  if (has_scans && !has_scan_length) {
    faults.push_back(fmt::format("{}: scans need scan_entries or scan_selectivity", name));
  }
  if (!has_scans && has_scan_length) {
    faults.push_back(
        fmt::format("{}: scan_entries and scan_selectivity apply only to phases with scans", name));
  }
  if (phase.scan_selectivity &&
      phase.scan_selectivity->numerator() > phase.scan_selectivity->denominator()) {
    faults.push_back(fmt::format("{}: scan_selectivity is above 1", name));
  }
}

// "20:0.5 80:0.5": the keys of each class and its share of the accesses.
std::string classes_text(const std::vector<KeyClass>& classes) {
  std::string text;
  for (const KeyClass& each : classes) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", each.keys,
                        static_cast<double>(each.weight) / double{kClassWeightSum});
  }
  return text;
}

template <class Keys>
void append_members(const std::string& prefix, Keys keys, ResolvedOptions& options) {
  OptionTable table;
  keys.declare(table);
  for (auto& [name, value] : table.values()) {
    if (!std::holds_alternative<std::monostate>(value)) {
      options.emplace_back(fmt::format("{}.{}", prefix, name), std::move(value));
    }
  }
  if constexpr (std::is_same_v<Keys, AccessKeys>) {
    if (keys.kind != AccessKeyKind::kClasses) return;
    options.emplace_back(prefix + ".classes", classes_text(keys.classes));
  }
}

}  // namespace

const std::array<std::string, kActions>& action_names() {
  static const std::array<std::string, kActions> names{
      "insert", "update", "delete", "get_present", "get_absent", "scan", "read_modify_write"};
  return names;
}

std::vector<std::string> OperationWorkload::validate() const {
  std::vector<std::string> faults;
  key_bytes.validate("key_bytes", kKeyBytesRange, faults);
  if (phases.empty()) faults.emplace_back("a workload has at least one phase");
  if (phases.size() > kPhasesMax) {
    faults.push_back(fmt::format("{} phases are too many; at most {}", phases.size(), kPhasesMax));
    return faults;
  }
  std::uint64_t inserted = 0;
  std::uint64_t deleted = 0;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const std::string phase_name = fmt::format("phases[{}]", p);
    const ActionCounts& actions = phases[p].actions;
    validate_phase(phase_name, phases[p], faults);
    for (const std::uint64_t count : actions.values) {
      if (count > kActionsMax) {
        faults.push_back(fmt::format("{}: {} operations are more than 2^48", phase_name, count));
        return faults;
      }
    }
    if (sum_of(actions) == 0) faults.push_back(fmt::format("{} has no operations", phase_name));
    inserted += actions[Action::kInsert];
    deleted += actions[Action::kDelete];
    const bool needs_keys =
        sum_of(actions) !=
            actions[Action::kInsert] + actions[Action::kDelete] + actions[Action::kGetAbsent] ||
        (actions[Action::kGetAbsent] != 0 && phases[p].absent_keys == AbsentKeys::kNeighbour);
    if (deleted > inserted) {
      faults.push_back(fmt::format("{}: {} deletes so far, but only {} inserted keys", phase_name,
                                   deleted, inserted));
    } else if (needs_keys && deleted == inserted) {
      faults.push_back(
          fmt::format("{}: operations on existing keys, but none is left at the end of the phase; "
                      "insert some",
                      phase_name));
    }
  }
  const std::uint64_t inserts_max = deleted == 0 ? kInsertsMax : kInsertsMaxWithDeletes;
  if (inserted > inserts_max) {
    faults.push_back(fmt::format("{} inserts are too many; at most {}{}", inserted, inserts_max,
                                 deleted == 0 ? "" : " with deletes"));
  }
  return faults;
}

namespace {

std::uint64_t operations_of(const Phase& phase) {
  return sum_of(phase.actions) + phase.actions[Action::kReadModifyWrite];
}

const char* name_of(const Phase& phase) {
  const std::uint64_t reads = phase.actions[Action::kGetPresent] +
                              phase.actions[Action::kGetAbsent] + phase.actions[Action::kScan];
  const std::uint64_t actions = sum_of(phase.actions);
  if (phase.actions[Action::kInsert] == actions) return "load";
  return reads == actions ? "read" : "mix";
}

}  // namespace

std::uint64_t OperationWorkload::operation_count() const {
  std::uint64_t count = 0;
  for (const Phase& phase : phases) count += operations_of(phase);
  return count;
}

std::vector<PartMark> OperationWorkload::parts() const {
  std::vector<PartMark> parts;
  std::uint64_t count = 0;
  for (const Phase& phase : phases) {
    count += operations_of(phase);
    parts.push_back({name_of(phase), count, phase.then});
  }
  return parts;
}

std::uint64_t OperationWorkload::insert_count() const {
  std::uint64_t count = 0;
  for (const Phase& phase : phases) count += phase.actions[Action::kInsert];
  return count;
}

Result<void> OperationWorkload::scale(std::uint64_t factor, std::uint64_t divisor) {
  const auto scaled = [&](std::uint64_t count) { return scaled_count(count, factor, divisor); };
  for (Phase& phase : phases) {
    for (std::uint64_t& count : phase.actions.values) {
      if (scaled(count) > kActionsMax) {
        return input_error(fmt::format("{} times {} operations are more than 2^48", factor, count));
      }
      count = static_cast<std::uint64_t>(scaled(count));
    }
    for (AccessKeys* keys : {&phase.update_keys, &phase.delete_keys, &phase.lookup_keys}) {
      for (KeyClass& each : keys->classes)
        each.keys = static_cast<std::uint64_t>(scaled(each.keys));
    }
  }
  return success();
}

std::unique_ptr<OperationSource> OperationWorkload::open(std::uint64_t seed) const {
  CHECK(validate().empty());
  return std::make_unique<OperationGenerator>(*this, seed);
}

Result<ActionCounts> divide_actions(std::uint64_t operations, const PerAction<Decimal>& weights,
                                    const std::optional<Decimal>& updates_per_insert) {
  if (operations > kActionsMax) {
    return input_error(fmt::format("{} operations are more than 2^48", operations));
  }
  std::array<Uint128, kActions> shares{};
  Uint128 sum = 0;
  for (std::size_t a = 0; a < kActions; ++a) {
    if (nano_of(weights.values[a]) > kMixWeightMax * kNano) {
      return input_error(fmt::format("the weight of {} is above 10^6", action_names()[a]));
    }
    shares[a] = Uint128{nano_of(weights.values[a])};
  }
  if (updates_per_insert) {
    if (shares[static_cast<std::size_t>(Action::kUpdate)] != 0) {
      return input_error(
          "the mix has both a weight of updates and updates_per_insert; use one of them");
    }
    if (nano_of(*updates_per_insert) > kMixWeightMax * kNano) {
      return input_error("updates_per_insert is above 10^6");
    }
    shares[static_cast<std::size_t>(Action::kUpdate)] =
        shares[static_cast<std::size_t>(Action::kInsert)] * nano_of(*updates_per_insert) / kNano;
  }
  for (const Uint128 share : shares) sum += share;
  if (sum == 0) return input_error("all weights of the mix are 0");
  // Rounded running sums give whole numbers with the exact total.
  ActionCounts counts;
  Uint128 running = 0;
  std::uint64_t given = 0;
  for (std::size_t a = 0; a < kActions; ++a) {
    running += shares[a];
    const auto upto = static_cast<std::uint64_t>((running * operations + sum / 2) / sum);
    counts.values[a] = upto - given;
    given = upto;
  }
  return counts;
}

ResolvedOptions describe_phase(const std::string& prefix, const Phase& phase) {
  ResolvedOptions options;
  for (std::size_t a = 0; a < kActions; ++a) {
    if (phase.actions.values[a] == 0) continue;
    options.emplace_back(prefix + action_names()[a], phase.actions.values[a]);
  }
  const ActionCounts& actions = phase.actions;
  if (actions[Action::kInsert] != 0) {
    append_members(prefix + "insert_keys", phase.insert_keys, options);
  }
  if (actions[Action::kUpdate] + actions[Action::kReadModifyWrite] != 0) {
    append_members(prefix + "update_keys", phase.update_keys, options);
  }
  if (actions[Action::kDelete] != 0) {
    append_members(prefix + "delete_keys", phase.delete_keys, options);
  }
  if (actions[Action::kGetPresent] + actions[Action::kGetAbsent] + actions[Action::kScan] != 0) {
    append_members(prefix + "lookup_keys", phase.lookup_keys, options);
  }
  if (actions[Action::kGetAbsent] != 0) {
    options.emplace_back(
        prefix + "absent_keys",
        std::string(phase.absent_keys == AbsentKeys::kDomain ? "domain" : "neighbour"));
  }
  options.emplace_back(prefix + "value_bytes", phase.value_bytes.text());
  if (phase.scan_entries) {
    options.emplace_back(prefix + "scan_entries", phase.scan_entries->text());
  }
  if (phase.scan_selectivity) {
    options.emplace_back(prefix + "scan_selectivity", phase.scan_selectivity->as_double());
  }
  if (phase.then != PartEnd::kNothing) {
    options.emplace_back(prefix + "then", std::string(part_end_name(phase.then)));
  }
  return options;
}

}  // namespace lsmlab
