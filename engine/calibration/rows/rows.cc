#include "engine/calibration/rows/rows.h"

namespace lsmlab::engine {

std::string_view disk_work_name(DiskWork work) {
  switch (work) {
    case DiskWork::kSequentialRead:
      return "sequential read";
    case DiskWork::kRandomRead:
      return "random read";
    case DiskWork::kTwoStreamRead:
      return "read of 2 streams";
    case DiskWork::kSequentialWrite:
      return "sequential write";
    case DiskWork::kRandomWrite:
      return "random write";
    case DiskWork::kMixed25:
      return "reads and appends, 25 %";
    case DiskWork::kMixed50:
      return "reads and appends, 50 %";
    case DiskWork::kMixed75:
      return "reads and appends, 75 %";
    case DiskWork::kMixedBeside:
      return "50 %, beside reads";
    case DiskWork::kAppend:
      return "append";
    case DiskWork::kSync:
      break;
  }
  return "sync of an append";
}

namespace {

std::string_view background_work_name(CpuWork work) {
  switch (work) {
    case CpuWork::kFlush:
      return "flush, an entry, beside puts elsewhere";
    case CpuWork::kFlushWide:
      return "flush, an entry with a value of 1 KiB, beside puts elsewhere";
    case CpuWork::kMergeSmall:
      return "merge, an entry with a value of 16 B";
    case CpuWork::kMergeSmallMany:
      return "merge, value of 16 B, 16 sorted runs instead of 4";
    case CpuWork::kMergeLargeMany:
      return "merge, value of 1 KiB, 16 sorted runs instead of 4";
    case CpuWork::kMergeBeside:
      return "merge, value of 1 KiB, beside puts elsewhere";
    case CpuWork::kMergeGets:
      return "merge, value of 1 KiB, beside lookups on the disk";
    case CpuWork::kMergeMerge:
      return "merge, value of 1 KiB, beside another merge";
    case CpuWork::kMergeStore:
      return "merge, value of 1 KiB, beside another store's client and flushes";
    default:
      return "merge, an entry with a value of 1 KiB";
  }
}

std::string_view scan_work_name(CpuWork work) {
  switch (work) {
    case CpuWork::kShortScan:
      return "short scan, several sorted runs";
    case CpuWork::kWideScan:
      return "long scan, value of 1 KiB, several sorted runs";
    default:
      return "long scan, several sorted runs";
  }
}

}  // namespace

std::string_view cpu_work_name(CpuWork work) {
  switch (work) {
    case CpuWork::kClientSmall:
      return "client of a put, value of 16 B";
    case CpuWork::kClientLarge:
      return "client of a put, value of 1 KiB";
    case CpuWork::kPut:
      return "put";
    case CpuWork::kPutSmall:
      return "put, memtable half as large";
    case CpuWork::kPutLarge:
      return "put, memtable 8 times as large";
    case CpuWork::kPutWide:
      return "put, value of 1 KiB";
    case CpuWork::kLogWrite:
      return "64 KiB of a log, given to the system";
    case CpuWork::kFile:
      return "file made, written, closed, removed";
    case CpuWork::kLargeRequest:
      return "256 KiB read or appended";
    case CpuWork::kRemoveSmall:
      return "file of 256 KiB removed";
    case CpuWork::kRemoveLarge:
      return "file of 8 MiB removed";
    case CpuWork::kSleep:
      return "sleep of 1 ms, beyond it";
    case CpuWork::kGetDisk:
      return "lookup of a key on the disk";
    case CpuWork::kGetBetween:
      return "lookup of a key on the disk, puts between";
    case CpuWork::kPutCold:
      return "put after a lookup on the disk";
    case CpuWork::kGetBeside:
      return "lookup of a key on the disk, beside a merge";
    case CpuWork::kPutStore:
      return "put, value of 1 KiB, beside its store's flushes and another one's merge";
    case CpuWork::kLogBeside:
      return "64 KiB of a log, beside flushes and merges";
    case CpuWork::kPutUngathered:
      return "put, each log record written at once";
    case CpuWork::kGetMemtable:
      return "lookup of an absent key, no SSTable";
    case CpuWork::kGetAbsent:
      return "lookup of an absent key, several sorted runs";
    case CpuWork::kGetPresent:
      return "lookup of a key, several sorted runs";
    case CpuWork::kGetPresentOne:
      return "lookup of a key, one sorted run";
    case CpuWork::kShortScan:
    case CpuWork::kLongScan:
    case CpuWork::kWideScan:
      return scan_work_name(work);
    case CpuWork::kPutBeside:
      return "put and client, beside flushes and merges";
    case CpuWork::kSlowPutBeside:
      return "put, 99th percentile beyond the median, beside flushes and merges";
    case CpuWork::kFlush:
    case CpuWork::kFlushWide:
    case CpuWork::kMergeSmall:
    case CpuWork::kMergeSmallMany:
    case CpuWork::kMergeLarge:
    case CpuWork::kMergeLargeMany:
    case CpuWork::kMergeBeside:
    case CpuWork::kMergeGets:
    case CpuWork::kMergeMerge:
    case CpuWork::kMergeStore:
      break;
  }
  return background_work_name(work);
}

}  // namespace lsmlab::engine
