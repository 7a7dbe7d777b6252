// Policies of whole sorted runs that are no stack-based ones, at every resolution: they do the same
// if keys are unique. (sim/keys/resolutions_test.cc has the stack-based ones.)
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/sizes/sstable_size.h"
#include "sim/flushes/simulate_flushes.h"
#include "sim/keys/simulate_keys.h"
#include "sim/ranges/simulate_ranges.h"
#include "testing/every_policy.h"
#include "testing/runs.h"

namespace lsmlab::resolutions_test {
namespace {

constexpr std::uint64_t kFlushes = 400;
constexpr std::uint64_t kEntriesAFlush = 16;
// Merges save the frames of the files that they join, which resolution flush does not know. Values
// are so large that the frames of all flushes together are less than half a flush.
constexpr std::uint32_t kValueBytes = 100'000;

// Unique keys. The keys of each flush reach further on both sides than all older ones, so that all
// runs overlap each other, and each of their files overlaps all newer runs: at resolution flush
// every file has all keys.
class WideningPuts : public OperationSource {
 public:
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && next_ < kFlushes * kEntriesAFlush; ++filled, ++next_) {
      operations[filled] = {};
      operations[filled].key = key_of(next_ / kEntriesAFlush, next_ % kEntriesAFlush);
      operations[filled].key_bytes = 16;
      operations[filled].value_bytes = kValueBytes;
    }
    return filled;
  }

 private:
  [[nodiscard]] std::uint64_t key_of(std::uint64_t flush, std::uint64_t entry) const {
    constexpr std::uint64_t kEighth = std::uint64_t{1} << 61;
    if (entry == 0) return kEighth - flush;
    if (entry == kEntriesAFlush - 1) return 7 * kEighth + flush;
    constexpr std::uint64_t kOddFactor = 0x9E3779B97F4A7C15;  // a permutation of 64-bit numbers
    return 2 * kEighth + (next_ * kOddFactor >> 1);
  }
  std::uint64_t next_ = 0;
};

bool has_option(const ResolvedOptions& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(), [&](const auto& option) {
    return option.first == name && !std::holds_alternative<std::monostate>(option.second);
  });
}

Spec with(Spec spec, const std::string& name, const std::string& value) {
  std::erase_if(spec.parameters, [&](const auto& given) { return given.first == name; });
  spec.parameters.emplace_back(name, value);
  return spec;
}

std::uint64_t flush_bytes() {
  const ConfiguredPolicy policy = testing::policy_of("none");
  return uniform_sstable_bytes(policy.store.format(), kEntriesAFlush, 16, kValueBytes).value();
}

// Limits lie away from ties: with frames a tie in flushes is none in bytes. Runs are 1, 2, ...
// flushes, level 1 takes 4.5, and the shares of space amplification are 199 and not 200 percent.
Spec away_from_ties(Spec spec) {
  const ResolvedOptions options = policy_of_spec(spec).value().options;
  const std::vector<std::pair<std::string, std::string>> limits{
      {"size_ratio", "3"},
      {"level_base", std::to_string(flush_bytes() * 9 / 2)},
      {"space_amplification_percent", "199"},
      {"space_amplification_goal", "1.24"},
      {"component_size_ratio", "1.19"},
      {"max_size_amplification_percent", "199"}};
  for (const auto& [name, value] : limits) {
    if (has_option(options, name)) spec = with(spec, name, value);
  }
  return spec;
}

// At resolution flush, options about files are refused.
Spec without_file_options(Spec spec, const std::string& family) {
  for (const PolicyFamily& known : policy_families()) {
    if (known.name != family) continue;
    std::erase_if(spec.parameters, [&](const auto& given) {
      return std::find(known.file_options.begin(), known.file_options.end(), given.first) !=
             known.file_options.end();
    });
  }
  return spec;
}

// Those of the given policies for which sizes suffice.
std::vector<Spec> policies_of_whole_runs(const std::vector<Spec>& policies) {
  std::vector<Spec> specs;
  for (const Spec& spec : policies) {
    const auto policy = policy_of_spec(spec);
    REQUIRE(policy.has_value());
    const Policy& rule = *policy.value().policy;
    const bool has_sizes_only = rule.needs() == PolicyNeeds::kSizes;
    if (!has_sizes_only || rule.as_stack_policy() != nullptr) continue;
    // Accumulo's planner orders runs by size: runs of as many flushes tie at resolution flush, but
    // differ at resolution key by the frames that merges saved. No limit moves that tie.
    if (policy.value().family == "ratio-based") continue;
    if (!policy.value().store_options_given.empty()) continue;
    specs.push_back(without_file_options(away_from_ties(spec), policy.value().family));
  }
  return specs;
}

// "merge sorted-run-count at 9: L0=1 L1=3 -> L1": bytes of the inputs in flushes.
std::string decision_of(const PlanRecord& record, bool by_level) {
  std::string line = fmt::format("{} {} at {}:", plan_kind_name(record.plan),
                                 reason_name(record.reason), record.flush);
  const double flush = static_cast<double>(flush_bytes());
  double bytes = 0;
  for (std::size_t i = 0; i < record.inputs.size(); ++i) {
    bytes += static_cast<double>(record.inputs[i].bytes.value());
    const bool is_last = i + 1 == record.inputs.size();
    if (by_level && !is_last && record.inputs[i + 1].level == record.inputs[i].level) continue;
    line += fmt::format(" L{}={:.0f}", record.inputs[i].level, bytes / flush);
    bytes = 0;
  }
  return line + fmt::format(" -> L{}", record.target_level);
}

struct Outcome {
  std::vector<std::string> decisions;
  RunResult result;
};

Outcome by_keys(Spec spec, bool by_level) {
  spec =
      with(spec, "buffer", std::to_string(kEntriesAFlush * buffered_entry_bytes(16, kValueBytes)));
  Outcome outcome;
  RunSetup setup = default_setup(policy_of_spec(spec).value());
  setup.log = [&](const PlanRecord& record) {
    outcome.decisions.push_back(decision_of(record, by_level));
  };
  WideningPuts source;
  RunControl control;
  auto run = simulate_keys(setup, source, control);
  REQUIRE(run.has_value());
  outcome.result = std::move(run).value();
  REQUIRE(outcome.result.totals.flushes == kFlushes);
  REQUIRE(outcome.result.totals.entries_dropped == 0);
  return outcome;
}

using SimulateFlushes = Result<RunResult> (*)(const RunSetup&, const FlushWorkload&, RunControl&);

Outcome by_sizes(const Spec& spec, const std::string& parameters, SimulateFlushes simulate) {
  Outcome outcome;
  RunSetup setup = default_setup(policy_of_spec(spec).value());
  setup.log = [&](const PlanRecord& record) {
    outcome.decisions.push_back(decision_of(record, true));
  };
  RunControl control;
  auto run = simulate(setup, testing::flushes_of(parameters), control);
  INFO((run ? "" : run.error().message));
  REQUIRE(run.has_value());
  outcome.result = std::move(run).value();
  return outcome;
}

Outcome at_flush(const Spec& spec, const std::string& parameters) {
  return by_sizes(spec, parameters, simulate_flushes);
}

Outcome at_range(const Spec& spec, const std::string& parameters) {
  return by_sizes(spec, parameters, simulate_ranges);
}

std::string equal_flushes() { return fmt::format("count={},size={}", kFlushes, flush_bytes()); }

TEST_CASE("whole-run policies are found among families and presets") {
  std::set<std::string> names;
  for (const Spec& spec : policies_of_whole_runs(testing::all_policies())) names.insert(spec.name);
  for (const char* name :
       {"rocksdb-universal", "tier", "full", "dostoevsky-table1", "tarantool-table1",
        "lsm-bush-table1", "asterixdb-leveled-table1", "asterixdb-tiered-table1", "lsbm-table1",
        "wiredtiger-table1", "hbase-table1", "sifrdb-table1", "slimdb-table1"}) {
    INFO(name);
    REQUIRE(names.contains(name));
  }
  for (const char* name : {"lo+1", "scylladb-table1", "accumulo-table1", "leveled", "ldc"}) {
    INFO(name);
    REQUIRE(!names.contains(name));
  }
}

std::vector<Spec> some_policies_of_whole_runs() {
  return policies_of_whole_runs(testing::every_policy(testing::PolicyShare::kSecond));
}

TEST_CASE("whole-run policies decide alike at resolutions flush and key where keys are unique") {
  for (const Spec& spec : some_policies_of_whole_runs()) {
    // With files of a terabyte each run is one file; with small ones merges take many.
    for (const std::uint64_t file_bytes : {std::uint64_t{1} << 40, 2 * flush_bytes()}) {
      const auto sized = policy_of_spec(with(spec, "file_size", std::to_string(file_bytes)));
      const Spec by_files = sized ? with(spec, "file_size", std::to_string(file_bytes)) : spec;
      INFO(spec_text(by_files));
      const Outcome keys = by_keys(by_files, true);
      const Outcome sizes = at_flush(spec, equal_flushes());
      REQUIRE(keys.decisions == sizes.decisions);
      REQUIRE(keys.result.runs == sizes.result.runs);
      REQUIRE(keys.result.totals.merges == sizes.result.totals.merges);
      REQUIRE(keys.result.totals.moves == sizes.result.totals.moves);
      const auto exact = static_cast<double>(keys.result.totals.merge_bytes_written);
      const auto additive = static_cast<double>(sizes.result.totals.merge_bytes_written);
      REQUIRE(exact <= additive);
      REQUIRE(exact >= additive * 0.998);
    }
  }
}

TEST_CASE("whole-run policies count the same bytes at resolutions flush and range") {
  for (const Spec& spec : some_policies_of_whole_runs()) {
    for (const std::string& parameters :
         {equal_flushes(),
          fmt::format("count=300,distribution=exponential,size={}", flush_bytes())}) {
      INFO(spec_text(spec) << " on " << parameters);
      const Outcome ranges = at_range(spec, parameters);
      const Outcome sizes = at_flush(spec, parameters);
      REQUIRE(ranges.decisions == sizes.decisions);
      REQUIRE(ranges.result.runs == sizes.result.runs);
      REQUIRE(ranges.result.totals.bytes_flushed == sizes.result.totals.bytes_flushed);
      REQUIRE(ranges.result.totals.flush_bytes_written == sizes.result.totals.flush_bytes_written);
      REQUIRE(ranges.result.totals.merge_bytes_written == sizes.result.totals.merge_bytes_written);
      REQUIRE(ranges.result.totals.merge_bytes_read == sizes.result.totals.merge_bytes_read);
      REQUIRE(ranges.result.totals.by_reason == sizes.result.totals.by_reason);
      REQUIRE(ranges.result.totals.by_level == sizes.result.totals.by_level);
    }
  }
}

}  // namespace
}  // namespace lsmlab::resolutions_test
