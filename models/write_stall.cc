#include "models/write_stall.h"

#include <algorithm>

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
