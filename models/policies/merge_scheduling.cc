#include "models/policies/merge_scheduling.h"

namespace lsmlab {

void MergeScheduling::declare(OptionTable& table) {
  constexpr CountRange kRate{1'000, std::uint64_t{1} << 44};
  table.bytes_per_second("bandwidth", bandwidth, kRate,
                         "what clients, flushes and merges may transfer together; merges that do "
                         "not begin in level 0 get what clients leave of it, after flushes and "
                         "merges of level 0");
  table.bytes_per_second("bandwidth_min", bandwidth_min, kRate, "such merges get at least so much");
  table.bytes_per_second("bandwidth_step", bandwidth_step, kRate,
                         "their rate changes only if it changes by so much or more");
  table.bytes_per_second("pause_above", pause_above, kRate,
                         "such merges pause while clients transfer more than this");
  table.count("bandwidth_check_interval", interval_us, {100, 60'000'000}, "us",
              "how often what clients transfer is measured (SILK_bandwidth_check_interval)");
  table.flag("dynamic_compaction_rate", limits_rate,
             "false: such merges pause, but their rate has no limit");
  table.flag(
      "plus", separates_requests,
      "true: SILK+, which separates requests: with a simulated clock and open clients, "
      "each of small puts, large puts, lookups and scans always finds an eighth of the clients");
  table.bytes("large_request", large_request, {1, std::uint64_t{1} << 40},
              "with plus: a put of so many bytes of key and value is a large one");
}

std::vector<std::string> MergeScheduling::validate() const {
  std::vector<std::string> faults;
  if (bandwidth_min > bandwidth) faults.emplace_back("bandwidth_min: must be at most bandwidth");
  if (bandwidth_step > bandwidth) faults.emplace_back("bandwidth_step: must be at most bandwidth");
  return faults;
}

}  // namespace lsmlab
