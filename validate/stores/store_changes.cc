#include "validate/stores/store_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/spec_parameters.h"
#include "models/base/stated_time.h"
#include "models/policies/registry.h"
#include "traces/stores/option_table.h"
#include "validate/catalog/catalog.h"
#include "validate/stores/store_rules.h"

namespace lsmlab {
namespace {

constexpr std::string_view kPolicyChange = "policy=";

// Options of RocksDB that a run without a clock knows nothing of.
constexpr std::array<std::string_view, 9> kClockOptions{"max_background_jobs",
                                                        "max_background_flushes",
                                                        "max_background_compactions",
                                                        "max_write_buffer_number",
                                                        "level0_slowdown_writes_trigger",
                                                        "level0_stop_writes_trigger",
                                                        "delayed_write_rate",
                                                        "soft_pending_compaction_bytes_limit",
                                                        "hard_pending_compaction_bytes_limit"};

// One value for each option.
struct Change {
  std::string text;
  std::optional<Spec> policy;  // instead of today's
  Parameters own;              // of the policy's SPEC
  Parameters rocksdb;          // by RocksDB's names
};

bool has_own(const std::string& family, std::string_view name) {
  const auto is_named = [&](const OptionInfo& option) { return option.name == name; };
  OptionTable table;
  StoreOptions store;
  store.declare(table);
  const std::vector<OptionInfo> of_stores = table.describe();
  if (std::any_of(of_stores.begin(), of_stores.end(), is_named)) return true;
  const std::vector<PolicyFamily>& families = policy_families();
  return std::any_of(families.begin(), families.end(), [&](const PolicyFamily& one) {
    return one.name == family && std::any_of(one.options.begin(), one.options.end(), is_named);
  });
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether an option that both have is meant as RocksDB's: its ttl counts seconds, and its codecs
// are kLZ4Compression and the like.
bool is_in_rocksdb_words(const std::string& name, const std::string& value) {
  return (name == "ttl" && is_number(value)) || (name == "compression" && value.starts_with('k'));
}

bool is_rocksdb_option(const stores::Store& store, const std::string& family,
                       const std::string& name) {
  if (stores::is_rocksdb_option(name)) return true;
  if (!store.options) return false;
  const stores::FamilyOptions* const options = store.options->family(family);
  return store.options->database.contains(name) ||
         (options != nullptr && options->values.contains(name));
}

// "64MiB" and "1h" in the words of an OPTIONS file.
std::string in_words_of_options(const std::string& name, const std::string& value) {
  if (name == "compaction_style") {
    if (value == "level" || value == "leveled") return "kCompactionStyleLevel";
    if (value == "universal") return "kCompactionStyleUniversal";
    if (value == "fifo") return "kCompactionStyleFIFO";
  }
  if (is_number(value)) return value;
  if (is_stated_time(value)) {
    const Result<std::uint64_t> seconds = parse_time(value);
    if (seconds) return std::to_string(seconds.value());
  }
  const Result<std::uint64_t> bytes = parse_bytes(value);
  return bytes ? std::to_string(bytes.value()) : value;
}

std::string change_text(const std::string& change, const Spec& spec) {
  if (spec.varied.empty()) return change;
  std::string text;
  for (const std::string& name : spec.varied) {
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : ",", name, *stated_value(spec.parameters, name));
  }
  return text;
}

// Another policy keeps the store's memtable, unless it names its own: otherwise two things change.
bool take_buffer(const Spec& today, Spec& policy) {
  const std::string* const buffer = stated_value(today.parameters, "buffer");
  if (buffer == nullptr || stated_value(policy.parameters, "buffer") != nullptr) return false;
  const std::vector<Preset>& presets = policy_presets();
  const auto preset = std::find_if(presets.begin(), presets.end(),
                                   [&](const Preset& one) { return one.name == policy.name; });
  if (preset != presets.end() && stated_value(preset->spec.parameters, "buffer") != nullptr) {
    return false;
  }
  // The preset in a file may name one.
  const std::vector<PolicyFamily>& families = policy_families();
  const bool is_family =
      std::any_of(families.begin(), families.end(),
                  [&](const PolicyFamily& one) { return one.name == policy.name; });
  if (preset == presets.end() && !is_family) return false;
  state(policy.parameters, "buffer", *buffer);
  return true;
}

Result<std::vector<Change>> changes_of(const TodaysOptions& today, const std::string& change) {
  std::vector<Change> changes;
  if (change.starts_with(kPolicyChange)) {
    const Spec given = BOOST_OUTCOME_TRYX(parse_spec(change.substr(kPolicyChange.size())));
    for (Spec& spec : BOOST_OUTCOME_TRYX(expand_lists(given))) {
      std::string text = change_text(change, spec);
      if (take_buffer(today.policy, spec)) text = std::string(kPolicyChange) + spec_text(spec);
      changes.push_back({std::move(text), std::move(spec), {}, {}});
    }
    return changes;
  }
  const Result<Spec> given = parse_spec("change:" + change);
  if (!given || given.value().parameters.empty()) {
    return input_error(fmt::format(
        "'{}': expected OPTION=VALUE, as in size_ratio=6, or policy=SPEC", excerpt(change)));
  }
  for (const Spec& spec : BOOST_OUTCOME_TRYX(expand_lists(given.value()))) {
    Change one{change_text(change, spec), {}, {}, {}};
    for (const auto& [name, value] : spec.parameters) {
      const bool is_rocksdbs =
          today.store && (has_own(today.policy.name, name)
                              ? is_in_rocksdb_words(name, value)
                              : is_rocksdb_option(*today.store, today.reported->name, name));
      state(is_rocksdbs ? one.rocksdb : one.own, name, value);
    }
    changes.push_back(std::move(one));
  }
  return changes;
}

struct ChangedRules {
  stores::PolicySpec policy;
  StoreRules run;
};

ChangedRules rules_of(const TodaysOptions& today, const stores::Store& store) {
  ChangedRules rules{stores::policy_spec(store, *today.reported, today.rate_lack), {}};
  rules.run = store_rules(store, today.reported->name, rules.policy.spec);
  return rules;
}

std::string as_text(const Parameters& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  return text;
}

// Takes over what RocksDB's options change.
Result<void> take_rocksdb(const TodaysOptions& today, const Parameters& given,
                          ChangedPolicy& changed) {
  stores::Store store = *today.store;
  if (!store.options) store.options.emplace();
  stores::FamilyOptions& family = store.options->add_family(today.reported->name);
  for (const auto& [name, value] : given) family.values[name] = in_words_of_options(name, value);
  const ChangedRules before = rules_of(today, *today.store);
  const ChangedRules after = rules_of(today, store);
  const auto& known = before.policy.unmodelled;
  for (const std::string& option : after.policy.unmodelled) {
    if (std::find(known.begin(), known.end(), option) != known.end()) continue;
    return input_error(fmt::format("RocksDB's {} is not modelled", option));
  }
  if (after.policy.spec.empty()) return input_error("lsmlab has no policy for these options");
  for (const stores::PolicyGuess& guess : after.policy.guesses) {
    const bool was_known =
        std::any_of(before.policy.guesses.begin(), before.policy.guesses.end(),
                    [&](const stores::PolicyGuess& one) { return one.why == guess.why; });
    // A number that is rounded would answer another question.
    if (!was_known && guess.is_rounded) return input_error("RocksDB's " + guess.why);
  }
  const Spec old_policy = BOOST_OUTCOME_TRYX(parse_spec(before.policy.spec));
  const Spec new_policy = BOOST_OUTCOME_TRYX(parse_spec(after.policy.spec));
  bool is_changed = new_policy.name != old_policy.name;
  if (is_changed) {
    changed.policy = new_policy;
    changed.stalls = after.run.stalls;
  } else {
    for (const auto& [name, value] : new_policy.parameters) {
      const std::string* const old_value = stated_value(old_policy.parameters, name);
      if (old_value != nullptr && *old_value == value) continue;
      state(changed.policy.parameters, name, value);
      is_changed = true;
    }
    for (const auto& [name, value] : old_policy.parameters) {
      if (stated_value(new_policy.parameters, name) != nullptr) continue;
      std::erase_if(changed.policy.parameters,
                    [&, &option = name](const auto& one) { return one.first == option; });
      is_changed = true;
    }
    for (const auto& [name, value] : after.run.stalls) {
      const std::string* const old_value = stated_value(before.run.stalls, name);
      if (old_value == nullptr || *old_value != value) changed.stalls.emplace_back(name, value);
    }
  }
  if (after.run.merge_threads != before.run.merge_threads)
    changed.merge_threads = after.run.merge_threads;
  if (!is_changed && changed.stalls.empty() && !changed.merge_threads) {
    return input_error(fmt::format(
        "RocksDB's {} changes nothing here: the store has it already, or lsmlab does not model it",
        as_text(given)));
  }
  for (const auto& [name, value] : given) {
    const bool is_clocks =
        std::find(kClockOptions.begin(), kClockOptions.end(), name) != kClockOptions.end();
    if (is_clocks && !is_changed) changed.needs_clock = name;
  }
  return success();
}

Result<ChangedPolicy> policy_of(const TodaysOptions& today, const Change& change) {
  ChangedPolicy changed;
  changed.text = change.text;
  changed.policy = change.policy.value_or(today.policy);
  if (!change.rocksdb.empty()) {
    BOOST_OUTCOME_TRYV(take_rocksdb(today, change.rocksdb, changed));
  }
  for (const auto& [name, value] : change.own) state(changed.policy.parameters, name, value);
  return changed;
}

}  // namespace

Result<std::vector<ChangedPolicy>> changed_policies(const TodaysOptions& today,
                                                    const std::string& change) {
  std::vector<ChangedPolicy> policies;
  for (const Change& one : BOOST_OUTCOME_TRYX(changes_of(today, change))) {
    policies.push_back(BOOST_OUTCOME_TRYX(policy_of(today, one)));
  }
  return policies;
}

Result<std::optional<ChangedPolicy>> policy_of_all(const TodaysOptions& today,
                                                   const std::vector<std::string>& changes) {
  Change all;
  for (const std::string& change : changes) {
    const std::vector<Change> values = BOOST_OUTCOME_TRYX(changes_of(today, change));
    const bool replaces = values.front().policy.has_value();
    if (values.size() > 1 || (replaces && changes.size() > 1))
      return std::optional<ChangedPolicy>();
    if (replaces) all.policy = values.front().policy;
    for (const auto& [name, value] : values.front().own) state(all.own, name, value);
    for (const auto& [name, value] : values.front().rocksdb) state(all.rocksdb, name, value);
  }
  return std::optional(BOOST_OUTCOME_TRYX(policy_of(today, all)));
}

}  // namespace lsmlab
