#include "validate/catalog/policy_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "models/base/shortened.h"
#include "validate/catalog/operation_rate_parameter.h"

namespace lsmlab {
namespace {

struct PartCounts {
  std::uint64_t operations = 0;
  std::uint64_t puts = 0;
  std::uint64_t deletes = 0;
  [[nodiscard]] std::uint64_t writes() const { return puts + deletes; }
};

std::vector<PartCounts> counts_of(const OperationWorkload& model) {
  std::vector<PartCounts> parts;
  for (const Phase& phase : model.phases) {
    const ActionCounts& actions = phase.actions;
    PartCounts part;
    for (const std::uint64_t count : actions.values) part.operations += count;
    part.operations += actions[Action::kReadModifyWrite];  // a get and a put
    part.puts =
        actions[Action::kInsert] + actions[Action::kUpdate] + actions[Action::kReadModifyWrite];
    part.deletes = actions[Action::kDelete];
    parts.push_back(part);
  }
  return parts;
}

// Of operations that no model describes: they are drawn, or read, once.
Result<std::vector<PartCounts>> counted(const KeyWorkload& workload) {
  constexpr std::uint64_t kSeed = 1;
  const auto source = BOOST_OUTCOME_TRYX(workload.open(kSeed));
  std::vector<PartCounts> parts(1);
  std::size_t part = 0;
  std::uint64_t done = 0;
  std::vector<Operation> operations(1 << 12);
  while (true) {
    const std::size_t count = BOOST_OUTCOME_TRYX(source->fill(operations));
    if (count == 0) return parts;
    for (std::size_t i = 0; i < count; ++i) {
      while (part < workload.parts.size() && done >= workload.parts[part].end_operations) {
        ++part;
        parts.emplace_back();
      }
      ++done;
      ++parts.back().operations;
      if (operations[i].kind == OperationKind::kPut) ++parts.back().puts;
      if (operations[i].kind == OperationKind::kDelete) ++parts.back().deletes;
    }
  }
}

Error no_rate(const std::string& stated, const OptionInfo& option, const PolicyWorkload& workload) {
  if (workload.flush_bytes) {
    return input_error(fmt::format(
        "{}: is a time, and a workload of flush sizes has no {}; use a workload of operations",
        stated, option.unit));
  }
  return input_error(
      fmt::format("{}: is a time, and workload '{}' does not say how many operations a second it "
                  "stands for; add {}=N to the workload, or give the number of {}",
                  stated, workload.name, kOperationRateParameter, option.unit));
}

Result<std::uint64_t> count_of_time(const std::string& text, const OptionInfo& option,
                                    const PolicyWorkload& workload) {
  const std::string stated = fmt::format("{}={}", option.name, excerpt(text));
  const Result<std::uint64_t> seconds = parse_time(text);
  if (!seconds) return in_context(option.name, seconds.error());
  if (!workload.rate) return no_rate(stated, option, workload);
  OperationShare share;
  if (option.unit == "writes") share = BOOST_OUTCOME_TRYX(workload.writes());
  const Result<std::uint64_t> count = operations_in(seconds.value(), *workload.rate, share);
  if (count) return count;
  return input_error(
      fmt::format("{}: at {} operations a second of workload '{}', the number of {} is {}", stated,
                  workload.rate->text(), workload.name, option.unit, count.error().message));
}

}  // namespace

const OptionInfo* counting_option(const std::vector<OptionInfo>& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const OptionInfo& option) {
    return option.name == name && counts_operations(option);
  });
  return found == options.end() ? nullptr : &*found;
}

Result<OperationShare> write_share(const KeyWorkload& workload) {
  const std::vector<PartCounts> parts = workload.model != nullptr
                                            ? counts_of(*workload.model)
                                            : BOOST_OUTCOME_TRYX(counted(workload));
  const auto loads_end = std::find_if(parts.begin(), parts.end(), [](const PartCounts& part) {
    return part.puts < part.operations;
  });
  const bool is_written_later =
      std::any_of(loads_end, parts.end(), [](const PartCounts& part) { return part.writes() > 0; });
  OperationShare share{0, 0};
  for (auto part = is_written_later ? loads_end : parts.begin(); part != parts.end(); ++part) {
    share.counted += part->writes();
    share.operations += part->operations;
  }
  if (share.operations == 0) {
    return input_error(fmt::format("workload '{}' has no operations", workload.name));
  }
  return share;
}

std::string PolicyWorkload::identity(const Spec& spec) const {
  std::string text =
      fmt::format("{} {} {}", flush_bytes ? std::to_string(flush_bytes->value()) : "-",
                  rate ? rate->text() : "-", rate ? spec_text(spec) : name);
  for (const auto& [codec, of] : shares) {
    text += fmt::format(" {}:{}:{}:{}:{}:{}:{}", static_cast<int>(codec), of.level0, of.merged,
                        of.without_sequences, of.index, of.bare_level0.value_or(of.level0),
                        of.bare_merged.value_or(of.merged));
  }
  return text;
}

PolicyWorkload policy_workload(const FlushWorkload& workload) {
  PolicyWorkload taken;
  taken.name = "flushes";
  taken.flush_bytes = workload.mean_bytes();
  return taken;
}

PolicyWorkload policy_workload(const KeyWorkload& workload) {
  PolicyWorkload taken;
  taken.name = workload.name;
  taken.rate = workload.rate;
  if (!taken.rate) return taken;
  // A trace is read once, however many policies ask.
  taken.writes =
      [workload,
       known = std::make_shared<std::optional<OperationShare>>()]() -> Result<OperationShare> {
    if (!*known) *known = BOOST_OUTCOME_TRYX(write_share(workload));
    return **known;
  };
  return taken;
}

Result<Parameters> take_stated_times(Spec& spec, const PolicyWorkload& workload) {
  Parameters times;
  const std::optional<PolicyFamily> family = policy_family(spec.name);
  if (!family || workload.name.empty()) return times;
  for (auto& [name, text] : spec.parameters) {
    const OptionInfo* const option = counting_option(family->options, name);
    if (option == nullptr || !is_stated_time(text)) continue;
    const std::uint64_t count = BOOST_OUTCOME_TRYX(count_of_time(text, *option, workload));
    times.emplace_back(name, text);
    text = std::to_string(count);
  }
  return times;
}

void show_stated_times(ConfiguredPolicy& policy) {
  for (const auto& [name, text] : policy.stated_times) {
    policy.options.emplace_back(fmt::format("{}{}", name, kAsTime), text);
  }
}

}  // namespace lsmlab
