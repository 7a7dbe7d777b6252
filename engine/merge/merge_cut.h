// Decides where a merge's output files end: asks models/execution/output_cut.h for each entry.
//
// Different keys may have the same window, and files are never cut between them (key_window.h). A
// cut that is due between two kept entries of one window waits until the window changes. If all
// windows differ, the files are those of the simulator, entry for entry.
#pragma once

#include <cstdint>
#include <optional>

#include "models/execution/output_cut.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {

class MergeCut {
 public:
  /// Without a cutter all entries go to one file.
  explicit MergeCut(const std::optional<OutputCutter>& cutter) : cutter_(cutter) { note_quiet(); }

  /// Whether the open file ends before an entry of this window. `open`: the open file without the
  /// entry; null if none is open. REQUIRES: called before every entry that is kept.
  [[nodiscard]] bool ends_before(std::uint64_t window, const SstableSize* open) {
    if (open != nullptr && window == last_window_) return false;
    const bool is_due = is_due_;
    is_due_ = false;
    if (is_always_quiet_ || window <= quiet_until_) return is_due;
    return ask(window, is_due ? nullptr : open) || is_due;
  }
  /// Call after adding the entry to the file.
  void added(std::uint64_t window, const SstableSize& open) {
    last_window_ = window;
    if (cutter_ && !is_due_) is_due_ = cutter_->ends_after(open);
  }

 private:
  [[nodiscard]] bool ask(std::uint64_t window, const SstableSize* open);
  void note_quiet();

  std::optional<OutputCutter> cutter_;
  std::uint64_t quiet_until_ = 0;  // up to this window no cut can be due
  bool is_always_quiet_ = false;
  std::uint64_t last_window_ = 0;
  bool is_due_ = false;  // the open file ends when the window changes
};

}  // namespace lsmlab::engine
