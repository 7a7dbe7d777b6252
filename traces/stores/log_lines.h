// The lines of RocksDB's LOG, as RocksDB writes them or as programs that hold it write them to logs
// of their own. Source: Ceph (src/kv/RocksDBStore.cc, CephRocksdbLogger), TiKV
// (components/tikv_util/src/logger/mod.rs, RocksFormat: rocksdb.info since 5.0).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// Whether one of the lines is such a line of Ceph or TiKV.
[[nodiscard]] bool has_hosted_lines(std::string_view text);

}  // namespace lsmlab::stores
