#include "models/policies/stall_rules.h"

namespace lsmlab {

void StallRules::declare(OptionTable& table) {
  constexpr CountRange kRuns{1, 1'000'000};
  table.count("full_memtables_max", full_memtables_max, {1, 1'000}, "memtables",
              "full and not yet written, with which writers wait");
  table.count("level0_slowdown_runs", level0_slowdown_runs, kRuns, "runs",
              "in level 0 from which on writers are slowed down");
  table.count("level0_stop_runs", level0_stop_runs, kRuns, "runs",
              "in level 0 with which writers wait");
  table.flag("stops_only_when_full", stops_only_when_full,
             "level 0 stops writers only once their memtable is full, as in LevelDB");
  constexpr CountRange kPending{0, std::uint64_t{1} << 62};
  table.bytes("pending_slowdown_bytes", pending_slowdown_bytes, kPending,
              "that merges have still to move, by the estimate of rocksdb-leveled, from which on "
              "writers are slowed down; 0: no limit");
  table.bytes("pending_stop_bytes", pending_stop_bytes, kPending,
              "the same, with which writers wait; 0: no limit");
  table.bytes("slowdown_bytes_per_second", slowdown_bytes_per_second, {1, std::uint64_t{1} << 44},
              "what writers are slowed down to");
  table.flag("adapts_rate", adapts_rate,
             "that rate falls as long as more is left to merge, and rises again, as RocksDB's");
  table.flag("merges_first", merges_first,
             "a write that fills the memtable waits until all merges are done that the policy "
             "wants, so that the tree keeps its shape");
  table.count("slowdown_ns_per_write", slowdown_ns_per_write, {0, 60'000'000'000}, "ns",
              "instead of a rate, what a slowed write takes longer; 0: the rate");
}

std::vector<std::string> StallRules::validate() const {
  std::vector<std::string> faults;
  if (full_memtables_max < 1) faults.emplace_back("full_memtables_max: at least 1");
  if (level0_stop_runs < level0_slowdown_runs || level0_slowdown_runs < 1) {
    faults.emplace_back("level0_slowdown_runs: at least 1, and not above level0_stop_runs");
  }
  if (pending_stop_bytes.value() > 0 && pending_stop_bytes < pending_slowdown_bytes) {
    faults.emplace_back("pending_slowdown_bytes: not above pending_stop_bytes");
  }
  if (adapts_rate && slowdown_ns_per_write > 0) {
    faults.emplace_back("adapts_rate: not beside slowdown_ns_per_write, which keeps no rate");
  }
  return faults;
}

}  // namespace lsmlab
