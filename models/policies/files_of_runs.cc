#include "models/policies/files_of_runs.h"

#include <algorithm>
#include <tuple>

namespace lsmlab {

void sort_as_inputs(std::vector<FileOfRun>& files) {
  // The runs of a level stand newest first in one array.
  std::sort(files.begin(), files.end(), [](const FileOfRun& a, const FileOfRun& b) {
    return std::tuple{a.level, a.run, a.file->keys.smallest} <
           std::tuple{b.level, b.run, b.file->keys.smallest};
  });
}

std::vector<PlanInput> inputs_of(std::span<const FileOfRun> files) {
  std::vector<PlanInput> inputs;
  for (const FileOfRun& one : files) {
    if (inputs.empty() || inputs.back().run != one.run->id) {
      inputs.push_back({one.level, one.run->id, {}});
    }
    inputs.back().files.push_back(one.file->id);
  }
  return inputs;
}

}  // namespace lsmlab
