#include "validate/stores/usual_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "models/base/quantity_text.h"
#include "models/base/spec_parameters.h"
#include "validate/catalog/catalog.h"

namespace lsmlab {
namespace {

// A number of a policy, times each factor; the same for every policy whose name begins so.
struct ScaledOption {
  std::string_view policy;
  std::string_view name;
  std::array<double, 2> factors;  // 0: none
};

constexpr ScaledOption kScaled[] = {{"", "buffer", {4, 16}},
                                    {"rocksdb-leveled", "level_base", {4}},
                                    {"rocksdb-leveled", "l0_trigger", {2}},
                                    {"rocksdb-leveled", "size_ratio", {0.5, 2}},
                                    {"rocksdb-universal", "l0_trigger", {2}},
                                    {"rocksdb-universal", "max_size_amplification_percent", {2}},
                                    {"leveldb", "level_base", {4}},
                                    {"pebble", "level_base", {4}},
                                    {"pebble", "l0_compaction_threshold", {2}},
                                    {"pebble", "size_ratio", {0.5, 2}},
                                    {"cassandra-stcs", "min_threshold", {2}},
                                    {"cassandra-lcs", "sstable_size", {2}},
                                    {"scylla-stcs", "min_threshold", {2}},
                                    {"scylla-lcs", "sstable_size", {2}},
                                    {"scylla-ics", "min_threshold", {2}}};

// Any other change; those that are as today are left out.
struct OtherChange {
  std::string_view policy;
  std::string_view text;
};

constexpr OtherChange kOthers[] = {
    {"rocksdb-leveled", "dynamic_levels=false"},
    {"rocksdb-leveled", "dynamic_levels=true"},
    {"pebble", "multilevel=none"},
    {"pebble", "multilevel=write-amp"},
    {"cassandra-ucs", "scaling_parameters=T4"},
    {"cassandra-ucs", "scaling_parameters=T8"},
    {"cassandra-ucs", "scaling_parameters=L4"},
    {"cassandra-ucs", "scaling_parameters=L10"},
    {"cassandra-stcs", "policy=cassandra-lcs"},
    {"cassandra-stcs", "policy=cassandra-ucs:scaling_parameters=T4"},
    {"cassandra-lcs", "policy=cassandra-stcs"},
    {"cassandra-lcs", "policy=cassandra-ucs:scaling_parameters=L10"},
    {"cassandra-lcs", "policy=cassandra-ucs:scaling_parameters=T4"},
    {"scylla-stcs", "policy=scylla-ics"},
    {"scylla-stcs", "policy=scylla-lcs"},
    {"scylla-ics", "space_amplification_goal=1.5"},
    {"scylla-ics", "policy=scylla-lcs"},
    {"scylla-lcs", "policy=scylla-ics"},
};

// Of a number that is a guess, the first eight to ten bits say enough: "3456KiB" for "3558204".
std::uint64_t readable(std::uint64_t number) {
  std::uint64_t step = 1;
  while (number / step >= 1024) step *= 4;
  return number - number % step;
}

bool is_guess(const StoreCase& asked, std::string_view parameter) {
  const auto& guesses = asked.policy.guesses;
  return std::any_of(guesses.begin(), guesses.end(),
                     [&](const auto& one) { return one.parameter == parameter; });
}

bool is_in_bytes(std::string_view name) {
  return name == "buffer" || name == "level_base" || name == "sstable_size";
}

std::vector<std::string> scaled(const StoreCase& asked, const ConfiguredPolicy& today,
                                const ScaledOption& option) {
  const std::optional<std::string> value = value_in_force(today, option.name);
  const Result<std::uint64_t> number = parse_bytes(value.value_or(""));
  if (!number) return {};
  std::vector<std::string> changes;
  for (const double factor : option.factors) {
    const auto exact = static_cast<std::uint64_t>(static_cast<double>(number.value()) * factor);
    const std::uint64_t changed = is_guess(asked, option.name) ? readable(exact) : exact;
    if (changed == 0) continue;
    changes.push_back(fmt::format(
        "{}={}", option.name,
        is_in_bytes(option.name) ? typed_bytes_text(changed) : std::to_string(changed)));
  }
  return changes;
}

}  // namespace

std::vector<std::string> usual_changes(const StoreCase& asked) {
  const Result<Spec> spec = parse_spec(asked.policy.spec);
  if (!spec) return {};
  const auto today = policy_of_spec(spec.value(), asked.policy_workload());
  if (!today) return {};
  std::vector<std::string> changes;
  if (value_in_force(today.value(), "disable_auto_compactions") == "true") {
    changes.emplace_back("disable_auto_compactions=false");
  }
  const std::string& family = today.value().family;
  for (const ScaledOption& option : kScaled) {
    if (!family.starts_with(option.policy)) continue;
    for (std::string& change : scaled(asked, today.value(), option)) {
      changes.push_back(std::move(change));
    }
  }
  for (const OtherChange& other : kOthers) {
    if (family != other.policy) continue;
    const auto equals = other.text.find('=');
    const std::string_view name = other.text.substr(0, equals);
    if (value_in_force(today.value(), name) == other.text.substr(equals + 1)) continue;
    changes.emplace_back(other.text);
  }
  // Half of the least size ratio is none.
  std::erase_if(changes, [&](const std::string& change) {
    const Result<Spec> changed = changed_policy(asked, {change});
    return !changed || !policy_of_spec(changed.value(), asked.policy_workload());
  });
  return changes;
}

}  // namespace lsmlab
