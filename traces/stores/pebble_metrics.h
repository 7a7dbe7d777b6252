// Reads the table that Pebble prints of its metrics, and that CockroachDB writes to its log. Pure
// functions of the bytes. Pebble rounds all sizes to two or three digits.
// Source: Pebble 1.1.5 and 2.1.7, metrics.go; its testdata/metrics from 2019 to 2026; the CRDB log
// format of CockroachDB 21.1 and later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/stores/salvaged.h"

namespace lsmlab::stores {

inline constexpr std::size_t kPebbleLevels = 7;

struct PebbleLevel {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::optional<double> score;        // none: the last level, or nothing to do
  std::optional<double> fill_factor;  // since version 2: size over target
  std::uint64_t in_bytes = 0;         // from the level above; level 0: written to the log
  std::uint64_t ingested_bytes = 0;   // from files of the user
  std::uint64_t moved_bytes = 0;      // into this level, without rewriting
  std::uint64_t written_files = 0;    // by flushes and compactions
  std::uint64_t written_bytes = 0;
  std::uint64_t read_bytes = 0;            // by compactions into this level, of both levels
  std::optional<std::uint64_t> sublevels;  // sorted runs; none: a table without r-amp
  double write_amplification = 0;          // Pebble's own: written over in
};

struct PebbleMetrics {
  std::uint64_t tables = 0;  // in the file; this is the last one that is whole
  std::vector<PebbleLevel> levels;
  bool has_sums =
      false;  // of all levels: the rows are whole, though the table may be cut below them
  std::optional<double> total_write_amplification;  // with the write-ahead log
  std::optional<std::uint64_t> log_in_bytes;        // keys and values in batches
  std::optional<std::uint64_t> log_written_bytes;
  std::optional<std::uint64_t> flushes;
  std::optional<std::uint64_t> compactions;          // of all kinds
  std::optional<std::uint64_t> debt_bytes;           // that compactions are estimated to have left
  std::map<std::string, std::uint64_t> kinds;        // compactions by kind
  std::map<std::string, std::uint64_t> compression;  // tables by algorithm; since version 2
  std::optional<std::uint64_t> tombstones;           // since version 2
};

/// True if the text has the headings of such a table.
[[nodiscard]] bool is_pebble_metrics(std::string_view bytes);

/// Reads the last table that is whole, or the levels of a cut one where none is. Faults (each names
/// the line): a table is cut before its row of totals; a row has other columns than its heading; no
/// table.
[[nodiscard]] Salvaged<PebbleMetrics> read_pebble_metrics(std::string_view bytes);

}  // namespace lsmlab::stores
