#include "models/machine/latency_model.h"

namespace lsmlab {

void LatencyModel::declare(OptionTable& table) {
  table.count("read_latency_ns", read_ns, kModelTimeRange, "ns", "of a read, beside its transfer");
  table.count("write_latency_ns", write_ns, kModelTimeRange, "ns",
              "of a write, beside its transfer");
  table.count("sequential_latency_ns", sequential_ns, kModelTimeRange, "ns",
              "instead of these, of a request that goes on where its stream's last one ended");
  table.flag(
      "reads_ahead", reads_ahead,
      "so does a scan's block after the first of each sorted run, as the system reads ahead; "
      "false: each is a read of its own, as around the page cache");
}

std::vector<CalibrationRow> LatencyModel::calibration() {
  return {
      {{"read_latency_ns"},
       "what the engine's lookups wait for the disk, with puts between them (lookups that follow "
       "each other find warm caches and are 9 to 11 % faster), less the transfer; where direct I/O "
       "is refused, one client's random reads of 4 KiB"},
      {{"write_latency_ns"}, "one client's random writes of 4 KiB, the mean less the transfer"},
      {{"sequential_latency_ns"},
       "a merge's wait for the disk a request (the reading of its own file's end among it), less "
       "the transfer"},
      {{"reads_ahead"},
       "false where reads go around the page cache: 4 KiB in order take as long as any there"}};
}

void ContentionModel::declare(OptionTable& table) {
  table.count(
      "request_ns", request_ns, kModelShortTimeRange, "ns",
      "for which a request beside others holds the channel at least, shared by those being served");
  table.count("seek_ns", seek_ns, kModelTimeRange, "ns",
              "more, of a request that does not go on where the device's last one ended");
  table.count("busy_latency_ns", busy_latency_ns, kModelShortTimeRange, "ns",
              "more of a request for each other that is being served when it begins");
  table.count("other_size_latency_ns", other_size_latency_ns, kModelShortTimeRange, "ns",
              "more of a request for each of these that is large where it is small, or small where "
              "it is large");
  table.decimal(
      "sharing_slowdown", sharing_slowdown, "0", "10",
      "share by which large requests' transfers take longer while they share the channel");
  table.decimal("busy_cores_slowdown", busy_cores_slowdown, "0", "10",
                "share by which a flush's, merge's or lookup's request takes longer while all "
                "other cores work");
}

std::vector<CalibrationRow> ContentionModel::calibration() {
  return {
      {{"request_ns"},
       "how much longer a large request takes for each small read of another client beside it, "
       "beyond `busy_latency_ns`, doubled, as two share the channel"},
      {{"seek_ns"},
       "what two streams in turn take longer than one, where that is a millisecond or more"},
      {{"busy_latency_ns"}, "what two clients' small reads take longer than one's"},
      {{"other_size_latency_ns"},
       "so that a simulated merge and simulated lookups slow each other's waits for the disk by as "
       "much as measured"},
      {{"sharing_slowdown"},
       "what fits best, with equal weight, two clients' rates and the waits of two merges at once "
       "over those of one"},
      {{"busy_cores_slowdown"}, "what a merge waits longer while every other core puts"}};
}

}  // namespace lsmlab
