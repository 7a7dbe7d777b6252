// Helpers for tests that run policies: specs as text in, results out. Any error fails the test.
#pragma once

#include <string>
#include <vector>

#include "models/policies/registry.h"
#include "sim/flushes/stack_simulator.h"
#include "sim/flushes/tree_simulator.h"
#include "testing/catch.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab::testing {

inline ConfiguredPolicy policy_of(const std::string& text) {
  const auto spec = parse_spec(text);
  REQUIRE(spec.has_value());
  const auto policy = make_policy(spec.value());
  INFO(text << ": " << (policy ? "" : policy.error().message));
  REQUIRE(policy.has_value());
  return policy.value();
}

inline FlushWorkload flushes_of(const std::string& parameters) {
  const auto spec = parse_spec("flushes:" + parameters);
  REQUIRE(spec.has_value());
  const auto workload = FlushWorkload::make(spec.value().parameters);
  INFO(parameters << ": " << (workload ? "" : workload.error().message));
  REQUIRE(workload.has_value());
  return workload.value();
}

inline std::vector<std::uint64_t> sizes_of(const FlushWorkload& workload, std::uint64_t seed) {
  std::vector<std::uint64_t> sizes(workload.count());
  workload.open(seed)->fill(sizes);
  return sizes;
}

inline FlushRun run_tree(const std::string& policy_text, const FlushWorkload& workload,
                         std::uint64_t seed = 1, const PlanLogSink& log = {}) {
  RunControl control;
  const ConfiguredPolicy policy = policy_of(policy_text);
  auto run = simulate_tree(*policy.policy, workload, seed, log, control);
  REQUIRE(run.has_value());
  return std::move(run).value();
}

/// Runs a stack-based policy in the compact executor, others in the general one.
inline FlushRun run_fast(const std::string& policy_text, const FlushWorkload& workload,
                         std::uint64_t seed = 1) {
  const ConfiguredPolicy policy = policy_of(policy_text);
  if (policy.policy->as_stack_policy() == nullptr) return run_tree(policy_text, workload, seed);
  RunControl control;
  auto run = simulate_stack(*policy.policy->as_stack_policy(), workload, seed, control);
  REQUIRE(run.has_value());
  return std::move(run).value();
}

/// "5/4/1", oldest first.
inline std::string stack_text(const StackSnapshot& stack) {
  std::string text;
  for (const std::uint64_t bytes : stack.bytes) {
    text += (text.empty() ? "" : "/") + std::to_string(bytes);
  }
  return text;
}

}  // namespace lsmlab::testing
