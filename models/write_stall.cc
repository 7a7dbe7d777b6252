#include "models/write_stall.h"

#include <algorithm>
#include <string>

#include "models/check.h"

namespace lsmlab {

StallRules stall_rules_of(std::string_view policy_family) {
  StallRules rules;
  if (policy_family == "leveldb" || policy_family == "udc" || policy_family == "ldc") {
    rules.full_memtables_max = 1;
    rules.level0_slowdown_runs = 8;
    rules.level0_stop_runs = 12;
    rules.stops_only_when_full = true;
    rules.slowdown_ns_per_write = 1'000'000;
  }
  if (policy_family.starts_with("rocksdb-")) rules.full_memtables_max = 1;
  return rules;
}

void StallRules::declare(OptionTable& table) {
  constexpr CountRange kRuns{1, 1'000'000};
  table.count("full_memtables_max", full_memtables_max, {1, 1'000}, "memtables",
              "full and not yet written, with which writers wait");
  table.count("level0_slowdown_runs", level0_slowdown_runs, kRuns, "runs",
              "in level 0 from which on writers are slowed down");
  table.count("level0_stop_runs", level0_stop_runs, kRuns, "runs",
              "in level 0 with which writers wait");
  table.flag("stops_only_when_full", stops_only_when_full,
             "level 0 stops writers only once their memtable is full, as in LevelDB");
  table.bytes("slowdown_bytes_per_second", slowdown_bytes_per_second, {1, std::uint64_t{1} << 44},
              "what writers are slowed down to");
  table.count("slowdown_ns_per_write", slowdown_ns_per_write, {0, 60'000'000'000}, "ns",
              "instead of a rate, what a slowed write takes longer; 0: the rate");
}

Result<StallRules> stall_rules_of(std::string_view policy_family, const Parameters& changed) {
  StallRules rules = stall_rules_of(policy_family);
  OptionTable table;
  rules.declare(table);
  const Result<void> assigned = table.assign(changed);
  if (!assigned) return input_error("stalls: " + assigned.error().message);
  return rules;
}

Result<Parameters> parse_stall_changes(std::string_view text) {
  if (text.empty()) return Parameters();
  const Result<Spec> spec = parse_spec("stalls:" + std::string(text));
  if (!spec) return input_error("stalls: " + spec.error().message);
  const Result<StallRules> rules = stall_rules_of("", spec.value().parameters);
  if (!rules) return rules.error();
  return spec.value().parameters;
}

ResolvedOptions stall_options(StallRules rules) {
  OptionTable table;
  rules.declare(table);
  return table.values();
}

std::string_view stall_reason_name(StallReason reason) {
  switch (reason) {
    case StallReason::kFullMemtables:
      return "full memtables";
    case StallReason::kLevel0Stop:
      return "level 0 stop";
    case StallReason::kLevel0Slowdown:
      return "level 0 slowdown";
  }
  CHECK(false);
  return {};
}

std::uint64_t WriteSlowdown::wait_ns(std::uint64_t bytes) {
  if (rules_.slowdown_ns_per_write > 0) return rules_.slowdown_ns_per_write;
  constexpr std::uint64_t kLeastWaitNs = 1'000'000;
  owed_bytes_ += bytes;
  const std::uint64_t rate = std::max<std::uint64_t>(rules_.slowdown_bytes_per_second.value(), 1);
  const auto owed_ns = static_cast<std::uint64_t>(Uint128{owed_bytes_} * 1'000'000'000 / rate);
  if (owed_ns < kLeastWaitNs) return 0;
  owed_bytes_ = 0;
  return owed_ns;
}

}  // namespace lsmlab
