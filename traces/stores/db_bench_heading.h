// What db_bench prints above its results: "Keys: 16 bytes each". People paste it with the table.
// Source: tools/db_bench_tool.cc of RocksDB 7.8 to 11 (PrintHeader).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lsmlab::stores {

struct DbBenchHeading {
  std::uint64_t key_bytes = 0;               // 0: not stated
  std::uint64_t value_bytes = 0;             // in the mean
  std::uint64_t compressed_value_bytes = 0;  // as db_bench's generator of values intends it
  std::uint64_t entries = 0;                 // --num
  std::string compression = {};              // "Snappy"; empty: not stated

  [[nodiscard]] bool states_entries() const { return key_bytes > 0 && value_bytes > 0; }
};

/// Takes what a line of the heading states. `version` is RocksDB's.
void note_heading_line(std::string_view line, DbBenchHeading& heading, std::string& version);

}  // namespace lsmlab::stores
