// The loop of a merge, apart from what its outputs are: SSTables (merge_run.cc), lists in tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/merge/merge_cut.h"
#include "engine/merge/merge_heads.h"
#include "models/execution/tombstone_rule.h"

namespace lsmlab::engine {

struct MergeRules {
  MergeCut cut;
  std::optional<TombstoneRule> tombstones;  // none: they all stay
  const std::atomic<bool>* stop = nullptr;
};

/// Passes the newest version of each key to `output`, tombstones that may go left out. Output has
///   const SstableSize* open() const;  the file that is open, null where there is none
///   Result<void> add(const EntryView&, std::uint64_t window);  opens a file where none is open
///   Result<void> end_file();  REQUIRES: one is open
/// Returns how many tombstones were dropped. Errors: of reading, of the output, or a stop; the open
/// file has then not ended.
template <class Output>
[[nodiscard]] Result<std::uint64_t> merge_entries(MergeHeads& heads, MergeRules& rules,
                                                  Output& output) {
  constexpr std::uint64_t kEntriesPerLook = 4'096;  // for a stop: some hundred microseconds
  std::uint64_t dropped = 0;
  std::uint64_t entries = 0;
  // The key last seen; a copy, as sources let go of an entry when they move on.
  std::string last_key;
  std::uint64_t last_window = 0;
  BOOST_OUTCOME_TRYV(heads.start());
  while (!heads.empty()) {
    if (entries++ % kEntriesPerLook == 0 && rules.stop != nullptr &&
        rules.stop->load(std::memory_order_relaxed)) {
      return machine_error("stopped");
    }
    const EntryView& entry = heads.entry();
    const std::uint64_t window = heads.window();
    const bool is_older = entries > 1 && window == last_window && entry.key == last_key;
    if (!is_older) {
      last_key.assign(entry.key);
      last_window = window;
      if (entry.is_tombstone() && rules.tombstones && rules.tombstones->drops(window)) {
        ++dropped;
      } else {
        const bool ends = rules.cut.ends_before(window, output.open());
        if (ends) {
          BOOST_OUTCOME_TRYV(output.end_file());
        }
        BOOST_OUTCOME_TRYV(output.add(entry, window));
        rules.cut.added(window, *output.open());
      }
    }
    BOOST_OUTCOME_TRYV(heads.advance());
  }
  if (output.open() != nullptr) {
    BOOST_OUTCOME_TRYV(output.end_file());
  }
  return dropped;
}

}  // namespace lsmlab::engine
