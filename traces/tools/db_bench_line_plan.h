// One line of db_bench with its flags checked: what all its benchmarks share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/tools/db_bench_plan.h"

namespace lsmlab::tools {

struct LinePlan {
  std::shared_ptr<const DbBenchSettings> settings;
  DbBenchKeys keys;
  DbBenchValues values;
  std::uint64_t numbers = 0;
  std::uint64_t writes = 0;
  std::uint64_t reads = 0;
  std::uint64_t deletes = 0;
  std::uint64_t reads_or_writes = 0;
  std::uint64_t batch = 1;
  std::uint64_t threads = 1;
  std::uint64_t duration_seconds = 0;  // 0: as many operations as the other members say
  std::uint64_t puts_per_second = 0;   // of all threads together; 0: no limit
  bool keeps_store = false;            // --use_existing_db
  bool is_read_only = false;
  bool recovers_memtable = false;  // what was not flushed stays in memory when the store is opened
  bool finishes_writes = false;
  std::vector<NamedBenchmark> benchmarks;
};

/// "--name=value" of a line.
[[nodiscard]] std::string flag_text(const DbBenchLine& line, std::string_view name);

/// `index`: of the line among all. Counts of keys and operations are scaled. Errors: as of
/// plan_db_bench().
[[nodiscard]] Result<LinePlan> check_line(const DbBenchLine& line, std::size_t index,
                                          const LineScale& scale);

}  // namespace lsmlab::tools
