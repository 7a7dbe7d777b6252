#include "models/accounting/totals.h"

#include <variant>

#include "models/accounting/figures.h"
#include "models/accounting/run_result.h"
#include "models/base/check.h"
#include "models/execution/plan_execution.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {
namespace {

struct Written {
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};

Written written_by(const TreeEdit& edit) {
  Written written;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      written.bytes += file.bytes.value();
      written.entries += file.entries.value();
    }
  }
  return written;
}

}  // namespace

void Totals::count(const TreeView& /*before*/, const Plan& plan, const TreeEdit& edit,
                   const PlanSums* sums) {
  const Written written = written_by(edit);
  if (std::holds_alternative<FlushPlan>(plan.action)) flush_bytes_written += written.bytes;
  if (std::holds_alternative<MovePlan>(plan.action)) ++moves;
  if (std::holds_alternative<LinkPlan>(plan.action)) ++links;
  if (!std::holds_alternative<MergePlan>(plan.action)) return;
  CHECK(sums != nullptr);
  ++merges;
  merge_bytes_read += sums->read_bytes;
  merge_bytes_written += written.bytes;
  entries_dropped += sums->entries - written.entries;
  tombstones_dropped += sums->tombstones_dropped;
}

std::vector<FigureGroup> totals_figures() {
  using enum Averaging;
  return {figure_object<Totals>(
      {"totals", GroupShape::kObject, "Counts and byte sums of the whole run.", Comparing::kAlways,
       true},
      {
          {{"flushes", "flushes", kMean, "Memtables that were flushed.", true}, &Totals::flushes},
          {{"merges", "merges", kMean, "Merges that were done."}, &Totals::merges},
          {{"moves", "moves", kMean, "Plans that moved files to another level and wrote nothing."},
           &Totals::moves},
          {{"links", "links", kMean, "Plans that froze a file and linked its slices (LDC)."},
           &Totals::links},
          {{"user_bytes", "bytes", kMean,
            "Keys and values of all puts and deletes; at resolution `flush` the flush sizes."},
           &Totals::user_bytes},
          {{"bytes_flushed", "bytes", kMean,
            "What each flush takes as an SSTable, written on its own or not."},
           &Totals::bytes_flushed},
          {{"flush_bytes_written", "bytes", kMean,
            "Written by flushes that became SSTables of their own."},
           &Totals::flush_bytes_written},
          {{"merge_bytes_written", "bytes", kMean, "Written by merges."},
           &Totals::merge_bytes_written},
          {{"merge_bytes_read", "bytes", kMean,
            "Read by merges from SSTables; a memtable that a merge takes is not on disk."},
           &Totals::merge_bytes_read},
          {{"wal_bytes_written", "bytes", kMean, "Written to write-ahead logs."},
           &Totals::wal_bytes_written},
          {{"manifest_bytes_written", "bytes", kMean, "Written to manifests."},
           &Totals::manifest_bytes_written},
          {{"entries_dropped", "entries", kMean,
            "Inputs of merges that no output holds: overwritten, deleted, or dropped tombstones; 0 "
            "at resolution `flush`."},
           &Totals::entries_dropped},
          {{"tombstones_dropped", "entries", kMean,
            "Tombstones that merges dropped because nothing older could exist; 0 at resolution "
            "`flush`."},
           &Totals::tombstones_dropped},
      },
      [](const RunResult& run) { return &run.totals; })};
}

}  // namespace lsmlab
