#include "validate/advise/candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/suggest.h"
#include "validate/advise/parameter_table.h"
#include "validate/advise/search.h"
#include "validate/catalog/catalog.h"
#include "validate/stores/store_runs.h"

namespace lsmlab {
namespace {

// Two policies with the same text make the same store.
std::string configuration_text(const ConfiguredPolicy& policy) {
  std::string text = policy.family;
  for (const ResolvedOptions* options : {&policy.options, &policy.store_options}) {
    for (const auto& [name, value] : *options) {
      text += fmt::format(" {}={}", name, option_value_text(value));
    }
  }
  return text;
}

bool is_filter_figure(const std::string& path) {
  const std::string_view groups[] = {"reads.", "latency.", "throughput.", "time.",
                                     "amplification.read_blocks"};
  return std::any_of(std::begin(groups), std::end(groups),
                     [&](std::string_view group) { return path.starts_with(group); });
}

bool depends_on_filters(const AdviceQuestion& question) {
  return std::any_of(question.front.begin(), question.front.end(),
                     [](const AdvisedFigure& one) { return is_filter_figure(one.path); }) ||
         std::any_of(question.where.begin(), question.where.end(), [](const AdvisedCondition& one) {
           return is_filter_figure(one.condition.path);
         });
}

std::uint32_t deepest_level(const StartingTree& start) {
  std::uint32_t deepest = 0;
  for (const StartingRun& run : start.runs) deepest = std::max(deepest, run.level);
  return deepest;
}

std::vector<std::string> names_of(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters) names.push_back(name);
  return names;
}

std::vector<std::string> store_parameters() {
  std::vector<std::string> names;
  for (const OptionInfo& option : declared_by(StoreOptions{})) names.push_back(option.name);
  return names;
}

bool contains_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the option means the same in all strategies of Cassandra and ScyllaDB; others give one
// name to different things, such as min_sstable_size.
bool is_of_table(const std::string& name) {
  return name == "gc_grace" || name == "ttl" || name.find("tombstone") != std::string::npos;
}

// The parameters that mean the same in today's policy and in another: those of the store, and those
// of a policy of the same system. RocksDB's policies read the same options.
std::vector<std::string> shared_parameters(const Spec& today, const Spec& policy) {
  std::vector<std::string> names = store_parameters();
  const auto family = policy_family(policy.name);
  if (!family || !contains_name(policies_of_system(today.name), policy.name)) return names;
  const bool are_all = policy.name == today.name || today.name.starts_with("rocksdb-");
  for (const OptionInfo& option : family->options) {
    if (are_all || is_of_table(option.name)) names.push_back(option.name);
  }
  return names;
}

// The policy in today's store: what it does not state is as in today's options, as far as these
// have it.
Spec in_store_of(const Spec& today, const Spec& policy) {
  const std::vector<std::string> shared = shared_parameters(today, policy);
  const std::vector<std::string> given = names_of(policy.parameters);
  Spec whole = policy;
  for (const auto& [name, value] : today.parameters) {
    // A store that never merges is not advised to others; universal merges have a limit only with
    // incremental=true, and then it means something else.
    if (name == "disable_auto_compactions") continue;
    if (name == "max_compaction_bytes" && policy.name != today.name) continue;
    const bool is_taken = contains_name(shared, name) && !contains_name(given, name);
    if (is_taken) whole.parameters.emplace_back(name, value);
  }
  return whole;
}

struct SearchedPolicy {
  Spec policy;
  std::vector<std::string> fixed;  // parameters that the user stated
  bool is_of_user = false;
};

std::vector<SearchedPolicy> policies_of(const AdviceQuestion& question) {
  std::vector<SearchedPolicy> policies;
  for (const Spec& policy : question.policies) {
    policies.push_back({policy, names_of(policy.parameters), true});
  }
  if (policies.empty() && question.today) {
    for (const std::string& family : policies_of_system(question.today->name)) {
      policies.push_back({Spec{family, {}}, {}, true});
    }
  }
  if (policies.empty()) {
    for (const std::string_view name : usual_policies()) {
      policies.push_back({Spec{std::string(name), {}}, {}, false});
    }
  }
  if (question.today) {
    for (SearchedPolicy& one : policies) one.policy = in_store_of(*question.today, one.policy);
  }
  return policies;
}

// A parameter that nothing varies must not be ignored.
Result<void> check_varied(const AdviceQuestion& question, const AdvicePlan& plan,
                          const WorkloadFacts& facts, const std::vector<SearchedPolicy>& policies) {
  for (const VariedParameter& varied : question.varied) {
    const bool is_used =
        std::any_of(plan.spaces.begin(), plan.spaces.end(), [&](const PolicySpace& space) {
          return std::any_of(space.dimensions.begin(), space.dimensions.end(),
                             [&](const Dimension& dimension) {
                               return dimension.is_of_user && dimension.name == varied.name;
                             });
        });
    if (is_used) continue;
    const auto stating = std::find_if(
        policies.begin(), policies.end(),
        [&](const SearchedPolicy& one) { return contains_name(one.fixed, varied.name); });
    if (stating != policies.end()) {
      return input_error(fmt::format("--vary {}: --policy {} states it; leave one of them out",
                                     varied.name, spec_text(stating->policy)));
    }
    std::vector<std::string> names = store_parameters();
    for (const SearchedPolicy& one : policies) {
      const auto policy = policy_of_spec(one.policy, facts.workload);
      if (!policy) continue;
      for (const auto& [name, value] : policy.value().options) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return input_error(fmt::format("--vary {}: no policy that is searched has this parameter{}",
                                   varied.name, suggestion(varied.name, names)));
  }
  return success();
}

// The first round takes one point of every policy in turn, so that a small budget has seen all;
// first of all those at resolution flush, which take least time.
Result<void> add_coarse(AdvicePlan& plan, CandidateMaker& maker) {
  std::vector<std::vector<Point>> points;
  std::size_t longest = 0;
  for (const PolicySpace& space : plan.spaces) {
    points.push_back(coarse_points(space));
    longest = std::max(longest, points.back().size());
  }
  for (std::size_t i = 0; i < longest; ++i) {
    for (std::size_t space = 0; space < points.size(); ++space) {
      if (i >= points[space].size()) continue;
      BOOST_OUTCOME_TRYV(maker.add(plan, space, points[space][i], AdviceRound::kCoarse, false));
    }
  }
  std::stable_partition(plan.candidates.begin(), plan.candidates.end(), [](const Candidate& one) {
    return one.round == AdviceRound::kToday || one.resolution == Resolution::kFlush;
  });
  return success();
}

Result<void> add_today(AdvicePlan& plan, CandidateMaker& maker, const AdviceQuestion& question,
                       const WorkloadFacts& facts) {
  const auto configured = BOOST_OUTCOME_TRYX(policy_of_spec(*question.today, facts.workload));
  const std::string wanted = configuration_text(configured);
  for (std::size_t i = 0; i < plan.spaces.size(); ++i) {
    const PolicySpace& space = plan.spaces[i];
    const auto policy = policy_of_spec(spec_at(space, base_point(space)), facts.workload);
    if (!policy || configuration_text(policy.value()) != wanted) continue;
    return maker.add(plan, i, base_point(space), AdviceRound::kToday, true);
  }
  plan.spaces.push_back({*question.today, configured.store.buffer, {}});
  return maker.add(plan, plan.spaces.size() - 1, {}, AdviceRound::kToday, true);
}

// Whether the policy can run on the workload at all, with the values that it has anyway.
Result<void> check_base(const SearchedPolicy& searched, const PolicySpace& space,
                        CandidateMaker& maker) {
  auto run = maker.coarse_run(spec_at(space, base_point(space)));
  if (run) return success();
  return in_context(fmt::format("policy '{}'", searched.policy.name), std::move(run).error());
}

Result<void> add_spaces(AdvicePlan& plan, CandidateMaker& maker, const AdviceQuestion& question,
                        const WorkloadFacts& facts, const std::vector<SearchedPolicy>& policies) {
  SpaceRequest request;
  request.varied = question.varied;
  request.memory = question.memory;
  request.workload = facts.workload;
  request.is_filter_searched = depends_on_filters(question);
  std::uint64_t count = 0;
  for (const SearchedPolicy& searched : policies) {
    request.fixed = searched.fixed;
    auto space = BOOST_OUTCOME_TRYX(space_of(searched.policy, request));
    if (auto checked = check_base(searched, space, maker); !checked) {
      if (searched.is_of_user) return checked.error();
      plan.skipped.push_back({searched.policy.name, checked.error().message});
      continue;
    }
    count += std::min(coarse_count(space), kCandidatesMax + 1);
    plan.spaces.push_back(std::move(space));
  }
  const bool are_points =
      std::all_of(plan.spaces.begin(), plan.spaces.end(),
                  [](const PolicySpace& space) { return space.dimensions.empty(); });
  if (question.today && question.policies.empty() && are_points) {
    return input_error(fmt::format(
        "nothing of policy '{}' is searched by itself; name its parameters with --vary NAME=V1,V2, "
        "or other policies with --policy",
        question.today->name));
  }
  if (count <= kCandidatesMax) return success();
  return input_error(
      fmt::format("the first round would try more than {} candidates; state parameters in "
                  "--policy, or give --vary fewer values",
                  kCandidatesMax));
}

}  // namespace

Result<ResolvedRun> CandidateMaker::run_at(const Spec& policy,
                                           std::optional<Resolution> resolution) {
  RunSpec spec = run_with(question_, policy);
  spec.resolution = resolution;
  if (resolution != Resolution::kRange) spec.cells = std::nullopt;
  if (question_.start == nullptr) return resolver_.resolve(spec);
  ResolvedRun run = BOOST_OUTCOME_TRYX(resolver_.resolve(spec));
  if (begin_with(question_.start, question_.today->name, run)) return run;
  return input_error(
      fmt::format("policy '{}' cannot go on from today's tree, which has files in level {}",
                  policy.name, deepest_level(*question_.start)));
}

Result<ResolvedRun> CandidateMaker::coarse_run(const Spec& policy) {
  if (question_.run.resolution) return run_at(policy, question_.run.resolution);
  Result<ResolvedRun> chosen = run_at(policy, std::nullopt);
  if (!chosen || chosen.value().is_flush_run() ||
      chosen.value().spec.resolution == Resolution::kRange) {
    return chosen;
  }
  Result<ResolvedRun> coarse = run_at(policy, Resolution::kRange);
  return coarse ? coarse : chosen;
}

Result<ResolvedRun> CandidateMaker::exact_run(const Spec& policy) {
  return run_at(policy, Resolution::kKey);
}

Result<void> CandidateMaker::add(AdvicePlan& plan, std::size_t space, const Point& point,
                                 AdviceRound round, bool is_needed) {
  if (!made_.insert({space, point}).second) return success();
  Candidate candidate;
  candidate.space = space;
  candidate.point = point;
  candidate.round = round;
  candidate.spec = spec_at(plan.spaces[space], point);
  const auto run = coarse_run(candidate.spec);
  if (!run && is_needed) return run.error();
  if (!run) {
    ++plan.impossible;
    return success();
  }
  const ResolvedRun& resolved = run.value();
  if (!known_.insert(configuration_text(resolved.setup.policy)).second) {
    ++plan.equal;
    return success();
  }
  if (question_.memory) {
    const std::uint64_t keys = std::get<KeyWorkload>(resolved.workload).keys_max.value_or(0);
    candidate.memory = memory_of(resolved.setup.policy.store, keys);
    candidate.fits_memory = *candidate.memory <= *question_.memory;
    if (!candidate.fits_memory && !is_needed) {
      ++plan.too_large;
      return success();
    }
  }
  candidate.resolution = *resolved.spec.resolution;
  candidate.is_final = resolved.is_flush_run() || question_.run.resolution ||
                       candidate.resolution != Resolution::kRange;
  plan.candidates.push_back(std::move(candidate));
  return success();
}

Result<WorkloadFacts> workload_facts(const RunSpec& run) {
  WorkloadFacts facts;
  facts.is_flushes = BOOST_OUTCOME_TRYX(is_flush_workload(run.workload));
  if (facts.is_flushes) {
    const auto flushes = BOOST_OUTCOME_TRYX(workload_of_spec(run.workload));
    facts.workload = policy_workload(flushes);
    return facts;
  }
  const auto operations = BOOST_OUTCOME_TRYX(key_workload_of_spec(run.workload));
  facts.workload = policy_workload(operations);
  facts.keys_max = operations.keys_max;
  facts.memory_for_keys = memory_for_keys(operations);
  return facts;
}

Result<AdvicePlan> plan_advice(const AdviceQuestion& question) {
  CandidateMaker maker(question);
  AdvicePlan plan;
  BOOST_OUTCOME_TRYV(plan_advice(question, maker, plan));
  return plan;
}

Result<void> plan_advice(const AdviceQuestion& question, CandidateMaker& maker, AdvicePlan& plan) {
  const auto facts = BOOST_OUTCOME_TRYX(workload_facts(question.run));
  if (question.memory && !facts.keys_max) {
    return input_error(
        "--memory: filters take memory for each key, and this workload does not tell how many "
        "different keys it has; vary the memtable with --vary buffer=16MiB,64MiB");
  }
  const std::vector<SearchedPolicy> policies = policies_of(question);
  BOOST_OUTCOME_TRYV(add_spaces(plan, maker, question, facts, policies));
  BOOST_OUTCOME_TRYV(check_varied(question, plan, facts, policies));
  if (question.today) {
    BOOST_OUTCOME_TRYV(add_today(plan, maker, question, facts));
  }
  BOOST_OUTCOME_TRYV(add_coarse(plan, maker));
  const bool has_any =
      std::any_of(plan.candidates.begin(), plan.candidates.end(),
                  [](const Candidate& candidate) { return candidate.fits_memory; });
  if (has_any) return success();
  if (!plan.skipped.empty() && plan.spaces.empty()) {
    return input_error("nothing to search: " + plan.skipped.front().why);
  }
  return input_error(fmt::format(
      "nothing to search: {} combinations take more than --memory, and {} are impossible",
      plan.too_large, plan.impossible));
}

}  // namespace lsmlab
