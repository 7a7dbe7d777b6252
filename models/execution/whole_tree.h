// All tables of a tree as sequences that one merge of the whole tree can read. It serves figures
// that count over all live entries: one rule for simulator and engine.
#pragma once

#include <algorithm>
#include <vector>

#include "models/tree/tree.h"

namespace lsmlab {

/// The entries of a table within a key range.
struct TableRange {
  FileId table;
  KeyRange keys;
};

/// Returns sequences of tables; the keys of each sequence rise. One sequence holds a run's files.
/// Each further sequence holds the n-th slices of the run's files: these lie in disjoint, rising
/// ranges. Runs come in the order of levels, newest first. Cost: linear in files and slices.
[[nodiscard]] inline std::vector<std::vector<TableRange>> rising_sequences(const TreeView& tree) {
  std::vector<std::vector<TableRange>> sequences;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      if (run.files.empty()) continue;
      const std::size_t first = sequences.size();
      sequences.emplace_back();
      for (const File& file : run.files) {
        if (!file.is_virtual) sequences[first].push_back({file.id, {}});
        sequences.resize(std::max(sequences.size(), first + 1 + file.slices.size()));
        for (std::size_t n = 0; n < file.slices.size(); ++n) {
          sequences[first + 1 + n].push_back({file.slices[n].frozen_file, file.slices[n].keys});
        }
      }
    }
  }
  return sequences;
}

}  // namespace lsmlab
