// Traces of other programs as operations. Keys become ids that keep their order (key_ranking.h), in
// two passes: the input is read once, may be a pipe and may be compressed (unpacking.h); what it
// says is kept in temporary files without names, which go with the process. Memory is bounded by an
// option, whatever the input.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/stop_flag.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

enum class ImportFormat {
  /// K-V-Workload-Generator: `I k v`, `U k v`, `D k`, `Q k`, `S lo hi` (hi included). Range deletes
  /// `R lo hi` are not supported.
  kKvWorkload,
  /// Output of YCSB's `basic` binding. A value's size is that of its fields without their names, so
  /// an update of one field is a put of that field; a scan is limited by its number of records.
  kYcsb,
  /// RocksDB's trace_analyzer, human-readable: `0xKEY type family value_bytes time`. A seek is a
  /// scan of one entry, as the trace tells nothing of the steps after it; multi-gets are gets. Not
  /// supported: merges, range deletes, seeks for the previous key. Column families are kept apart:
  /// each takes a range of ids of its own.
  kRocksdbText,
  /// RocksDB's binary query trace, version 0.2 and older; as above.
  kRocksdbBinary,
  /// Twitter's twemcache CSV. Every kind of store is a put of the value size given,
  /// `incr` and `decr` included.
  kTwemcache,
  /// Meta's CacheLib key-value CSV: the header decides the columns; op_count repeats a line.
  kCachelib,
};

/// As in `names_of_import_formats()`; none if the name is unknown.
[[nodiscard]] std::optional<ImportFormat> import_format_of(std::string_view name);
/// kv-workload, ycsb, rocksdb-text, rocksdb-binary, twemcache, cachelib.
[[nodiscard]] std::vector<std::string> names_of_import_formats();

inline constexpr std::uint64_t kImportMemoryBytesMin = std::uint64_t{1} << 20;
/// Recorded traces stay far below: their rows count the operations of a second.
inline constexpr std::uint64_t kRepeatsMaxDefault = 1'000'000;
inline constexpr std::uint64_t kImportOperationsMax = std::uint64_t{1} << 48;

struct ImportOptions {
  ImportFormat format = ImportFormat::kKvWorkload;
  std::string path = {};
  /// What sorting keys may take; less means more temporary files. Some MiB of buffers come on top.
  std::uint64_t memory_bytes_max = std::uint64_t{512} << 20;
  /// Where temporary files go: about the input's keys, twice. Empty: the system's directory.
  std::string temporary_directory = {};
  /// Count and leave out what a trace cannot say, instead of refusing it.
  bool skip_unsupported = false;
  /// cachelib: a row that stands for more operations than this is refused.
  std::uint64_t repeats_max = kRepeatsMaxDefault;
  /// Set from outside: the import ends soon, with an error.
  StopFlag stop = nullptr;
  /// Told now and then while operations are handed out: how many of how many.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress = {};
};

struct ImportReport {
  std::uint64_t operations = 0;
  std::array<std::uint64_t, 4> by_kind{};     // indexed by OperationKind
  std::uint64_t distinct_keys = 0;            // bounds of scans that are no keys not counted
  std::uint64_t skipped = 0;                  // operations left out by skip_unsupported
  std::uint64_t lines_without_operation = 0;  // properties, headers, empty lines
};

/// Takes the operations in order, some at a time.
using OperationSink = std::function<Result<void>(std::span<const Operation>)>;

/// Errors: the input cannot be read or a line (a record, for binary input) is wrong: path, number,
/// what was found and expected; too little memory allowed; the sink's. When the input is wrong
/// nothing has reached the sink.
[[nodiscard]] Result<ImportReport> import_trace(const ImportOptions& options,
                                                const OperationSink& sink);

}  // namespace lsmlab
