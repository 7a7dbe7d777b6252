#include "models/machine/durability_model.h"

namespace lsmlab {

void SyncModel::declare(OptionTable& table) {
  table.count("sync_latency_ns", latency_ns, kModelTimeRange, "ns",
              "how long a sync takes: then the written data is durable");
}

std::vector<CalibrationRow> SyncModel::calibration() {
  return {{{"sync_latency_ns"},
           "the median sync of an append of 4 KiB. It varied by a factor of forty on a file system "
           "to which other processes commit"}};
}

void TrimModel::declare(OptionTable& table) {
  table.count("trim_ns", file_ns, kModelTimeRange, "ns",
              "how long the removal of a file holds the channel, because the device is told "
              "(TRIM); 0: it is not told");
  table.count("trim_mib_ns", mib_ns, kModelTimeRange, "ns",
              "the same for each 1,048,576 bytes of the file");
}

std::vector<CalibrationRow> TrimModel::calibration() {
  return {{{"trim_ns", "trim_mib_ns"},
           "how long the removal of files of 256 KiB and of 8 MiB waits for the disk; 0 if the "
           "large ones wait less than 0.1 ms"}};
}

void WritebackModel::declare(OptionTable& table) {
  table.count(
      "writeback_ns", age_ns, {0, 3'600 * kModelNsPerSecond}, "ns",
      "age at which the system writes log bytes that were not synced, unless the log was removed");
}

std::vector<CalibrationRow> WritebackModel::calibration() { return {{{"writeback_ns"}, ""}}; }

}  // namespace lsmlab
