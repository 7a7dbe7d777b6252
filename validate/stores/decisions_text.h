// What a check of decisions found, as text and as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/stores/decisions.h"
#include "validate/stores/what_if.h"

namespace lsmlab {

/// Of the decisions that share their levels, kind and reason.
struct DecisionRow {
  std::uint32_t start_level = 0;
  std::uint32_t output_level = 0;
  bool is_move = false;
  std::string reason;  // the store's word; empty: unknown
  std::uint64_t decisions = 0;
  std::array<std::uint64_t, kAgreements> counts = {};  // by Agreement
  std::uint64_t bytes = 0;                             // of inputs
  std::uint64_t same_bytes = 0;
};
/// By levels, kind and reason.
[[nodiscard]] std::vector<DecisionRow> rows_of(const DecisionCheck& check);

/// What a reader must know: what was not compared, and what may explain differences.
[[nodiscard]] std::vector<std::string> notes_of(const StoreCase& asked, const stores::Store& store,
                                                const DecisionCheck& check);

/// A table of the rows, the first `most` differences in words, and the notes.
[[nodiscard]] std::string decisions_text(const StoreCase& asked, const stores::Store& store,
                                         const DecisionCheck& check, std::size_t most);

/// All of it; every decision with its inputs, and the policy's where they differ.
[[nodiscard]] nlohmann::ordered_json decisions_json(const StoreCase& asked,
                                                    const stores::Store& store,
                                                    const DecisionCheck& check);

}  // namespace lsmlab
