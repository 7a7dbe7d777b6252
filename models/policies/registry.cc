#include "models/policies/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/spec_parameters.h"
#include "models/base/stated_time.h"
#include "models/base/suggest.h"

namespace lsmlab {
namespace {

struct SplitParameters {
  Parameters of_store;
  Parameters of_family;
  std::vector<OptionFault> faults;  // of names, and of times
};

const OptionInfo* option_of(const std::vector<OptionInfo>& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const OptionInfo& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

// A time that nobody has turned into a number of operations.
OptionFault uncounted_time(const OptionInfo& option, const std::string& text) {
  OptionFault fault{option.name, text, option.range, false, {}, {}};
  fault.message = fmt::format(
      "{}={}: a time becomes a number of {} by the workload's operations_per_second, and no "
      "workload is known here; give the number of {}",
      option.name, excerpt(text), option.unit, option.unit);
  return fault;
}

// Neither a number nor a time. The table of options knows numbers only; digits are left to it.
bool is_no_count(const std::string& text) {
  return text.find_first_not_of("0123456789.") != std::string::npos && !parse_count(text);
}

OptionFault no_count(const OptionInfo& option, const std::string& text) {
  OptionFault fault{option.name, text, option.range, false, {}, {}};
  fault.message = fmt::format("{}: {}, or a time such as 30d, 12h, 5min, 10s, within {}",
                              option.name, parse_count(text).error().message, option.range);
  return fault;
}

// The nearest valid name for an unknown parameter is searched among the names of policy and store.
SplitParameters split_parameters(const Parameters& parameters, const PolicyFamily& family,
                                 const OptionTable& store, const PolicyNaming& naming) {
  const std::vector<OptionInfo> of_store = store.describe();
  std::vector<std::string> names;
  for (const OptionInfo& option : family.options) names.push_back(option.name);
  for (const OptionInfo& option : of_store) names.push_back(option.name);
  names.insert(names.end(), naming.also_taken.begin(), naming.also_taken.end());
  SplitParameters split;
  for (const auto& parameter : parameters) {
    const auto& [name, text] = parameter;
    const OptionInfo* const own = option_of(family.options, name);
    if (option_of(of_store, name) != nullptr) {
      split.of_store.push_back(parameter);
    } else if (own == nullptr) {
      split.faults.push_back(unknown_parameter(name, text, names, family.name, option_owners()));
    } else if (counts_operations(*own) && is_stated_time(text)) {
      split.faults.push_back(uncounted_time(*own, text));
    } else if (counts_operations(*own) && is_no_count(text)) {
      split.faults.push_back(no_count(*own, text));
    } else {
      split.of_family.push_back(parameter);
    }
  }
  return split;
}

// " buffer=8MiB": the store's options that a list of values varied.
std::string varied_text(const Spec& spec, const Parameters& of_store) {
  std::string text;
  for (const auto& [name, value] : of_store) {
    const bool is_varied =
        std::find(spec.varied.begin(), spec.varied.end(), name) != spec.varied.end();
    if (is_varied) text += fmt::format(" {}={}", name, value);
  }
  return text;
}

Result<void> assign_store(const Parameters& parameters, const StoreOptions& store,
                          OptionTable& table) {
  BOOST_OUTCOME_TRYV(table.assign(parameters));
  const std::vector<std::string> faults = store.validate();
  return faults.empty() ? Result<void>(success()) : input_error(faults.front());
}

// One error with every fault of the three, or nothing.
std::optional<Error> joined(std::vector<OptionFault> faults, const Result<void>& of_store,
                            const std::optional<Error>& of_family) {
  std::optional<Error> error;
  if (!faults.empty()) error = option_error(std::move(faults));
  if (!of_store) error = error ? with_more(*error, of_store.error()) : of_store.error();
  if (of_family) error = error ? with_more(*error, *of_family) : *of_family;
  return error;
}

}  // namespace

const std::vector<PolicyFamily>& policy_families() {
  static const std::vector<PolicyFamily> families = make_policy_families();
  return families;
}

std::optional<PolicyFamily> policy_family(std::string_view name) {
  for (const PolicyFamily& family : policy_families()) {
    if (family.name == name) return family;
  }
  return std::nullopt;
}

std::vector<OptionOwner> option_owners() {
  std::vector<OptionOwner> owners;
  for (const PolicyFamily& family : policy_families()) {
    owners.push_back({family.name, {}});
    for (const OptionInfo& option : family.options) owners.back().options.push_back(option.name);
  }
  return owners;
}

Result<ConfiguredPolicy> make_policy(const Spec& spec, const PolicyNaming& naming,
                                     std::optional<Bytes> flush_bytes, const CodecShares& shares) {
  const std::optional<PolicyFamily> family = policy_family(spec.name);
  if (!family) {
    std::vector<std::string> names;
    for (const PolicyFamily& candidate : policy_families()) names.push_back(candidate.name);
    return input_error(
        fmt::format("unknown policy '{}'{}", excerpt(spec.name), suggestion(spec.name, names)));
  }
  ConfiguredPolicy configured;
  configured.name = configured.family = configured.label = spec.name;
  configured.store.pre_remove = family->pre_remove;
  configured.store.memtable = family->memtable;
  if (flush_bytes) configured.store.buffer = *flush_bytes;
  OptionTable store_table;
  configured.store.declare(store_table);
  SplitParameters split = split_parameters(spec.parameters, *family, store_table, naming);
  for (const auto& [name, text] : split.of_store) configured.store_options_given.push_back(name);
  const Result<void> stored = assign_store(split.of_store, configured.store, store_table);
  configured.store.compression.set_shares(shares);
  auto made = family->create(split.of_family, configured.store, configured.options);
  const std::optional<Error> of_family = made ? std::nullopt : std::optional(made.error());
  if (std::optional<Error> error = joined(std::move(split.faults), stored, of_family)) {
    const std::string subject =
        naming.subject.empty() ? fmt::format("policy '{}'", spec.name) : naming.subject;
    return in_context(subject, std::move(*error));
  }
  configured.policy = std::move(made).value();
  if (family->settle_store) family->settle_store(configured.options, configured.store);
  configured.store_options = store_table.values();
  if (configured.store.filter_split == FilterSplit::kAutotune &&
      configured.policy->level_capacities({}).empty()) {
    return input_error(
        fmt::format("filter_split=autotune: {} gives its levels no capacities; expected uniform or "
                    "monkey",
                    spec.name));
  }
  configured.stated_times = naming.stated_times;
  configured.stalls = family->stalls;
  configured.estimates_pending_bytes = family->estimates_pending_bytes;
  configured.foreign = family->foreign;
  for (const auto& [name, text] : split.of_family) {
    const std::vector<std::string>& of_files = family->file_options;
    if (std::find(of_files.begin(), of_files.end(), name) != of_files.end()) {
      configured.file_options_given.push_back(name);
    }
  }
  for (std::size_t i = 0; i < configured.options.size(); ++i) {
    const auto& [name, value] = configured.options[i];
    const bool given =
        std::any_of(spec.parameters.begin(), spec.parameters.end(),
                    [&name = name](const auto& parameter) { return parameter.first == name; });
    const std::string* const time = stated_value(naming.stated_times, name);
    if (i == 0 || given) {
      configured.label +=
          fmt::format(" {}={}", name, time != nullptr ? *time : option_value_text(value));
    }
  }
  configured.label += varied_text(spec, split.of_store);
  return configured;
}

std::optional<std::string> value_in_force(const ConfiguredPolicy& policy, std::string_view name) {
  for (const ResolvedOptions* options : {&policy.options, &policy.store_options}) {
    for (const auto& [option, value] : *options) {
      if (option == name) return option_value_text(value);
    }
  }
  return std::nullopt;
}

}  // namespace lsmlab
