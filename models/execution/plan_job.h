// A plan that an executor has started, and what it changes on disk when it is finished. A store
// with a clock lets time pass between the two.
#pragma once

#include <utility>
#include <vector>

#include "models/execution/plan_execution.h"

namespace lsmlab {

/// A started plan. An executor may keep more than this for it.
struct PlanJob {
  PlanJob() = default;
  PlanJob(const PlanJob&) = delete;
  PlanJob& operator=(const PlanJob&) = delete;
  PlanJob(PlanJob&&) = default;
  PlanJob& operator=(PlanJob&&) = default;
  virtual ~PlanJob() = default;

  Plan plan;
  PlanSums sums;            // sums over the inputs of a flush or a merge
  std::vector<File> files;  // the files that it wrote, by key
};

/// What a finished plan changed on disk.
struct PlanOutcome {
  bool takes_memtable = false;  // the waiting memtable is now in files
  std::vector<std::pair<FileId, Bytes>> added;
  std::vector<std::pair<FileId, Bytes>> removed;
};

}  // namespace lsmlab
