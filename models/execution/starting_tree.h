// The files that stand in a store when a simulation begins. They hold the records that the first
// phase of the workload inserts, which are therefore not written by the run.
#pragma once

#include <cstdint>
#include <vector>

#include "models/sizes/store_options.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct StartingFile {
  // Shares of all records: those below the file's smallest key, and those up to its largest one.
  double first = 0;
  double last = 1;
  std::uint64_t entries = 0;

  /// The file's records if all `records` are numbered by key: from `begin` to before `end`.
  struct Part {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] Part part_of(std::uint64_t records) const {
    const auto place = [&](double share) {
      return static_cast<std::uint64_t>(share * static_cast<double>(records));
    };
    return {place(first), last >= 1 ? records : place(last)};
  }
};

struct StartingRun {
  std::uint32_t level = 0;
  std::vector<StartingFile> files;  // by key; their shares do not overlap

  [[nodiscard]] std::uint64_t entries() const {
    std::uint64_t sum = 0;
    for (const StartingFile& file : files) sum += file.entries;
    return sum;
  }
};

struct StartingTree {
  std::uint64_t records = 0;  // as many as the first phase inserts
  // The oldest first. The entries of an older run are the older versions of a key.
  std::vector<StartingRun> runs;
};

/// Where the next run of a starting tree goes: level 0 has a run for each file.
[[nodiscard]] OutputTarget starting_target(const TreeView& tree, std::uint32_t level);
/// The format of its SSTables there: with the codec that a merge into the level would use.
[[nodiscard]] SstableFormat starting_format(const StoreOptions& store, const StartingTree& start,
                                            std::uint32_t level);

}  // namespace lsmlab
