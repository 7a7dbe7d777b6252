// Rows of the disk: clients in a closed loop, each with its next request when the last one is done.
//
// A kind of work is declared once: an enumerator and its row of kDiskWorks. Measuring fills a row,
// solving reads it (engine/calibration/solve/).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lsmlab::engine {

inline constexpr std::uint64_t kSmallBytes = 4 << 10;

enum class DiskWork {
  kSequentialRead,
  kRandomRead,
  kTwoStreamRead,  // from two places in turn, each in sequence
  kSequentialWrite,
  kRandomWrite,
  kAppend,   // to a file that grows, as SSTables do, one a client: the file system finds the place
  kMixed25,  // kAppend with reads in sequence between; these are a quarter of the requests
  kMixed50,
  kMixed75,
  // kMixed50 by one client concurrent with another client's small random reads, and alone in turn
  // with that. The row has the rate of the former client, and the latencies of the latter.
  kMixedBeside,
  kSync,  // until what was appended to a file is durable; the append itself does not count
};

/// Where a request of a client goes on.
enum class DiskPlace {
  kRandom,
  kSequential,  // where the client's last one ended
  kGrowing,     // the same; writes go to a file that grows
  kStreams,     // in one of two streams, in turn
};

struct DiskWorkInfo {
  DiskWork work;
  std::string_view name;
  DiskPlace place;
  std::uint64_t reads_of_four;  // of four requests, one after another
};

inline constexpr std::array kDiskWorks{
    DiskWorkInfo{DiskWork::kSequentialRead, "sequential read", DiskPlace::kSequential, 4},
    DiskWorkInfo{DiskWork::kRandomRead, "random read", DiskPlace::kRandom, 4},
    DiskWorkInfo{DiskWork::kTwoStreamRead, "read of 2 streams", DiskPlace::kStreams, 4},
    DiskWorkInfo{DiskWork::kSequentialWrite, "sequential write", DiskPlace::kSequential, 0},
    DiskWorkInfo{DiskWork::kRandomWrite, "random write", DiskPlace::kRandom, 0},
    DiskWorkInfo{DiskWork::kAppend, "append", DiskPlace::kGrowing, 0},
    DiskWorkInfo{DiskWork::kMixed25, "reads and appends, 25 %", DiskPlace::kGrowing, 1},
    DiskWorkInfo{DiskWork::kMixed50, "reads and appends, 50 %", DiskPlace::kGrowing, 2},
    DiskWorkInfo{DiskWork::kMixed75, "reads and appends, 75 %", DiskPlace::kGrowing, 3},
    DiskWorkInfo{DiskWork::kMixedBeside, "50 %, beside reads", DiskPlace::kGrowing, 2},
    DiskWorkInfo{DiskWork::kSync, "sync of an append", DiskPlace::kRandom, 0},
};

/// Whether row i of a table of works is that of enumerator i, up to the last one.
template <typename Infos, typename Work>
[[nodiscard]] constexpr bool are_in_order(const Infos& infos, Work last) {
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (static_cast<std::size_t>(infos[i].work) != i) return false;
  }
  return infos.back().work == last;
}
static_assert(are_in_order(kDiskWorks, DiskWork::kSync));

[[nodiscard]] constexpr const DiskWorkInfo& info_of(DiskWork work) {
  return kDiskWorks.at(static_cast<std::size_t>(work));
}
/// "random read".
[[nodiscard]] constexpr std::string_view disk_work_name(DiskWork work) {
  return info_of(work).name;
}
/// How many of four requests, one after another, are reads.
[[nodiscard]] constexpr std::uint64_t reads_of_four(DiskWork work) {
  return info_of(work).reads_of_four;
}
[[nodiscard]] constexpr bool is_growing(DiskWork work) {
  return info_of(work).place == DiskPlace::kGrowing;
}
[[nodiscard]] constexpr bool is_sequential(DiskWork work) {
  return info_of(work).place == DiskPlace::kSequential || is_growing(work);
}
/// Whether a request continues elsewhere than the one before it ended, so that heads must move.
[[nodiscard]] constexpr bool changes_place(DiskWork work, unsigned depth) {
  if (work == DiskWork::kAppend) return depth > 1;
  return is_growing(work) || !is_sequential(work);
}

struct DiskRow {
  DiskWork work = DiskWork::kRandomRead;
  std::uint64_t request_bytes = 0;
  unsigned depth = 1;              // clients
  double requests_per_second = 0;  // mean of the rounds, as mean_ns is; percentiles are of all
  double mean_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  double spread = 0;  // of the rounds' times: (largest - smallest) / median
  // Of kMixedBeside: the rate without the other client. 0 elsewhere.
  double alone_per_second = 0;
  [[nodiscard]] double bytes_per_second() const {
    return requests_per_second * static_cast<double>(request_bytes);
  }
};

/// Requests of one to four writing clients that took ten times as long as their row's median, and
/// at least 5 ms: the disk paused. No other figure of the model contains them.
struct DiskPauses {
  double seconds = 0;         // in which the clients wrote, or wrote and read
  double pauses = 0;          // that the mean client met
  double paused_seconds = 0;  // by which the pauses were longer than other requests
};

}  // namespace lsmlab::engine
