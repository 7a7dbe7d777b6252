// Where a part of a run ends: a phase of the workload, or a moment that the user chose; and what
// the client then asks of its store, before the next part begins.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/manual_compaction.h"

namespace lsmlab {

/// What a client asks of the store at the end of a part. It waits until that is done.
enum class PartEnd {
  kNothing,
  kFlush,   // the memtable is flushed
  kSettle,  // merges run until the policy wants nothing more
  // Manual compactions (Policy::pick_manual()), after the merges that are due:
  kCompact,        // ManualScope::kWhole
  kCompactUpper,   // kUpper
  kCompactLevel0,  // kLevel0
  kCompactLevel1,  // kLevel1
};

struct PartEndRow {
  PartEnd end;
  std::string_view name;  // in profiles of workloads
};

/// Every one, in the order of the enumeration.
inline constexpr std::array kPartEnds{PartEndRow{PartEnd::kNothing, "nothing"},
                                      PartEndRow{PartEnd::kFlush, "flush"},
                                      PartEndRow{PartEnd::kSettle, "settle"},
                                      PartEndRow{PartEnd::kCompact, "compact"},
                                      PartEndRow{PartEnd::kCompactUpper, "compact-upper"},
                                      PartEndRow{PartEnd::kCompactLevel0, "compact-level0"},
                                      PartEndRow{PartEnd::kCompactLevel1, "compact-level1"}};

[[nodiscard]] constexpr std::string_view part_end_name(PartEnd end) {
  return kPartEnds[static_cast<std::size_t>(end)].name;
}

/// The manual compaction that this asks for; nothing if it asks for none.
[[nodiscard]] constexpr std::optional<ManualScope> manual_scope_of(PartEnd end) {
  switch (end) {
    case PartEnd::kCompact:
      return ManualScope::kWhole;
    case PartEnd::kCompactUpper:
      return ManualScope::kUpper;
    case PartEnd::kCompactLevel0:
      return ManualScope::kLevel0;
    case PartEnd::kCompactLevel1:
      return ManualScope::kLevel1;
    case PartEnd::kNothing:
    case PartEnd::kFlush:
    case PartEnd::kSettle:
      break;
  }
  return std::nullopt;
}

struct PartMark {
  std::string name;                  // "load", "mix", the benchmark of a db_bench line
  std::uint64_t end_operations = 0;  // of the run so far
  PartEnd then = PartEnd::kNothing;
  std::uint64_t clients = 0;  // with a clock: that send its operations; 0: as many as the run has
  friend bool operator==(const PartMark&, const PartMark&) = default;
};

}  // namespace lsmlab
