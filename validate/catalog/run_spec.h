// One description of a run, and its way to a result:
//
//   RunSpec -> resolve -> ResolvedRun -> simulate, replay or foreign replay -> RunResult
//
// A RunSpec is what a user asks for, on the command line or in an experiment: SPECs and choices. A
// ResolvedRun has nothing left to look up. Presets, policy files, traces and device files are
// opened here and nowhere below; validate/runs/execute_run.h takes it from there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "engine/replay/engine_replay.h"
#include "models/base/spec.h"
#include "models/execution/run_setup.h"
#include "sim/timed/simulate_timed.h"
#include "traces/workloads/flush_workload.h"
#include "traces/workloads/key_workload.h"

namespace lsmlab {

/// What a file is to the simulator: a size, or its entries.
enum class Resolution { kFlush, kKey };

struct RunSpec {
  Spec policy;
  Spec workload;
  RunOptions options = {};
  std::optional<Resolution> resolution = {};  // nothing: the workload's
  // A simulation with a clock runs on this device. With a store as the source, this is the device
  // that the store is compared with, and nothing looks it up.
  std::optional<Spec> device = {};
  Spec clients{"closed", {}};  // of a simulation with a clock
  Parameters stalls = {};  // where they differ from the policy's system (execution/write_stall.h)
  // Of lsmlab's engine (engine/replay/engine_replay.h):
  engine::Compression compression = engine::Compression::kNone;
  bool direct_io = false;
  bool verify = false;
};

struct ResolvedRun {
  RunSpec spec;  // that this was made of
  RunSetup setup;
  std::variant<KeyWorkload, FlushWorkload> workload;
  std::optional<DeviceAndClients> machine = {};  // of a simulation with a clock

  [[nodiscard]] bool is_flush_run() const {
    return std::holds_alternative<FlushWorkload>(workload);
  }
  /// Flushes or operations; 0 where a trace does not tell.
  [[nodiscard]] std::uint64_t units() const;
};

/// Resolves several runs, and looks up each name once.
class RunResolver {
 public:
  /// Errors: a SPEC that names nothing or has bad parameters; a file that cannot be read; parts
  /// that do not go together (a policy by keys on flush sizes, plans of a log where time decides, a
  /// table format that the store does not write, stall rules that the policy has no use for).
  [[nodiscard]] Result<ResolvedRun> resolve(const RunSpec& spec);

 private:
  using Workload = std::variant<KeyWorkload, FlushWorkload>;
  [[nodiscard]] Result<ConfiguredPolicy> policy_of(const Spec& spec);
  [[nodiscard]] Result<Workload> workload_of(const RunSpec& spec, const ConfiguredPolicy& policy);
  [[nodiscard]] Result<DeviceAndClients> machine_of(const RunSpec& spec);

  // By SPEC.
  std::map<std::string, ConfiguredPolicy> policies_;
  std::map<std::string, bool> are_flushes_;
  std::map<std::string, KeyWorkload> key_workloads_;
  std::map<std::string, FlushWorkload> flush_workloads_;
  std::map<std::string, ConfiguredDevice> devices_;
  std::map<std::string, ConfiguredClients> clients_;
};

/// The same for one run.
[[nodiscard]] Result<ResolvedRun> resolve(const RunSpec& spec);

/// The policy with the table format that the store writes, where the SPEC does not say one: a
/// result then says how files were laid out, and a simulation of it lays them out alike.
[[nodiscard]] Spec with_table_format(Spec policy, RunSource source);

}  // namespace lsmlab
