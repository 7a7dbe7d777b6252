// A merge policy decides and does nothing: pick() is a pure function of the tree that it is shown.
// What a policy must remember (cursors, flush counts) lives in the tree, so an engine's recovery
// needs no policy code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/policies/cost_model.h"
#include "models/policies/stall_rules.h"
#include "models/sizes/store_options.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

class StackPolicy;

/// What a policy needs to know of files.
enum class PolicyNeeds {
  kSizes,  // sizes and ages of whole sorted runs: can be simulated at flush resolution
  kKeys,   // key ranges of single files
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// The next plan, or nothing where the tree is as the policy wants it. While a flush is pending,
  /// the policy first returns a plan that takes the memtable (Flush, or an eager Merge). Pure: no
  /// clock, I/O, randomness or hidden state; equal trees give equal plans.
  [[nodiscard]] virtual std::optional<Plan> pick(const TreeView& tree) const = 0;

  /// The orderings of files that pick() reads from the tree (TreeView::order()): whoever asks the
  /// policy has its tree keep them (TreeState::keep()).
  [[nodiscard]] virtual std::vector<FileOrdering> orderings() const { return {}; }

  /// Needless seeks after which a file is to be merged (LevelDB); the executor then asks again.
  /// Nothing where the policy does not look at them.
  [[nodiscard]] virtual std::optional<std::uint64_t> seeks_max(const File& file) const {
    static_cast<void>(file);
    return std::nullopt;
  }

  /// Sorted runs that count where writers are held up for too many
  /// (models/execution/write_stall.h): those of level 0. A stack-based policy bounds its own: 0.
  [[nodiscard]] virtual std::uint64_t stalling_runs(const TreeView& tree) const;

  /// Bytes that merges have still to read and write, by the system's own estimate; 0 where it makes
  /// none.
  [[nodiscard]] virtual std::uint64_t pending_bytes(const TreeView& tree) const {
    static_cast<void>(tree);
    return 0;
  }

  /// Whether merges take only runs that are neighbours in age, so that of two runs which a lookup
  /// meets the first one has the newer versions. Where not, a lookup asks every run.
  [[nodiscard]] virtual bool keeps_age_order() const { return true; }

  [[nodiscard]] virtual PolicyNeeds needs() const { return PolicyNeeds::kSizes; }
  /// Largest number of sorted runs that may stand after a flush; nothing where unbounded.
  [[nodiscard]] virtual std::optional<std::uint64_t> depth_max() const { return std::nullopt; }
  /// The policy as a rule over a stack of sizes, where it is one.
  [[nodiscard]] virtual const StackPolicy* as_stack_policy() const { return nullptr; }
};

enum class ForeignCompaction { kLeveldb, kRocksdbLeveled, kRocksdbUniversal };

/// A policy by name: all that depends on which one it is, for the registry.
struct PolicyFamily {
  std::string name;
  std::string summary;              // one line
  std::string source;               // paper section or system
  std::vector<OptionInfo> options;  // with defaults
  /// Errors: unknown parameters, values out of range, values that do not go together.
  std::function<Result<std::shared_ptr<const Policy>>(const Parameters&, const StoreOptions&,
                                                      ResolvedOptions&)>
      create;

  /// When writers wait or are slowed: as the policy's system does it, the engine's own rules where
  /// it comes from none.
  StallRules stalls = {};
  /// Whether Policy::pending_bytes() estimates anything.
  bool estimates_pending_bytes = false;
  /// Null where no paper gives one.
  CostModel cost_model = nullptr;
  /// The compaction of another store that follows the same rules, so that it can run this policy.
  std::optional<ForeignCompaction> foreign = {};
};

/// Builds a family from an options struct that has `void declare(OptionTable&)`,
/// `std::vector<std::string> validate() const` (every fault) and, where defaults depend on other
/// options, `void resolve()` or `void resolve(const StoreOptions&)`; and a policy constructible
/// from it, or a function that makes one.
template <class Options>
PolicyFamily make_family(std::string name, std::string summary, std::string source,
                         std::function<std::shared_ptr<const Policy>(const Options&)> make) {
  PolicyFamily family;
  family.name = std::move(name);
  family.summary = std::move(summary);
  family.source = std::move(source);
  Options defaults;
  OptionTable table;
  defaults.declare(table);
  family.options = table.describe();
  family.create = [make](const Parameters& parameters, const StoreOptions& store,
                         ResolvedOptions& resolved) -> Result<std::shared_ptr<const Policy>> {
    Options options;
    OptionTable given;
    options.declare(given);
    BOOST_OUTCOME_TRYV(given.assign(parameters));
    std::string faults;
    for (const std::string& fault : options.validate()) {
      faults += (faults.empty() ? "" : "; ") + fault;
    }
    if (!faults.empty()) return input_error(std::move(faults));
    if constexpr (requires { options.resolve(); }) options.resolve();
    if constexpr (requires { options.resolve(store); }) options.resolve(store);
    resolved = given.values();
    return make(options);
  };
  return family;
}

template <class Options, class PolicyType>
PolicyFamily make_family(std::string name, std::string summary, std::string source) {
  return make_family<Options>(
      std::move(name), std::move(summary), std::move(source), [](const Options& options) {
        return std::shared_ptr<const Policy>(std::make_shared<const PolicyType>(options));
      });
}

}  // namespace lsmlab
