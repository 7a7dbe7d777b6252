// The loop of a merge, independent of its output: SSTables (merge_run.cc), or lists in tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/merge/merge_cut.h"
#include "engine/merge/merge_heads.h"
#include "models/execution/tombstone_rule.h"

namespace lsmlab::engine {

struct MergeRules {
  MergeCut cut;
  std::optional<TombstoneRule> tombstones;  // none: keep all
  HoldsKey holds_key;
  const std::atomic<bool>* stop = nullptr;
  bool keeps_overwritten = false;  // passes all versions
};

/// Whether the rules drop an entry. Errors: reading a file with older data.
[[nodiscard]] inline Result<bool> drops_entry(MergeRules& rules, const EntryView& entry,
                                              std::uint64_t window) {
  if (!entry.is_tombstone() || !rules.tombstones) return false;
  std::optional<Error> error;
  const bool drops = rules.tombstones->drops(window, entry.sequence(), [&](FileId file) {
    Result<bool> held = rules.holds_key(file, entry.key);
    if (held) return held.value();
    error = std::move(held).error();
    return true;
  });
  if (error) return *std::move(error);
  return drops;
}

/// Passes the newest version of each key to `output`, or all versions if the rules say so, except
/// tombstones that the rules drop. Output has
///   const SstableSize* open() const;  the open file, null if there is none
///   Result<void> add(const EntryView&, std::uint64_t window);  opens a file if none is open
///   Result<void> end_file();  REQUIRES: a file is open
/// Returns the sequence numbers of the tombstones that were dropped. Errors: reading, the output,
/// or a stop; the open file is then not ended.
template <class Output>
[[nodiscard]] Result<std::vector<std::uint64_t>> merge_entries(MergeHeads& heads, MergeRules& rules,
                                                               Output& output) {
  constexpr std::uint64_t kEntriesPerLook = 4'096;  // some hundred microseconds
  std::vector<std::uint64_t> dropped;
  std::uint64_t entries = 0;
  // The last key; a copy, because a source releases an entry when it moves on.
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
    const bool is_older =
        !rules.keeps_overwritten && entries > 1 && window == last_window && entry.key == last_key;
    if (!is_older) {
      last_key.assign(entry.key);
      last_window = window;
      if (BOOST_OUTCOME_TRYX(drops_entry(rules, entry, window))) {
        dropped.push_back(entry.sequence());
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
