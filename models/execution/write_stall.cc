#include "models/execution/write_stall.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {

namespace {

Result<void> assign_stalls(const Parameters& changed, StallRules& rules) {
  OptionTable table;
  rules.declare(table);
  Result<void> assigned = table.assign(changed);
  if (!assigned) return in_context("--stalls", assigned.error());
  return assigned;
}

// The families that estimate pending bytes, for an error message.
std::string families_that_estimate() {
  std::vector<std::string> names;
  for (const PolicyFamily& family : policy_families()) {
    if (family.estimates_pending_bytes) names.push_back(family.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

constexpr std::string_view kDefaults = "defaults";
constexpr std::pair<std::string_view, std::string_view> kSystems[] = {
    {"rocksdb", "rocksdb-leveled"}, {"leveldb", "leveldb"}};

// The rules of a system, without those that have no effect for the policy.
StallRules rules_of_system(std::string_view system, const ConfiguredPolicy& policy) {
  const auto* const row = std::find_if(std::begin(kSystems), std::end(kSystems),
                                       [&](const auto& one) { return one.first == system; });
  CHECK(row != std::end(kSystems));
  StallRules rules = policy_family(row->second)->stalls;
  if (policy.policy->bounds_runs()) {
    rules.level0_slowdown_runs = policy.stalls.level0_slowdown_runs;
    rules.level0_stop_runs = policy.stalls.level0_stop_runs;
    rules.stops_only_when_full = policy.stalls.stops_only_when_full;
  }
  if (!policy.estimates_pending_bytes) {
    rules.pending_slowdown_bytes = rules.pending_stop_bytes = Bytes(0);
  }
  if (!policy.policy->merge_trigger_runs()) rules.one_merge_until_behind = false;
  return rules;
}

bool changes_any(const Parameters& changed, std::initializer_list<std::string_view> names) {
  return std::any_of(changed.begin(), changed.end(), [&](const auto& parameter) {
    return std::find(names.begin(), names.end(), parameter.first) != names.end();
  });
}

// RocksDB's rule for max_write_buffer_number above 3.
bool slows_by_memtables(const StallRules& rules, const StoreLoad& load) {
  constexpr std::uint64_t kManyMemtables = 3;
  return rules.adapts_rate && rules.full_memtables_max >= kManyMemtables &&
         load.full_memtables >= rules.full_memtables_max;
}

}  // namespace

bool begin_with_system(const Parameters& stalls) {
  return !stalls.empty() && stalls.front().first == kDefaults;
}

Result<StallRules> stall_rules_of(const ConfiguredPolicy& policy, const Parameters& given) {
  StallRules rules = policy.stalls;
  Parameters changed = given;
  if (begin_with_system(changed)) {
    rules = rules_of_system(changed.front().second, policy);
    changed.erase(changed.begin());
  }
  BOOST_OUTCOME_TRYV(assign_stalls(changed, rules));
  const bool changes_unused_runs =
      policy.policy->bounds_runs() &&
      changes_any(changed, {"level0_slowdown_runs", "level0_stop_runs", "stops_only_when_full"});
  StallRules used = rules;
  if (changes_unused_runs) {  // how they go together is then no fault
    used.level0_slowdown_runs = policy.stalls.level0_slowdown_runs;
    used.level0_stop_runs = policy.stalls.level0_stop_runs;
  }
  std::vector<std::string> all = used.validate();
  if (changes_unused_runs) {
    all.push_back(fmt::format(
        "level0_slowdown_runs, level0_stop_runs, stops_only_when_full: {} bounds its "
        "sorted runs itself and does not count the runs of level 0, so these have no effect",
        policy.family));
  }
  if (rules.slowdown_ns_per_write > 0 && changes_any(changed, {"slowdown_bytes_per_second"})) {
    all.emplace_back(
        "slowdown_bytes_per_second: cannot be combined with slowdown_ns_per_write, which has no "
        "rate; "
        "set slowdown_ns_per_write=0 to use the rate");
  }
  if (!policy.estimates_pending_bytes &&
      (rules.pending_slowdown_bytes.value() > 0 || rules.pending_stop_bytes.value() > 0)) {
    all.push_back(fmt::format(
        "pending_slowdown_bytes, pending_stop_bytes: {} does not estimate the bytes that "
        "merges still have to write; these policies do: {}",
        policy.family, families_that_estimate()));
  }
  if (rules.one_merge_until_behind && !policy.policy->merge_trigger_runs() &&
      changes_any(changed, {"one_merge_until_behind"})) {
    all.push_back(
        fmt::format("one_merge_until_behind: {} begins no merge because of a number of runs in "
                    "level 0, so this has no effect",
                    policy.family));
  }
  // Without a limit on the bytes that it estimates RocksDB is always behind.
  const bool is_always_behind =
      policy.estimates_pending_bytes && rules.pending_slowdown_bytes.value() == 0;
  if (is_always_behind || !policy.policy->merge_trigger_runs()) {
    rules.one_merge_until_behind = false;
  }
  std::string faults;
  for (const std::string& fault : all) {
    faults += (faults.empty() ? "--stalls: " : "; ") + fault;
  }
  if (!faults.empty()) return input_error(std::move(faults));
  return rules;
}

Result<Parameters> parse_stall_changes(std::string_view text) {
  Parameters changes;
  for (const auto& [system, family] : kSystems) {
    const std::string word = fmt::format("{}-{}", system, kDefaults);
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    if (!text.empty() && text.front() != ',') {
      return input_error(fmt::format("--stalls: expected ',' or the end after {}", word));
    }
    if (!text.empty()) text.remove_prefix(1);
    changes.emplace_back(kDefaults, system);
  }
  if (text.empty()) return changes;
  const Result<Spec> spec = parse_spec("stalls:" + std::string(text));
  if (!spec) return in_context("--stalls", spec.error());
  // Faults of combinations depend on which parameters the user changed.
  StallRules rules;
  BOOST_OUTCOME_TRYV(assign_stalls(spec.value().parameters, rules));
  changes.insert(changes.end(), spec.value().parameters.begin(), spec.value().parameters.end());
  return changes;
}

std::uint64_t merges_at_a_time(const StallRules& rules, const StoreLoad& load,
                               std::optional<std::uint64_t> merge_trigger_runs,
                               std::uint64_t threads) {
  if (!rules.one_merge_until_behind || !merge_trigger_runs) return threads;
  const std::uint64_t trigger = *merge_trigger_runs;
  const std::uint64_t slowdown = std::max(trigger, rules.level0_slowdown_runs);
  const std::uint64_t behind_runs = std::min(2 * trigger, trigger + (slowdown - trigger) / 4);
  const std::uint64_t slowdown_bytes = rules.pending_slowdown_bytes.value();
  const bool is_behind = load.is_memtable_awaited || slows_by_memtables(rules, load) ||
                         load.level0_runs >= behind_runs ||
                         (slowdown_bytes > 0 && load.pending_bytes >= slowdown_bytes / 4) ||
                         (load.behind_bytes > 0 && load.pending_bytes >= load.behind_bytes);
  return is_behind ? threads : 1;
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
    case StallReason::kMergesFirst:
      return "merges first";
    case StallReason::kLevel0Stop:
      return "level 0 stop";
    case StallReason::kLevel0Slowdown:
      return "level 0 slowdown";
    case StallReason::kPendingSlowdown:
      return "pending merges slowdown";
    case StallReason::kPendingStop:
      return "pending merges stop";
    case StallReason::kMemtableSlowdown:
      return "memtables slowdown";
  }
  CHECK(false);
  return {};
}

std::optional<StallReason> WriteController::slowdown_of(const StoreLoad& load) const {
  if (slows_by_memtables(rules_, load)) return StallReason::kMemtableSlowdown;
  if (load.level0_runs >= rules_.level0_slowdown_runs) return StallReason::kLevel0Slowdown;
  const std::uint64_t slowdown_bytes = rules_.pending_slowdown_bytes.value();
  if (slowdown_bytes > 0 && load.pending_bytes >= slowdown_bytes) {
    return StallReason::kPendingSlowdown;
  }
  return std::nullopt;
}

bool WriteController::is_near_stop(const StoreLoad& load) const {
  constexpr std::uint64_t kNearRuns = 2;
  if (reason_ == StallReason::kLevel0Slowdown) {
    return load.level0_runs + kNearRuns >= rules_.level0_stop_runs;
  }
  const std::uint64_t stop_bytes = rules_.pending_stop_bytes.value();
  if (reason_ != StallReason::kPendingSlowdown || stop_bytes == 0) return false;
  const std::uint64_t slowdown_bytes = rules_.pending_slowdown_bytes.value();
  return load.pending_bytes - slowdown_bytes > 3 * (stop_bytes - slowdown_bytes) / 4;
}

void WriteController::adapt_rate(const StoreLoad& load) {
  constexpr std::uint64_t kLeastRate = 16 * 1024;
  constexpr double kNearStop = 0.6;
  constexpr double kMoreLeft = 0.8;
  const std::uint64_t most = rules_.slowdown_bytes_per_second.value();
  if (most <= kLeastRate) return;
  const auto times = [&](double factor) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes_per_second_) * factor);
  };
  if (is_near_stop(load)) {
    bytes_per_second_ = std::max(times(kNearStop), kLeastRate);
  } else if (last_pending_bytes_ > 0 && last_pending_bytes_ <= load.pending_bytes) {
    bytes_per_second_ = std::max(times(kMoreLeft), kLeastRate);
  } else if (last_pending_bytes_ > load.pending_bytes) {
    bytes_per_second_ = std::min(times(1 / kMoreLeft), most);
  }
}

void WriteController::look(const StoreLoad& load) {
  constexpr double kRecovered = 1.4;
  if (stopped_from_ > 0 && load.full_memtables >= stopped_from_) {
    last_pending_bytes_ = load.pending_bytes;
    return;
  }
  stopped_from_ = 0;
  const bool was_slowed = reason_.has_value();
  // The last two conditions depend on the write itself.
  StoreLoad of_merges = load;
  of_merges.full_memtables = 0;
  of_merges.has_work = false;
  const bool is_stopped = rules_.adapts_rate && stop_reason(rules_, true, of_merges).has_value();
  reason_ = is_stopped ? std::nullopt : slowdown_of(load);
  if (!rules_.adapts_rate) return;
  if (reason_ && was_slowed) adapt_rate(load);
  if (reason_ && !was_slowed) credit_bytes_ = next_refill_us_ = 0;
  if (!reason_ && !is_stopped && was_slowed) {
    const double recovered = static_cast<double>(bytes_per_second_) * kRecovered;
    bytes_per_second_ =
        std::min(static_cast<std::uint64_t>(recovered), rules_.slowdown_bytes_per_second.value());
  }
  last_pending_bytes_ = load.pending_bytes;
}

void WriteController::on_memtable_full(const StoreLoad& load) {
  if (!std::exchange(has_looked_, false)) look(load);
}

void WriteController::on_full_memtables(std::uint64_t stopped_from) {
  if (!rules_.adapts_rate) return;
  has_looked_ = true;
  stopped_from_ = stopped_from;
  reason_.reset();
}

std::optional<std::uint64_t> WriteController::look_again_ns() const {
  constexpr std::uint64_t kSleepNs = 1'001'000;
  return rules_.adapts_rate ? std::optional(kSleepNs) : std::nullopt;
}

std::uint64_t WriteController::wait_ns(std::uint64_t now_ns, std::uint64_t bytes) {
  if (!reason_) return 0;
  if (rules_.slowdown_ns_per_write > 0) return rules_.slowdown_ns_per_write;
  if (rules_.adapts_rate) return wait_for_credit_ns(now_ns, bytes);
  owed_bytes_ += bytes;
  const auto owed_ns =
      static_cast<std::uint64_t>(Uint128{owed_bytes_} * 1'000'000'000 / bytes_per_second_);
  if (owed_ns < kLeastWaitNs) return 0;
  owed_bytes_ = 0;
  return owed_ns;
}

std::uint64_t WriteController::writes_without_wait(std::uint64_t bytes) const {
  if (rules_.slowdown_ns_per_write > 0) return 0;
  if (rules_.adapts_rate) return credit_bytes_ / bytes;
  // Fewer bytes than these are no wait of kLeastWaitNs.
  const Uint128 scaled = Uint128{bytes_per_second_} * kLeastWaitNs;
  const auto owed_max = static_cast<std::uint64_t>((scaled + 999'999'999) / 1'000'000'000);
  return owed_bytes_ < owed_max ? (owed_max - 1 - owed_bytes_) / bytes : 0;
}

void WriteController::pass(std::uint64_t writes, std::uint64_t bytes) {
  if (rules_.adapts_rate) {
    credit_bytes_ -= writes * bytes;
  } else {
    owed_bytes_ += writes * bytes;
  }
}

std::uint64_t WriteController::wait_for_credit_ns(std::uint64_t now_ns, std::uint64_t bytes) {
  constexpr std::uint64_t kRefillUs = 1'000;
  constexpr std::uint64_t kSecondUs = 1'000'000;
  if (credit_bytes_ >= bytes) {
    credit_bytes_ -= bytes;
    return 0;
  }
  const std::uint64_t now_us = now_ns / 1'000;
  if (next_refill_us_ == 0) next_refill_us_ = now_us;
  if (next_refill_us_ <= now_us) {
    const std::uint64_t elapsed_us = now_us - next_refill_us_ + kRefillUs;
    const Uint128 grown = Uint128{elapsed_us} * bytes_per_second_;
    credit_bytes_ += static_cast<std::uint64_t>((grown + kSecondUs - 1) / kSecondUs);
    next_refill_us_ = now_us + kRefillUs;
    if (credit_bytes_ >= bytes) {
      credit_bytes_ -= bytes;
      return 0;
    }
  }
  const std::uint64_t missing = bytes - credit_bytes_;
  credit_bytes_ = 0;
  next_refill_us_ += static_cast<std::uint64_t>(Uint128{missing} * kSecondUs / bytes_per_second_);
  return 1'000 * std::max(next_refill_us_ - now_us, kRefillUs);
}

}  // namespace lsmlab
