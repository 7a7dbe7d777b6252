#include <utility>

#include "engine/merge/merge.h"
#include "engine/merge/merge_loop.h"

namespace lsmlab::engine {
namespace {

// Writes SSTables, one at a time; drops a file that is not ended.
class TableOutput {
 public:
  TableOutput(const MergeJob& job, const KeyWindow& window, OutputFiles& outputs)
      : job_(job), window_(window), outputs_(outputs) {}

  [[nodiscard]] const SstableSize* open() const {
    return table_ ? &table_->writer.size() : nullptr;
  }

  [[nodiscard]] Result<void> add(const EntryView& entry, std::uint64_t window) {
    if (!table_) {
      OutputFiles::Opened opened = BOOST_OUTCOME_TRYX(outputs_.open());
      table_.emplace(std::move(opened), job_, window_);
    }
    if (table_->mark) table_->mark->add(entry.is_tombstone());
    if (entry.is_tombstone()) table_->deletion_times.add(entry.sequence());
    return table_->writer.add(entry, window);
  }

  [[nodiscard]] Result<void> end_file() {
    File file = BOOST_OUTCOME_TRYX(table_->writer.finish(job_.oldest_tombstone));
    BOOST_OUTCOME_TRYV(outputs_.close(table_->opened));
    file.id = table_->opened.id;
    file.oldest_tombstone.reset();
    if (file.tombstones > Entries(0)) file.oldest_tombstone = job_.oldest_tombstone;
    file.marked = table_->mark && table_->mark->is_marked();
    file.deletion_times = table_->deletion_times.times();
    files_.push_back(std::move(file));
    table_.reset();
    return success();
  }

  [[nodiscard]] std::vector<File> take_files() { return std::move(files_); }

 private:
  struct Table {
    Table(OutputFiles::Opened opened_file, const MergeJob& job, const KeyWindow& window)
        : opened(std::move(opened_file)),
          writer(*opened.file, job.format, window),
          deletion_times(job.keeps_deletion_times) {
      if (job.mark) mark.emplace(*job.mark);
    }
    OutputFiles::Opened opened;
    SstableWriter writer;
    std::optional<DeletionMarkCounter> mark;
    DeletionTimesCounter deletion_times;
  };

  const MergeJob& job_;
  const KeyWindow& window_;
  OutputFiles& outputs_;
  std::optional<Table> table_;
  std::vector<File> files_;
};

}  // namespace

Result<MergeOutcome> run_merge(MergeJob job, const KeyWindow& window, OutputFiles& outputs) {
  MergeHeads heads(job.sources);
  MergeRules rules{MergeCut(job.cutter), job.tombstones, job.holds_key, job.stop,
                   job.keeps_overwritten};
  TableOutput output(job, window, outputs);
  MergeOutcome outcome;
  outcome.dropped_sequences = BOOST_OUTCOME_TRYX(merge_entries(heads, rules, output));
  if (rules.tombstones) outcome.range_tests = rules.tombstones->tests();
  outcome.files = output.take_files();
  outcome.source_entries = heads.shown();
  for (const std::uint64_t entries : outcome.source_entries) outcome.entries_in += entries;
  return outcome;
}

}  // namespace lsmlab::engine
