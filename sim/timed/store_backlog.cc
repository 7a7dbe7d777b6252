// What a timed store still has to do.
#include <utility>
#include <vector>

#include "sim/timed/timed_store.h"

namespace lsmlab {

std::uint64_t TimedStore::backlog_bytes() const {
  std::uint64_t left = 0;
  for (const Worker& worker : workers_) {
    const WorkPart& part = worker.part;
    if (!worker.job && !worker.leader) continue;
    const std::uint64_t bytes = part.read_bytes + part.write_bytes;
    const std::uint64_t step = std::min(worker.step, part.steps);
    left += bytes - static_cast<std::uint64_t>(Uint128{bytes} * step / part.steps);
    // A file's end is written, and then read to open the file.
    for (const std::uint64_t end : part.file_ends) left += 2 * end;
  }
  return left;
}

MergeDebt TimedStore::merge_debt(std::uint64_t plans_max) const {
  std::vector<Plan> running;
  for (const Worker& worker : workers_) {
    if (worker.job) running.push_back(worker.job->plan);
  }
  std::vector<PendingFlush> waiting;
  for (std::size_t i = tree_.pending_flush() ? 1 : 0; i < files_->waiting_flushes(); ++i) {
    waiting.push_back(files_->flush_of(i));
  }
  return lsmlab::merge_debt(policy_, tree_, {running, waiting, files_->block_size(), plans_max});
}

}  // namespace lsmlab
