// The lines of RocksDB's LOG, as RocksDB writes them or as programs that hold it write them to logs
// of their own. Source: Ceph (src/kv/RocksDBStore.cc, CephRocksdbLogger), TiKV
// (components/tikv_util/src/logger/mod.rs, RocksFormat: rocksdb.info since 5.0).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lsmlab::stores {

struct LogLine {
  std::uint64_t micros = 0;  // local time
  std::string_view thread;   // as the log names it
  std::string_view message;
};

/// "2026/11/27-01:16:03.511835 14582 MESSAGE", "2026-11-27T01:16:03.511+0000 7f12abcd  4 rocksdb:
/// MESSAGE" (Ceph), "[2026/11/27 01:16:03.511 +08:00][7][INFO] MESSAGE" (TiKV); nothing of other
/// lines.
[[nodiscard]] std::optional<LogLine> log_line(std::string_view line);

/// The line without what a page that shows it as one of a list puts before it: "  3. ", "- ".
[[nodiscard]] std::string_view without_list_mark(std::string_view line);

/// Of "RocksDB version: 7.8.3" or "Speedb version: 2.1.0 (7.2.2)", whose rules are those of the
/// RocksDB in brackets.
[[nodiscard]] std::optional<std::string> version_of_message(std::string_view message);

/// Of "Jemalloc supported: 1", as RocksDB 9 and newer write.
[[nodiscard]] std::optional<bool> jemalloc_of_message(std::string_view message);

/// The column family of "[name] [JOB 5] ..." for the mark "[JOB ". A name may have brackets itself.
[[nodiscard]] std::optional<std::string> family_of_message(std::string_view message,
                                                           std::string_view mark);

/// The number of files of each level, of "... files[0 5 50] max score 1.06".
[[nodiscard]] std::optional<std::vector<std::uint64_t>> files_of_summary(std::string_view message);

/// When a line was made, by local time: RocksDB writes some lines later.
[[nodiscard]] std::uint64_t made_micros(std::string_view message, std::uint64_t line_micros);

/// What local times are ahead of an event's own time, which is UTC: whole quarters of an hour.
[[nodiscard]] std::uint64_t zone_micros(std::uint64_t local, std::uint64_t utc);

}  // namespace lsmlab::stores
