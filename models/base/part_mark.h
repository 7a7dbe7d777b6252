// Where a part of a run ends: a phase of the workload, or a moment that the user chose; and what
// the client then asks of its store, before the next part begins.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lsmlab {

/// What a client asks of the store at the end of a part. It waits until that is done.
enum class PartEnd {
  kNothing,
  kFlush,    // the memtable is flushed
  kSettle,   // merges run until the policy wants nothing more
  kCompact,  // the memtable is flushed, then everything is merged (Policy::pick_whole())
};

struct PartEndRow {
  PartEnd end;
  std::string_view name;  // in profiles of workloads
};

/// Every one, in the order of the enumeration.
inline constexpr std::array kPartEnds{
    PartEndRow{PartEnd::kNothing, "nothing"}, PartEndRow{PartEnd::kFlush, "flush"},
    PartEndRow{PartEnd::kSettle, "settle"}, PartEndRow{PartEnd::kCompact, "compact"}};

[[nodiscard]] constexpr std::string_view part_end_name(PartEnd end) {
  return kPartEnds[static_cast<std::size_t>(end)].name;
}

struct PartMark {
  std::string name;                  // "load", "mix", the benchmark of a db_bench line
  std::uint64_t end_operations = 0;  // of the run so far
  PartEnd then = PartEnd::kNothing;
  friend bool operator==(const PartMark&, const PartMark&) = default;
};

}  // namespace lsmlab
