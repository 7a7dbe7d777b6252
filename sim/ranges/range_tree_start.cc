// The files with which a simulation at resolution `range` begins.
#include <algorithm>
#include <optional>

#include "models/base/check.h"
#include "models/execution/plan_execution.h"
#include "sim/ranges/range_tree.h"

namespace lsmlab {

void RangeTree::place(const StartingTree& start, const ClassList& records) {
  // The oldest run holds oldest versions only. Above it are those of the records that it lacks.
  std::uint64_t above = 0;
  for (const StartingRun& run : start.runs) above += run.entries();
  const std::uint64_t below = start.runs.empty() ? 0 : start.runs.front().entries();
  above -= below;
  const std::uint64_t missing = start.records - std::min(start.records, below);
  const std::uint64_t share_above = share_of(std::min(missing, above), above);
  for (const StartingRun& run : start.runs) {
    const SstableFormat format = starting_format(store_, start, run.level);
    const OutputTarget target = starting_target(tree_, run.level);
    const bool is_oldest = &run == &start.runs.front();
    RangeJob job;
    TreeEdit edit;
    for (const StartingFile& given : run.files) {
      adopt(file_of(given, format, records, is_oldest ? kWholeShare : share_above), job);
      File& file = job.files.back();
      finish_file(file, file.id, {}, std::nullopt, tree_.now());
      add_to(classes_, job.contents.back().classes);
      keep(file, std::move(job.contents.back()), format);
      if (run.level == 0 || edit.added.empty()) edit.added.push_back({target, {}});
      edit.added.back().files.push_back(std::move(file));
    }
    const Result<void> applied = tree_.apply(edit);
    CHECK(applied.has_value());
    for (const TreeEdit::Added& added : edit.added) {
      for (const File& file : added.files) count_in_run(file.id, true);
    }
  }
  ledger_.restore_file_bytes(tree_);
  ledger_.set_live_bytes(live_file_bytes());
}

RangeFile RangeTree::file_of(const StartingFile& given, const SstableFormat& format,
                             const ClassList& records, std::uint64_t oldest) {
  const auto position = [](double share) {
    return share >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(share * 0x1p64);
  };
  const FixedCount all = total_entries(records);
  RangeFile written;
  written.contents.keys = {position(given.first), position(given.last) - 1};
  for (const ClassCounts& each : records) {
    const FixedCount entries = part_of(fixed_count(given.entries), share_of(each.entries, all));
    written.contents.classes.push_back({entries, part_of(entries, oldest), 0});
  }
  File& file = written.file;
  const std::uint64_t entries = rounded(total_entries(written.contents.classes));
  const EntryMix mix{entries, 0, id_gap_of(written.contents.keys, entries)};
  file.keys = written.contents.keys;
  file.entries = Entries(mix.entries());
  file.bytes = sizes_.file_bytes(format, mix);
  file.key_bytes = Bytes(sizes_.key_bytes(mix.entries()));
  file.value_bytes = Bytes(sizes_.value_bytes(mix.puts));
  file.sequences = {placed_entries_ + 1, placed_entries_ + given.entries};
  placed_entries_ += given.entries;
  return written;
}

}  // namespace lsmlab
