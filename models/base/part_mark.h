// Where a part of a run ends: a phase of the workload, or a moment that the user chose.
#pragma once

#include <cstdint>
#include <string>

namespace lsmlab {

struct PartMark {
  std::string name;                  // "load", "mix", the benchmark of a db_bench line
  std::uint64_t end_operations = 0;  // of the run so far
  friend bool operator==(const PartMark&, const PartMark&) = default;
};

}  // namespace lsmlab
