// Rows of the processor: the work of a store, and what stores at work wait for.
//
// A kind of work is declared once: an enumerator and its row of kCpuWorks. Measuring fills a row
// (engine/calibration/measure/), solving reads it (engine/calibration/solve/).
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "engine/calibration/rows/disk_rows.h"
#include "models/base/units.h"

namespace lsmlab::engine {

// The store that rows of the processor are measured with.
inline constexpr std::uint32_t kCalibrateKeyBytes = 16;
inline constexpr std::uint32_t kCalibrateValueBytes = 112;
inline constexpr std::uint32_t kCalibrateLargeValueBytes = 1024;
inline constexpr Bytes kCalibrateBuffer{8 << 20};   // StoreOptions' default
inline constexpr unsigned kCalibrateRuns = 4;       // sorted runs of a merge
inline constexpr unsigned kCalibrateManyRuns = 16;  // of a merge of many

enum class CpuWork {
  kClientSmall,    // what a replay does for a put besides the put, with a value of 16 bytes
  kClientLarge,    // the same with a value of 1 KiB
  kPut,            // into a memtable of 8 MiB, its log gathered and not synced
  kPutSmall,       // into a memtable of half that size
  kPutLarge,       // into a memtable of eight times that size
  kPutWide,        // with a value of 1 KiB
  kLogWrite,       // 64 KiB of a log, handed to the system
  kPutUngathered,  // into 8 MiB, each log record written by a call of its own
  kGetMemtable,    // an absent key, with a memtable half full and no SSTable
  kGetAbsent,      // an absent key, with such a memtable and several sorted runs
  kGetPresent,     // a key of one of several sorted runs
  kGetPresentOne,  // a key of the only sorted run
  kShortScan,
  kLongScan,
  kWideScan,        // kLongScan of entries with values of 1 KiB, which are in many more blocks
  kFlush,           // while every other core puts into a store of its own
  kFlushWide,       // the same of entries with values of 1 KiB
  kMergeSmall,      // of entries with values of 16 bytes
  kMergeLarge,      // of entries with values of 1 KiB
  kMergeSmallMany,  // kMergeSmall of as many bytes in kCalibrateManyRuns sorted runs
  kMergeLargeMany,  // kMergeLarge likewise
  kMergeBeside,     // kMergeLarge while every other core puts into a store of its own
  kMergeGets,       // kMergeLarge concurrent with kGetBeside
  kMergeMerge,      // two of kMergeLarge at once, in stores of their own
  kMergeStore,      // kMergeLarge concurrent with a store's client and flushes, and with puts on
                    // all other cores
  kPutStore,        // a put of that client: all that its thread does
  kFile,            // a file made, written, closed and removed
  kLargeRequest,    // 256 KiB of a file read or appended: what the system does for it
  kRemoveSmall,     // a file of 256 KiB removed: its blocks are given back to the disk
  kRemoveLarge,     // a file of 8 MiB removed
  kSleep,           // what a sleep of a millisecond takes longer
  kGetDisk,         // a key of one of several sorted runs, its block from the disk
  kGetBetween,      // kGetDisk with puts between
  kPutCold,         // a put after kGetDisk
  kGetBeside,       // kGetDisk while another store merges
  kLogBeside,       // kLogWrite while the store flushes and merges on its threads
  kPutBeside,       // a replay's put, all of it, while the store flushes and merges on its threads
  kSlowPutBeside,   // 99th percentile of such a put, beyond its median
};

/// Which figure of a row's rounds counts. Slow puts and flushes are the store's own, so their mean
/// counts. What waits for the disk meets its pauses, which the model has apart; and a merge's mean
/// is higher than that of merges in a store at work.
enum class RoundsFigure { kMedian, kMean };

struct CpuWorkInfo {
  CpuWork work;
  std::string_view name;
  RoundsFigure figure = RoundsFigure::kMedian;
  /// The work that it is measured in turn with: its rounds are ratios to that one, because disk
  /// and processor drift too far for figures of different turns.
  std::optional<CpuWork> in_turn_with = {};
};

inline constexpr std::array kCpuWorks{
    CpuWorkInfo{CpuWork::kClientSmall, "client of a put, value of 16 B", RoundsFigure::kMean},
    CpuWorkInfo{CpuWork::kClientLarge, "client of a put, value of 1 KiB", RoundsFigure::kMean},
    CpuWorkInfo{CpuWork::kPut, "put", RoundsFigure::kMean},
    CpuWorkInfo{CpuWork::kPutSmall, "put, memtable half as large"},
    CpuWorkInfo{CpuWork::kPutLarge, "put, memtable 8 times as large"},
    CpuWorkInfo{CpuWork::kPutWide, "put, value of 1 KiB", RoundsFigure::kMean},
    CpuWorkInfo{CpuWork::kLogWrite, "64 KiB of a log, given to the system"},
    CpuWorkInfo{CpuWork::kPutUngathered, "put, each log record written at once"},
    CpuWorkInfo{CpuWork::kGetMemtable, "lookup of an absent key, no SSTable"},
    CpuWorkInfo{CpuWork::kGetAbsent, "lookup of an absent key, several sorted runs"},
    CpuWorkInfo{CpuWork::kGetPresent, "lookup of a key, several sorted runs"},
    CpuWorkInfo{CpuWork::kGetPresentOne, "lookup of a key, one sorted run"},
    CpuWorkInfo{CpuWork::kShortScan, "short scan, several sorted runs"},
    CpuWorkInfo{CpuWork::kLongScan, "long scan, several sorted runs"},
    CpuWorkInfo{CpuWork::kWideScan, "long scan, value of 1 KiB, several sorted runs"},
    CpuWorkInfo{CpuWork::kFlush, "flush, an entry, beside puts elsewhere", RoundsFigure::kMean},
    CpuWorkInfo{CpuWork::kFlushWide, "flush, an entry with a value of 1 KiB, beside puts elsewhere",
                RoundsFigure::kMean},
    CpuWorkInfo{CpuWork::kMergeSmall, "merge, an entry with a value of 16 B"},
    CpuWorkInfo{CpuWork::kMergeLarge, "merge, an entry with a value of 1 KiB"},
    CpuWorkInfo{CpuWork::kMergeSmallMany, "merge, value of 16 B, 16 sorted runs instead of 4",
                RoundsFigure::kMedian, CpuWork::kMergeSmall},
    CpuWorkInfo{CpuWork::kMergeLargeMany, "merge, value of 1 KiB, 16 sorted runs instead of 4",
                RoundsFigure::kMedian, CpuWork::kMergeLarge},
    CpuWorkInfo{CpuWork::kMergeBeside, "merge, value of 1 KiB, beside puts elsewhere",
                RoundsFigure::kMedian, CpuWork::kMergeLarge},
    CpuWorkInfo{CpuWork::kMergeGets, "merge, value of 1 KiB, beside lookups on the disk",
                RoundsFigure::kMedian, CpuWork::kMergeLarge},
    CpuWorkInfo{CpuWork::kMergeMerge, "merge, value of 1 KiB, beside another merge",
                RoundsFigure::kMedian, CpuWork::kMergeLarge},
    CpuWorkInfo{CpuWork::kMergeStore,
                "merge, value of 1 KiB, beside another store's client and flushes",
                RoundsFigure::kMedian, CpuWork::kMergeLarge},
    CpuWorkInfo{CpuWork::kPutStore,
                "put, value of 1 KiB, beside its store's flushes and another one's merge"},
    CpuWorkInfo{CpuWork::kFile, "file made, written, closed, removed"},
    CpuWorkInfo{CpuWork::kLargeRequest, "256 KiB read or appended"},
    CpuWorkInfo{CpuWork::kRemoveSmall, "file of 256 KiB removed"},
    CpuWorkInfo{CpuWork::kRemoveLarge, "file of 8 MiB removed"},
    CpuWorkInfo{CpuWork::kSleep, "sleep of 1 ms, beyond it"},
    CpuWorkInfo{CpuWork::kGetDisk, "lookup of a key on the disk"},
    CpuWorkInfo{CpuWork::kGetBetween, "lookup of a key on the disk, puts between"},
    CpuWorkInfo{CpuWork::kPutCold, "put after a lookup on the disk"},
    CpuWorkInfo{CpuWork::kGetBeside, "lookup of a key on the disk, beside a merge",
                RoundsFigure::kMedian, CpuWork::kGetDisk},
    CpuWorkInfo{CpuWork::kLogBeside, "64 KiB of a log, beside flushes and merges"},
    CpuWorkInfo{CpuWork::kPutBeside, "put and client, beside flushes and merges",
                RoundsFigure::kMedian, CpuWork::kPut},
    CpuWorkInfo{CpuWork::kSlowPutBeside,
                "put, 99th percentile beyond the median, beside flushes and merges"},
};
static_assert(are_in_order(kCpuWorks, CpuWork::kSlowPutBeside));

[[nodiscard]] constexpr const CpuWorkInfo& info_of(CpuWork work) {
  return kCpuWorks.at(static_cast<std::size_t>(work));
}
/// "put", "lookup of an absent key, several sorted runs".
[[nodiscard]] constexpr std::string_view cpu_work_name(CpuWork work) { return info_of(work).name; }

/// Figures of one put, lookup or scan, or of one entry of a flush or merge. Counts are means.
struct CpuRow {
  CpuWork work = CpuWork::kPut;
  double nanoseconds = 0;  // of the processor: median of the rounds, or mean (RoundsFigure)
  double spread = 0;       // of the rounds: (largest - smallest) / median
  double entries = 0;      // that a scan shows
  double tables = 0;       // that a lookup asks or a scan reads
  double blocks = 0;       // that a lookup or scan searches
  // KiB of a put, of a client's value, of a piece of the log, of what a flush writes or a merge
  // reads.
  double kib = 0;
  // Puts after a lookup: how much longer than the put after them the median one takes.
  double slow_ns = 0;
  // Puts beside flushes and merges: the share of the time for which the other cores worked.
  double others_busy = 0;
  // Lookups on the disk, merges and removed files: elapsed time, waits for the disk included.
  double wall_ns = 0;
  // Merges, and lookups on the disk beside one: time that their threads waited for a core. 0 where
  // the system does not tell.
  double core_wait_ns = 0;
  // A merge beside lookups on the disk: the share of these lookups at which both threads were last
  // on the same core. 0 where the system does not tell.
  double one_core = 0;
};

}  // namespace lsmlab::engine
