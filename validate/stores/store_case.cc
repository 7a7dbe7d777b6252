#include "validate/stores/store_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "validate/catalog/catalog.h"
#include "validate/stores/key_order.h"
#include "validate/stores/table_start.h"
#include "validate/stores/todays_logs.h"

namespace lsmlab {
namespace {

// A load in order, and then writes that overwrite its keys at random: as many of them come twice
// into one memtable as uniform draws of so many keys would leave.
bool take_ordered_load(const KeyOrder& order, StoreCase& asked) {
  constexpr double kDoubledMin = 400;  // known to 5 % then
  constexpr double kNear = 0.1;
  stores::StoreWorkload& workload = asked.workload;
  const stores::FlushFigures& flushes = asked.reported.flushes;
  const std::uint64_t keys = order.loading_writes;
  if (!order.is_load_then_random() || workload.begins_at_rest() || keys >= workload.writes ||
      workload.delete_fraction > 0) {
    return false;
  }
  const double doubled = static_cast<double>(flushes.memtable_entries) -
                         static_cast<double>(std::min(flushes.entries, flushes.memtable_entries));
  if (doubled < kDoubledMin) return false;
  const auto later = static_cast<double>(workload.writes - keys);
  const double memtable = later / static_cast<double>(order.flushes - order.loaded);
  const double drawn = memtable * later / (2 * doubled);
  if (std::abs(drawn / static_cast<double>(keys) - 1) > kNear) return false;
  workload.spec = stores::ordered_load_spec(workload, flushes, keys, workload.writes - keys);
  workload.update_fraction = 0;
  workload.drawn_keys = keys;
  std::erase_if(workload.guesses, [](const stores::PolicyGuess& one) {
    return one.parameter == "number of keys" || one.parameter == "update_fraction" ||
           one.parameter == stores::kKeysGuess;
  });
  workload.guesses.push_back(
      {std::string(stores::kKeysGuess),
       fmt::format("the first {} of {} flushes hold only keys above all earlier ones: {} keys came "
                   "in order. Later writes overwrite them, uniformly: as many came twice into one "
                   "memtable as that would leave",
                   order.loaded, order.flushes, grouped_text(keys))});
  return true;
}

// What the key ranges of flushes tell of the order of keys.
void take_key_order(const stores::Store& store, StoreCase& asked) {
  if (!store.manifest) return;
  KeyOrder order;
  for (const auto& [id, family] : store.manifest->families) {
    if (family.name == asked.reported.name) order = key_order_of(*store.manifest, id);
  }
  stores::StoreWorkload& workload = asked.workload;
  const auto guess = std::find_if(
      workload.guesses.begin(), workload.guesses.end(),
      [](const stores::PolicyGuess& one) { return one.parameter == stores::kKeysGuess; });
  if (guess == workload.guesses.end()) return;
  if (take_ordered_load(order, asked)) return;
  if (!order.is_partly_sequential()) return;
  const std::string seen = fmt::format("{} of {} flushes hold only keys above all earlier ones",
                                       order.rising, order.flushes);
  if (!order.is_sequential()) {
    guess->why = "uniform, but " + seen +
                 ": keys came in order for a time, and such files move without being written "
                 "again; the store then writes less than this, so state the workload with -w";
    return;
  }
  guess->why = "in rising order: " + seen;
  workload.inserts_rise = true;
  workload.spec = stores::load_spec(workload, asked.reported.flushes, workload.records,
                                    workload.simulated_writes());
}

// How many operations a second the user's workload stands for; none: it does not say. A fault of it
// is reported when it is resolved.
std::optional<OperationRate> stated_rate_of(const std::string& workload) {
  const auto spec = parse_spec(workload);
  const auto made = spec ? key_workload_of_spec(spec.value()) : spec.error();
  return made ? made.value().rate : std::nullopt;
}

// Today's policy may have times, and then no change of it can do without a rate. Another fault of
// the user's workload is reported when it is resolved.
Result<void> check_counts_times(const stores::PolicySpec& policy, const std::string& workload) {
  constexpr const char* kRate = "operations_per_second=1000";
  const auto spec = parse_spec(workload);
  const auto of_flushes = spec ? is_flush_workload(spec.value()) : spec.error();
  if (!policy.states_times || !of_flushes) return success();
  std::vector<std::string> times;
  for (const auto& [name, text] : BOOST_OUTCOME_TRYX(parse_spec(policy.spec)).parameters) {
    if (is_stated_time(text)) times.push_back(fmt::format("{}={}", name, text));
  }
  const std::string stated = fmt::format("the store's policy has {}", fmt::join(times, ", "));
  if (of_flushes.value()) {
    return input_error(fmt::format(
        "{}, and a workload of flush sizes has no operations to count times by; give a workload of "
        "operations, as -w 'load:entries=1M,{}' with your rate",
        stated, kRate));
  }
  const auto made = key_workload_of_spec(spec.value());
  if (!made || made.value().rate) return success();
  return input_error(
      fmt::format("{}, and the workload does not say how many operations a second it stands for; "
                  "write -w '{}{}{}' with your rate",
                  stated, workload, spec.value().parameters.empty() ? ":" : ",", kRate));
}

// The share of updates among so many writes that draw one of the keys, of which `records` are
// there: they hit ever more of the others, until no new key is left.
double later_updates(std::uint64_t keys, std::uint64_t records, std::uint64_t writes) {
  const auto lacking = static_cast<double>(keys - std::min(keys, records));
  const auto draws = static_cast<double>(writes);
  const double inserts = lacking * (1 - std::exp(-draws / static_cast<double>(keys)));
  return std::clamp(1 - inserts / draws, 0.0, 1.0);
}

void note_options(const std::string& note, stores::PolicySpec& policy) {
  if (!note.empty()) policy.guesses.push_back({"history", note});
}

// Where the records stand is not what the workload's own load would make of them.
void take_starts(StoreStarts starts, const char* records_guess, StoreCase& asked) {
  asked.starts = std::move(starts);
  if (asked.starts.at_history == nullptr) return;
  std::erase_if(asked.workload.guesses, [](const stores::PolicyGuess& guess) {
    return guess.parameter == stores::kRecordsGuess;
  });
  asked.workload.guesses.push_back({std::string(stores::kRecordsGuess), records_guess});
}

}  // namespace

PolicyWorkload StoreCase::policy_workload() const {
  PolicyWorkload taken;
  if (!reported.writes_per_second()) return taken;
  taken.name = "of the LOG";
  taken.rate = stores::stated_rate(*reported.writes_per_second());
  taken.writes = [] { return Result<OperationShare>(OperationShare{}); };
  return taken;
}

Result<StoreCase> store_policy(const stores::Store& store, const std::string& family) {
  const std::vector<std::string> families = store.families();
  const bool is_known = std::find(families.begin(), families.end(), family) != families.end();
  if (family.empty() && families.size() > 1) {
    return input_error(fmt::format("the store has {} column families; choose one with --family: {}",
                                   families.size(), fmt::join(families, ", ")));
  }
  if (families.empty() || (!family.empty() && !is_known)) {
    return input_error(fmt::format("the store has no column family '{}'; it has: {}",
                                   excerpt(family), fmt::join(families, ", ")));
  }
  StoreCase asked;
  asked.reported = stores::figures_of(store, family.empty() ? families.front() : family);
  asked.has_manifest = store.manifest.has_value();
  asked.policy = stores::policy_spec(store, asked.reported);
  if (asked.policy.spec.empty()) {
    return input_error(fmt::format("lsmlab has no policy for this store: {}",
                                   fmt::join(asked.policy.unmodelled, ", ")));
  }
  asked.clock = logged_clock(store, asked.reported);
  asked.rules = store_rules(store, asked.reported.name, asked.policy.spec);
  asked.ends_at_rest = ends_at_rest(store, asked.reported);
  if (store.system != stores::StoreSystem::kRocksdb) return asked;
  asked.options.emplace();
  asked.options->system = store.system;
  asked.options->version = store.version;
  asked.options->options = store.options;
  if (!asked.reported.writes_per_second()) asked.rate_lack = stores::kNoRate;
  return asked;
}

Result<StoreCase> store_case(const stores::Store& whole_store, const std::string& family,
                             const std::string& workload) {
  StoreCase asked = BOOST_OUTCOME_TRYX(store_policy(whole_store, family));
  const TodaysLogs todays = todays_logs(whole_store, asked.reported.name);
  const stores::Store& store = todays.store ? *todays.store : whole_store;
  if (todays.store) asked = BOOST_OUTCOME_TRYX(store_policy(store, family));
  Result<stores::StoreWorkload> found = stores::store_workload(asked.reported);
  if (!workload.empty()) {
    asked.workload.spec = workload;
    const std::optional<OperationRate> rate = stated_rate_of(workload);
    asked.rate_lack = rate ? "" : "the workload of -w lacks operations_per_second";
    asked.policy = stores::policy_spec(store, asked.reported, asked.rate_lack);
    note_options(todays.note, asked.policy);
    BOOST_OUTCOME_TRYV(check_counts_times(asked.policy, workload));
    if (found) asked.workload.writes_per_second = found.value().writes_per_second;
    if (rate) {
      asked.workload.writes_per_second =
          static_cast<double>(rate->numerator()) / static_cast<double>(rate->denominator());
      asked.workload.rate_is_stated = true;
    }
    return asked;
  }
  if (!found) return found.error();
  note_options(todays.note, asked.policy);
  asked.workload = std::move(found).value();
  take_key_order(store, asked);
  auto starts = starts_of(store, asked.reported, asked.workload);
  if (starts && !store.manifest) {
    take_starts(starts_of_table(asked.reported, asked.workload),
                "of each level, what it holds today less what came into it and plus what was taken "
                "from it, by the table; spread evenly over the keys",
                asked);
  } else if (starts) {
    take_starts(std::move(starts).value(),
                "the entries of the tree without those that are estimated to be obsolete; which of "
                "them a file above the oldest run holds is drawn at random",
                asked);
  } else if (asked.workload.begins_at_rest()) {
    asked.workload.guesses.push_back(
        {"tree", "loaded anew, because that of the store is not known: " + starts.error().message});
  }
  return asked;
}

std::string StoreCase::workload_after(const StartingTree& start, bool is_history) const {
  if (is_history) {
    const std::uint64_t writes = workload.steady_writes.value_or(workload.writes);
    return stores::load_spec(workload, reported.flushes, start.records, writes);
  }
  // So many that the largest memtable that `explain` tries is filled ten times.
  constexpr std::uint64_t kMemtables = 160;
  // Of a store that is far larger than its history, so many show what a change does first.
  constexpr std::uint64_t kMemtablesMax = 10'000;
  constexpr std::uint64_t kTurnoversMax = 10;
  const stores::FlushFigures& flushes = reported.flushes;
  const std::uint64_t memtable = std::max(flushes.memtable_entries, flushes.entries) /
                                 std::max<std::uint64_t>(1, flushes.flushes);
  const std::uint64_t writes =
      std::max({std::min(workload.writes, kTurnoversMax * start.records),
                std::min(2 * start.records, kMemtablesMax * memtable), kMemtables * memtable});
  stores::StoreWorkload later = workload;
  std::string popularity;
  if (workload.drawn_keys) {
    later.update_fraction = later_updates(*workload.drawn_keys, start.records, writes);
  } else if (workload.lately) {
    later.update_fraction = workload.lately->update_fraction;
    later.delete_fraction = workload.lately->delete_fraction;
    if (workload.lately->zipf_exponent) {
      popularity = fmt::format(",update_distribution=zipfian,zipf_exponent={:.2f}",
                               *workload.lately->zipf_exponent);
    }
  }
  return stores::load_spec(later, flushes, start.records, writes) + popularity;
}

Result<TodaysOptions> StoreCase::todays_options() const {
  TodaysOptions today;
  today.policy = BOOST_OUTCOME_TRYX(parse_spec(policy.spec));
  today.store = options;
  today.reported = &reported;
  today.rate_lack = rate_lack;
  return today;
}

}  // namespace lsmlab
