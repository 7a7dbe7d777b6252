// The description of a run, and its path to a result:
//
//   RunSpec -> resolve -> ResolvedRun -> simulate, replay or foreign replay -> RunResult
//
// A RunSpec is what a user asks for, on the command line or in an experiment: SPECs and choices. A
// ResolvedRun needs no more look-ups. Presets, policy files, traces and device files are opened
// only here. validate/runs/execute_run.h executes a ResolvedRun.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/base/spec.h"
#include "models/execution/run_setup.h"
#include "sim/timed/simulate_timed.h"
#include "traces/workloads/flush_workload.h"
#include "traces/workloads/key_workload.h"
#include "validate/catalog/policy_workload.h"
#include "validate/catalog/run_scale.h"

namespace lsmlab {

/// What the simulator knows of a file: its size, its entries, or the density of its entries.
enum class Resolution { kFlush, kKey, kRange };

struct RunSpec {
  Spec policy;
  Spec workload;
  RunOptions options = {};
  // Empty: flush where sizes suffice; key where the keys fit a third of the memory; otherwise
  // range.
  std::optional<Resolution> resolution = {};
  std::optional<std::uint64_t> cells = {};  // resolution range only: RunOptions::range_cells
  std::optional<Spec> device = {};  // of a simulation with a clock only; other runs have none
  // Of a simulation with a clock, or of a replay on lsmlab's engine in threaded mode. No name: as
  // the db_bench line says whose policy runs, otherwise closed. Likewise, 0 of
  // options.merge_threads: as that line says, otherwise 1.
  Spec clients{"closed", {}};
  bool has_clients_of_parts = false;   // each part of the workload has its own number of clients
  std::string measure_from = {};       // run_parts(); empty: the phases of the workload
  std::optional<RunScale> scale = {};  // of policy, workload and stall rules together
  Parameters stalls = {};  // changes to the rules of the policy's system (execution/write_stall.h)
};

struct ResolvedRun {
  RunSpec spec;  // the description that was resolved; a simulation's has its resolution
  RunSetup setup;
  std::variant<KeyWorkload, FlushWorkload> workload;
  std::vector<std::string> input_files = {};    // the paths of all files that the SPECs read
  ConfiguredClients clients = {};               // of a run with a clock
  std::optional<ConfiguredDevice> device = {};  // set for a simulation with a clock

  [[nodiscard]] bool is_flush_run() const {
    return std::holds_alternative<FlushWorkload>(workload);
  }
  /// Number of flushes or operations; 0 if a trace does not state it.
  [[nodiscard]] std::uint64_t units() const;
};

/// The machine's main memory.
[[nodiscard]] Bytes machine_memory();
/// What a simulation at resolution key takes in memory for the workload's keys, about; nothing if
/// it cannot be known before the run.
[[nodiscard]] std::optional<Bytes> memory_for_keys(const KeyWorkload& workload);

/// Resolves several runs and looks up each name only once.
class RunResolver {
 public:
  explicit RunResolver(Bytes memory = machine_memory()) : memory_(memory) {}

  /// Errors: a SPEC that names nothing or has bad parameters; a file that cannot be read; a
  /// combination that cannot run (a policy by keys at resolution flush, forced plans in a run with
  /// a clock, a clock for flush sizes, cells at another resolution than range, a table format that
  /// the store does not write, stall rules that the policy does not use).
  [[nodiscard]] Result<ResolvedRun> resolve(const RunSpec& spec);

 private:
  using Workload = std::variant<KeyWorkload, FlushWorkload>;
  [[nodiscard]] Result<ConfiguredPolicy> policy_of(const Spec& spec, const Spec& named_workload,
                                                   const PolicyWorkload& workload);
  /// The policy, scaled as the run is.
  [[nodiscard]] Result<ConfiguredPolicy> scaled_policy_of(const RunSpec& spec, const Spec& named,
                                                          const PolicyWorkload& workload);
  [[nodiscard]] Result<Workload> workload_of(const RunSpec& spec);
  [[nodiscard]] Resolution resolution_for(const ResolvedRun& run) const;
  /// Finds what the codecs leave of the workload's blocks, where the policy does not state it.
  [[nodiscard]] Result<CodecShares> sampled_shares(const RunSpec& spec, const KeyWorkload& workload,
                                                   const StoreOptions& store);
  /// Gives a policy those shares. `named`, `known`: as it was made.
  [[nodiscard]] Result<void> set_compression(const RunSpec& spec, const Spec& named,
                                             PolicyWorkload known, const KeyWorkload& workload,
                                             ConfiguredPolicy& policy);

  Bytes memory_;  // of the machine
  // Caches, by the SPEC's text.
  std::map<std::string, std::map<std::string, ConfiguredPolicy>>
      policies_;  // by PolicyWorkload::identity()
  std::map<std::string, bool> are_flushes_;
  std::map<std::string, KeyWorkload> key_workloads_;
  std::map<std::string, FlushWorkload> flush_workloads_;
  std::map<std::string, ConfiguredDevice> devices_;
  std::map<std::string, ConfiguredClients> clients_;
  std::map<std::string, CodecShares> shares_;
};

/// Resolves one run.
[[nodiscard]] Result<ResolvedRun> resolve(const RunSpec& spec);

/// The run with the plans of a log forced on its policy, which is ready. Errors: the log cannot be
/// read, or the policy cannot follow it. REQUIRES: nothing of the run has a clock.
[[nodiscard]] Result<ResolvedRun> with_forced_plans(ResolvedRun run, const std::string& log);

}  // namespace lsmlab
