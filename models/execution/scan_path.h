// In which order a scan opens files and returns entries: one rule for simulator and engine.
//
// A scan merges memtables and sorted runs by key. At its start each run opens the file that is
// responsible for the first key. Later a run opens its next file when the merged view reaches the
// file's keys, before the scan returns any entry of that key. Files that begin at the same key are
// opened in the order of levels and runs. The order matters: it decides what a block cache holds. A
// file's slices are opened oldest first, before the file itself. Among entries of one key the
// newest comes first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/error.h"
#include "models/execution/lookup_path.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// The next event of a scan: a source returns an entry, or a run opens a file.
struct ScanEvent {
  std::uint64_t key = 0;
  bool is_entry = false;  // true: a source returns its entry; false: a file must be opened
  std::size_t source = 0;
  FileLocation file = {};
  bool is_run_touched = false;  // the scan has already read from another file of the run
};

/// The events of a scan, in order. `is_newer(a, b)` tells whether the entry of source `a` comes
/// before that of source `b` if both have the same key.
class ScanEvents {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const ScanEvent& front() const { return heap_.front(); }
  void clear() { heap_.clear(); }

  template <class IsNewer>
  void push(const ScanEvent& event, const IsNewer& is_newer) {
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), [&](const ScanEvent& a, const ScanEvent& b) {
      return is_after(a, b, is_newer);
    });
  }
  template <class IsNewer>
  [[nodiscard]] ScanEvent pop(const IsNewer& is_newer) {
    std::pop_heap(heap_.begin(), heap_.end(),
                  [&](const ScanEvent& a, const ScanEvent& b) { return is_after(a, b, is_newer); });
    const ScanEvent event = heap_.back();
    heap_.pop_back();
    return event;
  }

 private:
  template <class IsNewer>
  [[nodiscard]] static bool is_after(const ScanEvent& a, const ScanEvent& b,
                                     const IsNewer& is_newer) {
    if (a.key != b.key) return a.key > b.key;
    if (a.is_entry != b.is_entry) return a.is_entry;
    if (a.is_entry) return is_newer(b.source, a.source);
    return a.file.level != b.file.level ? a.file.level > b.file.level : a.file.run > b.file.run;
  }

  std::vector<ScanEvent> heap_;
};

/// The outcome of opening a file of a run.
struct ScanOpening {
  bool is_touched = false;  // true: the file, or a slice linked to it, was read
  // runs that were read for the first time; each slice counts as one
  std::uint64_t runs_touched = 0;
  std::optional<ScanEvent> next = {};  // opens the run's next file, if the scan may reach it
};

/// Opens a file and its slices. Calls `Result<bool> open_table(id, keys)` for each table; it
/// returns whether it read from the table. Errors: those of open_table.
template <class OpenTable>
[[nodiscard]] Result<ScanOpening> open_scanned_file(const TreeView& tree, const FileLocation& at,
                                                    bool is_run_touched, std::uint64_t last_key,
                                                    OpenTable&& open_table) {
  const SortedRun& run = tree.levels()[at.level].runs[at.run];
  const File& file = run.files[at.file];
  std::uint64_t slices_read = 0;
  for (const Slice& slice : file.slices) {
    const bool is_read = BOOST_OUTCOME_TRYX(open_table(slice.frozen_file, slice.keys));
    slices_read += is_read;
  }
  bool is_file_read = false;
  if (!file.is_virtual) is_file_read = BOOST_OUTCOME_TRYX(open_table(file.id, file.keys));
  ScanOpening opening;
  opening.is_touched = is_file_read || slices_read > 0;
  opening.runs_touched = slices_read + (is_file_read && !is_run_touched);
  if (at.file + 1 < run.files.size() && file.keys.largest < last_key) {
    opening.next = ScanEvent{file.keys.largest + 1,
                             false,
                             0,
                             {at.level, at.run, at.file + 1},
                             is_run_touched || is_file_read};
  }
  return opening;
}

/// Calls `Result<void> open_file(location)` for the file of each run that a scan opens first.
template <class OpenFile>
[[nodiscard]] Result<void> open_first_files(const TreeView& tree, std::uint64_t first_key,
                                            OpenFile&& open_file) {
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    const std::vector<SortedRun>& runs = tree.levels()[level].runs;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      BOOST_OUTCOME_TRYV(
          open_file(FileLocation{level, run, responsible_file(runs[run].files, first_key)}));
    }
  }
  return success();
}

}  // namespace lsmlab
