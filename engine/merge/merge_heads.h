// The current entries (heads) of a merge's sources, and which is first.
//
// A binary heap ordered by window, key and falling tag. Windows nearly always decide, so they are
// stored in the heap. While one source stays ahead, each step is one comparison with the
// second-best window.
//
// Threading: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/merge/merge.h"

namespace lsmlab::engine {

class MergeHeads {
 public:
  /// The sources must outlive the heads.
  explicit MergeHeads(const std::vector<std::unique_ptr<MergeSource>>& sources);

  /// Moves to the first entry of all sources. Errors, here and below: those of reading.
  [[nodiscard]] Result<void> start();
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// The first of all remaining entries; among equal ones that of the source given first. REQUIRES,
  /// here and below: not empty.
  [[nodiscard]] const EntryView& entry() const { return heap_.front().source->entry(); }
  [[nodiscard]] std::uint64_t window() const { return heap_.front().window; }
  [[nodiscard]] Result<void> advance();
  /// Number of entries that each source has shown so far.
  [[nodiscard]] const std::vector<std::uint64_t>& shown() const { return shown_; }

 private:
  struct Head {
    std::uint64_t window;
    MergeSource* source;
    std::size_t number;
  };
  [[nodiscard]] static bool stands_before(const Head& a, const Head& b);
  void settle_front();
  void note_second();

  const std::vector<std::unique_ptr<MergeSource>>& sources_;
  std::vector<Head> heap_;
  // A front with a smaller window than this is first without another comparison.
  std::uint64_t second_window_ = 0;
  bool is_alone_ = false;
  std::vector<std::uint64_t> shown_;
};

}  // namespace lsmlab::engine
