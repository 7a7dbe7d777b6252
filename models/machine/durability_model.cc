#include "models/machine/durability_model.h"

namespace lsmlab {

void SyncModel::declare(OptionTable& table) {
  table.count("sync_latency_ns", latency_ns, kModelTimeRange, "ns",
              "until written data is durable");
}

std::vector<CalibrationRow> SyncModel::calibration() {
  return {{{"sync_latency_ns"},
           "the median sync of an append of 4 KiB; on a file system that others commit to it has "
           "varied by a factor of forty"}};
}

void TrimModel::declare(OptionTable& table) {
  table.count("trim_ns", file_ns, kModelTimeRange, "ns",
              "for which a file that is removed holds the device, as it is told (TRIM); 0: not");
  table.count("trim_mib_ns", mib_ns, kModelTimeRange, "ns", "for 1,048,576 bytes of that file");
}

std::vector<CalibrationRow> TrimModel::calibration() {
  return {{{"trim_ns", "trim_mib_ns"},
           "what the removal of files of 256 KiB and 8 MiB waits for; 0 where the large ones wait "
           "less than 0.1 ms"}};
}

void WritebackModel::declare(OptionTable& table) {
  table.count("writeback_ns", age_ns, {0, 3'600 * kModelNsPerSecond}, "ns",
              "age at which logs that are not synced reach the device, unless they are gone");
}

std::vector<CalibrationRow> WritebackModel::calibration() { return {{{"writeback_ns"}, ""}}; }

}  // namespace lsmlab
