#include "models/machine/latency_model.h"

namespace lsmlab {

void LatencyModel::declare(OptionTable& table) {
  table.count("read_latency_ns", read_ns, kModelTimeRange, "ns",
              "latency of a read, added to its transfer");
  table.count("write_latency_ns", write_ns, kModelTimeRange, "ns",
              "latency of a write, added to its transfer");
  table.count("sequential_latency_ns", sequential_ns, kModelTimeRange, "ns",
              "latency, instead of these two, of a request that continues where its stream's last "
              "one ended");
  table.flag("reads_ahead", reads_ahead,
             "true: a scan's further blocks in a sorted run have sequential_latency_ns, because "
             "the system reads ahead; false: each has read_latency_ns, as with direct I/O");
}

std::vector<CalibrationRow> LatencyModel::calibration() {
  return {
      {{"read_latency_ns"},
       "how long the engine's lookups wait for the disk, minus the transfer. Puts run between the "
       "lookups: without them caches stay warm, and lookups are 9 to 11 % faster. Where the file "
       "system refuses direct I/O: one client's random reads of 4 KiB"},
      {{"write_latency_ns"}, "one client's random writes of 4 KiB: their mean minus the transfer"},
      {{"sequential_latency_ns"},
       "how long a merge waits for the disk per request, minus the transfer; the read of its own "
       "file's end counts as well"},
      {{"reads_ahead"},
       "false with direct I/O: there, sequential reads of 4 KiB take as long as random ones"}};
}

void ContentionModel::declare(OptionTable& table) {
  table.count("request_ns", request_ns, kModelShortTimeRange, "ns",
              "least time for which a request holds the channel while others are in service, "
              "divided by the number of requests in service");
  table.count(
      "seek_ns", seek_ns, kModelTimeRange, "ns",
      "further latency of a request that does not continue where the device's last one ended");
  table.count("busy_latency_ns", busy_latency_ns, kModelShortTimeRange, "ns",
              "further latency for each other request in service when a request begins");
  table.count("other_size_latency_ns", other_size_latency_ns, kModelShortTimeRange, "ns",
              "further latency for each of these that is large if this one is small, or small if "
              "it is large (large: at least half of request_bytes)");
  table.decimal(
      "sharing_slowdown", sharing_slowdown, "0", "10",
      "share by which transfers of large requests take longer while these share the channel");
  table.decimal("busy_cores_slowdown", busy_cores_slowdown, "0", "10",
                "share by which a request of a flush, merge or lookup takes longer while all other "
                "cores work");
}

std::vector<CalibrationRow> ContentionModel::calibration() {
  return {
      {{"request_ns"},
       "how much longer a large request takes for each concurrent small read of another client, "
       "beyond `busy_latency_ns`; doubled, because two requests share the channel"},
      {{"seek_ns"},
       "how much longer reads of two streams in turn take than reads of one; 0 below a "
       "millisecond"},
      {{"busy_latency_ns"}, "how much longer small reads of two clients take than those of one"},
      {{"other_size_latency_ns"},
       "the value with which a simulated merge and concurrent simulated lookups lengthen each "
       "other's waits for the disk by the measured factors"},
      {{"sharing_slowdown"},
       "the value that fits two things best, with equal weight: the rates of two clients, and how "
       "many times as long two concurrent merges wait as one"},
      {{"busy_cores_slowdown"}, "how much longer a merge waits while every other core puts"}};
}

}  // namespace lsmlab
