// Where a merge's output files end: models/execution/output_cut.h, asked entry by entry.
//
// Different keys may have one window, and files are never cut between such (key_window.h): an end
// that would come between two kept entries of one window is put off until the window changes. With
// distinct windows the files are the simulator's, entry for entry.
#pragma once

#include <cstdint>
#include <optional>

#include "models/execution/output_cut.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {

class MergeCut {
 public:
  /// Without a cutter all entries come to one file.
  explicit MergeCut(const std::optional<OutputCutter>& cutter) : cutter_(cutter) { note_quiet(); }

  /// Whether the open file ends before an entry of this window. `open`: the file as it is without
  /// the entry; null where none is open. To be asked before every entry that is kept.
  [[nodiscard]] bool ends_before(std::uint64_t window, const SstableSize* open) {
    if (open != nullptr && window == last_window_) return false;
    const bool is_due = is_due_;
    is_due_ = false;
    if (is_always_quiet_ || window <= quiet_until_) return is_due;
    return ask(window, is_due ? nullptr : open) || is_due;
  }
  /// The file got the entry.
  void added(std::uint64_t window, const SstableSize& open) {
    last_window_ = window;
    if (cutter_ && !is_due_) is_due_ = cutter_->ends_after(open);
  }

 private:
  [[nodiscard]] bool ask(std::uint64_t window, const SstableSize* open);
  void note_quiet();

  std::optional<OutputCutter> cutter_;
  std::uint64_t quiet_until_ = 0;  // up to here the cutter need not be asked
  bool is_always_quiet_ = false;
  std::uint64_t last_window_ = 0;
  bool is_due_ = false;  // the open file ends, once the window changes
};

}  // namespace lsmlab::engine
