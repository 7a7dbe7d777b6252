// Workloads of operations: a sequence of phases. Each phase has a number of operations, a mix of
// actions, and distributions of keys and sizes. The same workload and seed give the same operations
// on any machine and with any compiler.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/part_mark.h"
#include "models/base/spec.h"
#include "models/base/stated_time.h"
#include "traces/workloads/key_distribution.h"
#include "traces/workloads/operation.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab {

/// The actions of a client. An insert puts a new key, an update puts an existing key. A
/// read-modify-write gets an existing key and then puts it.
enum class Action : std::uint8_t {
  kInsert,
  kUpdate,
  kDelete,
  kGetPresent,
  kGetAbsent,
  kScan,
  kReadModifyWrite,
};
inline constexpr std::size_t kActions = 7;
/// The names in JSON: "insert", "update", ...
[[nodiscard]] const std::array<std::string, kActions>& action_names();

/// A number or weight for each action.
template <class T>
struct PerAction {
  std::array<T, kActions> values{};
  T& operator[](Action action) { return values[static_cast<std::size_t>(action)]; }
  const T& operator[](Action action) const { return values[static_cast<std::size_t>(action)]; }
};
using ActionCounts = PerAction<std::uint64_t>;

/// Which keys lookups of absent keys use. domain: uniform over the whole domain, or, if keys grow
/// in order, over the range inserted so far. neighbour: the number after an existing key that the
/// phase's lookup distribution draws.
enum class AbsentKeys { kDomain, kNeighbour };

inline constexpr CountRange kKeyBytesRange{1, 65'535};
inline constexpr CountRange kValueBytesRange{0, 4'294'967'295};
inline constexpr CountRange kScanEntriesRange{1, 4'294'967'295};
inline constexpr std::uint64_t kActionsMax = std::uint64_t{1} << 48;

struct Phase {
  ActionCounts actions;  // exact; drawn in random order without replacement
  InsertKeys insert_keys;
  AccessKeys update_keys;  // for updates and read-modify-writes
  AccessKeys delete_keys;
  AccessKeys lookup_keys;  // for gets, and for the first key of scans
  AbsentKeys absent_keys = AbsentKeys::kDomain;
  SizeDistribution value_bytes = SizeDistribution::constant(112);
  // A phase with scans has exactly one of these two.
  std::optional<SizeDistribution> scan_entries;
  // share of the domain, or of the inserted range if keys grow in order
  std::optional<Decimal> scan_selectivity;
  PartEnd then = PartEnd::kNothing;
};

struct OperationWorkload {
  std::string name;
  SizeDistribution key_bytes = SizeDistribution::constant(16);  // a key keeps its size
  std::vector<Phase> phases;
  ResolvedOptions options;  // the resolved values, for results
  // The keys stand for dense numbers below this, so neighbours share more bytes than the ids of
  // open() do. Resolution `range` takes that into account.
  std::optional<std::uint64_t> key_numbers = {};
  std::optional<OperationRate> rate = {};  // how many operations a second it stands for

  /// Returns every fault; each names the phase (from 0) and the member. Empty if the workload can
  /// be opened.
  [[nodiscard]] std::vector<std::string> validate() const;
  /// The number of operations that open() returns: a read-modify-write is two operations.
  [[nodiscard]] std::uint64_t operation_count() const;
  [[nodiscard]] std::uint64_t insert_count() const;
  /// Where each phase ends, and what is then asked of the store. Its name says what it does: "load"
  /// (inserts only), "read" or "mix".
  [[nodiscard]] std::vector<PartMark> parts() const;
  /// Multiplies the keys and operations of every phase, and the keys of each class. Errors: too
  /// many operations.
  [[nodiscard]] Result<void> scale(std::uint64_t factor, std::uint64_t divisor = 1);
  /// A source that starts at the first operation. REQUIRES: validate() found no fault.
  [[nodiscard]] std::unique_ptr<OperationSource> open(std::uint64_t seed) const;
};

/// Divides `operations` among the actions by weight. The results are whole numbers with the exact
/// total, each within one of its share. If `updates_per_insert` is given, the weight of updates is
/// the weight of inserts times it. Errors: all weights are 0; updates have both a weight and a
/// ratio; a weight or the ratio is above 10^6; too many operations.
[[nodiscard]] Result<ActionCounts> divide_actions(std::uint64_t operations,
                                                  const PerAction<Decimal>& weights,
                                                  const std::optional<Decimal>& updates_per_insert);

/// The members of a phase and their values, each under prefix + name, for results.
[[nodiscard]] ResolvedOptions describe_phase(const std::string& prefix, const Phase& phase);

struct OperationPreset {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
};
/// All presets: load, those of YCSB, and those of the papers.
[[nodiscard]] std::vector<OperationPreset> operation_presets();
/// Errors: an unknown name (with the nearest valid one); unknown or bad parameters (all are named).
[[nodiscard]] Result<OperationWorkload> make_operation_workload(const Spec& spec);

}  // namespace lsmlab
