// The part of a flush or merge that one worker does. Most have one part. A merge whose policy
// divides it (models/policies/merge_parts.h) has several, which run at the same time: each has its
// share of the bytes to read and write and of the processor time, and the files that end in it.
#pragma once

#include <cstdint>
#include <vector>

#include "models/execution/plan_job.h"
#include "models/policies/merge_parts.h"

namespace lsmlab {

struct WorkPart {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;         // without file_ends
  std::vector<std::uint64_t> file_ends;  // bytes of each file's end, the last file first
  std::uint64_t cpu_ns = 0;
  std::uint64_t requests = 0;  // to read and as many to write
  std::uint64_t steps = 0;     // of one or several requests

  [[nodiscard]] bool writes() const { return write_bytes > 0 || !file_ends.empty(); }
  /// Takes the work apart into requests of `piece` bytes, and steps of up to joined_max requests.
  void divide(std::uint64_t piece, std::uint64_t joined_max);
};

/// All bytes of the job's files.
[[nodiscard]] std::uint64_t output_bytes(const PlanJob& job);

/// The parts of a job, at least one, not yet taken apart into steps. `cpu_ns`: of the whole job.
[[nodiscard]] std::vector<WorkPart> work_parts(const PlanJob& job, const MergeParts& parts,
                                               std::uint64_t cpu_ns);

/// The n-th of `parts` equal parts of a sum.
[[nodiscard]] std::uint64_t part_of(std::uint64_t sum, std::uint64_t n, std::uint64_t parts);

}  // namespace lsmlab
