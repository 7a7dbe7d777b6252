// What a calibration measures, all of it: measuring fills it, and solving finds the model that
// gives it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/calibration/rows/cpu_rows.h"
#include "engine/calibration/rows/disk_rows.h"

namespace lsmlab::engine {

inline constexpr double kNsPerSecond = 1e9;
inline constexpr double kKib = 1024;

/// How the machine paused while threads worked on all cores: first alone, then concurrent with one
/// thread that reads and writes 256 KiB at a time, then the same with one core left idle. On a
/// machine with one core the last part is empty; through the page cache both parts of the disk are.
struct QuotaFigures {
  struct Part {
    std::uint64_t stops = 0;
    double stopped_share = 0;   // of the time
    double period_seconds = 0;  // from the end of a stop to the end of the next one
    // Share of the time in which a request was in service, without its processor time, which is
    // the second.
    double disk_share = 0;
    double disk_cpu_share = 0;
  };
  Part cores;
  Part cores_and_disk;
  Part idle_and_disk;
};

/// How requests went to the disk.
enum class DiskAccess {
  kDirect,
  kBuffered,
  kBufferedForWant,  // the file system refuses direct I/O
};

struct Measurements {
  DiskAccess access = DiskAccess::kDirect;
  std::vector<DiskRow> disk;
  DiskPauses pauses;
  QuotaFigures quota;
  std::vector<CpuRow> cpu;  // in the order of CpuWork
};

}  // namespace lsmlab::engine
