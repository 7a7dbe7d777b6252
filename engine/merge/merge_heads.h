// The heads of a merge's sources: which stands first.
//
// A binary heap by window, key and falling tag. Windows decide nearly always, so they stand in the
// heap itself; and where one source runs ahead, each step is one comparison with the second-best
// window.
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

  /// To the first entry of all. Errors: of reading, here and below.
  [[nodiscard]] Result<void> start();
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// The first of all that is left; of equal ones that of the source given first. REQUIRES: not
  /// empty, here and below.
  [[nodiscard]] const EntryView& entry() const { return heap_.front().source->entry(); }
  [[nodiscard]] std::uint64_t window() const { return heap_.front().window; }
  [[nodiscard]] Result<void> advance();
  /// Entries that each source showed so far.
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
  // A front of a window below this one stands first without a further look.
  std::uint64_t second_window_ = 0;
  bool is_alone_ = false;
  std::vector<std::uint64_t> shown_;
};

}  // namespace lsmlab::engine
