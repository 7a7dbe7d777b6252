// When a store took its decisions: the edits of a MANIFEST in their order, and between them the
// beginnings of the compactions. An edit is written when its compaction ends. Other steps may have
// changed the tree since the compaction was chosen, and a LOG tells which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/stores/store_reading.h"

namespace lsmlab {

/// The files that a compaction or move takes from one level.
struct DecidedInput {
  std::uint32_t level = 0;
  std::vector<std::uint64_t> numbers;  // rising
  friend bool operator==(const DecidedInput&, const DecidedInput&) = default;
};

/// What is to be done: files of one level or more become files of the output level.
struct DecidedWork {
  bool is_move = false;
  std::vector<DecidedInput> inputs;  // by level
  std::uint32_t output_level = 0;
  [[nodiscard]] std::uint32_t start_level() const { return inputs.empty() ? 0 : inputs[0].level; }
  friend bool operator==(const DecidedWork&, const DecidedWork&) = default;
};

/// A decision that the store took.
struct TakenDecision {
  std::size_t edits_before = 0;      // of DecisionMoments::edits, when it was taken
  std::optional<std::size_t> edit;   // its own; none: it did not end
  std::optional<std::uint64_t> job;  // the number in the LOG
  std::string reason;                // the LOG's word; empty: unknown
  bool moment_is_known = false;      // false: taken for the moment right before its edit
  DecidedWork work;
};

struct DecisionMoments {
  std::vector<const stores::HistoryEdit*> edits;  // of one column family; the store's
  std::vector<TakenDecision> decisions;           // in the order in which they were taken
};

/// REQUIRES: the store has a MANIFEST, and it must outlive the result.
[[nodiscard]] DecisionMoments decision_moments(const stores::Store& store, std::uint32_t family);

}  // namespace lsmlab
