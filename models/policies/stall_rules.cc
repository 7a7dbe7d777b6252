#include "models/policies/stall_rules.h"

namespace lsmlab {

void StallRules::declare(OptionTable& table) {
  constexpr CountRange kRuns{1, 1'000'000};
  table.count("full_memtables_max", full_memtables_max, {1, 1'000}, "memtables",
              "writers wait when this many memtables are full and not yet written");
  table.count("level0_slowdown_runs", level0_slowdown_runs, kRuns, "runs",
              "writers are slowed when level 0 has this many sorted runs");
  table.count("level0_stop_runs", level0_stop_runs, kRuns, "runs",
              "writers wait when level 0 has this many sorted runs");
  table.flag("stops_only_when_full", stops_only_when_full,
             "true: the limits of level 0 stop a writer only when the memtable is full, as in "
             "LevelDB");
  constexpr CountRange kPending{0, std::uint64_t{1} << 62};
  table.bytes("pending_slowdown_bytes", pending_slowdown_bytes, kPending,
              "writers are slowed when merges still have to move this many bytes (rocksdb-leveled: "
              "its estimate; lsbm: its flushed files); 0: no limit");
  table.bytes("pending_stop_bytes", pending_stop_bytes, kPending,
              "writers wait when merges still have to move this many bytes; 0: no limit");
  table.bytes_per_second("slowdown_bytes_per_second", slowdown_bytes_per_second,
                         {1, std::uint64_t{1} << 44}, "write rate of slowed writers");
  table.flag("adapts_rate", adapts_rate,
             "true: the rate falls while the bytes that merges still have to move do not fall, "
             "and rises again afterwards, as in RocksDB");
  table.flag("merges_first", merges_first,
             "true: a write that fills the memtable waits until all merges that the policy wants "
             "are done, so that the tree keeps its shape at any write rate");
  table.flag(
      "one_merge_until_behind", one_merge_until_behind,
      "true: one merge runs at a time, as in RocksDB, until the store is behind: level 0 has "
      "twice the runs of its trigger, or has come a quarter of the way from the trigger to "
      "level0_slowdown_runs, or merges still have to move a quarter of "
      "pending_slowdown_bytes, or, with version=8.11 and newer, as much as an eighth of the "
      "deepest level (from 9.8 on at least twice level_base) under rocksdb-leveled; false: every "
      "merge thread may always work");
  table.count("slowdown_ns_per_write", slowdown_ns_per_write, {0, 60'000'000'000}, "ns",
              "time that is added to a slowed write, instead of a rate; 0: the rate applies");
}

std::vector<std::string> StallRules::validate() const {
  std::vector<std::string> faults;
  if (full_memtables_max < 1) faults.emplace_back("full_memtables_max: must be at least 1");
  if (level0_stop_runs < level0_slowdown_runs || level0_slowdown_runs < 1) {
    faults.emplace_back("level0_slowdown_runs: must be at least 1 and at most level0_stop_runs");
  }
  if (pending_stop_bytes.value() > 0 && pending_stop_bytes < pending_slowdown_bytes) {
    faults.emplace_back("pending_slowdown_bytes: must be at most pending_stop_bytes");
  }
  if (adapts_rate && slowdown_ns_per_write > 0) {
    faults.emplace_back(
        "adapts_rate: cannot be combined with slowdown_ns_per_write, which has no rate");
  }
  return faults;
}

}  // namespace lsmlab
