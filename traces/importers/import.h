// Imports traces of other programs as operations. Keys become ids that keep the order of the keys
// (key_ranking.h). The import needs two passes, but it reads the input once, so the input may be a
// pipe; it may also be compressed (unpacking.h). The operations of the first pass are in temporary
// files without names, which disappear with the process. An option bounds the memory for any input.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/recorded_keys.h"
#include "traces/io/stop_flag.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

/// A format that can be imported.
struct ImportFormat {
  std::string name;
  std::string summary;  // one line
};

/// All formats, ordered by name.
[[nodiscard]] std::vector<ImportFormat> import_formats();
/// The names of all formats, in the same order.
[[nodiscard]] std::vector<std::string> names_of_import_formats();

inline constexpr std::uint64_t kImportMemoryBytesMin = std::uint64_t{1} << 20;
/// Recorded traces stay far below this limit, because a row counts the operations of one second.
inline constexpr std::uint64_t kRepeatsMaxDefault = 1'000'000;
inline constexpr std::uint64_t kImportOperationsMax = std::uint64_t{1} << 48;

struct ImportOptions {
  std::string format = {};  // the format's name
  std::string path = {};
  /// Memory for sorting keys; less memory means more temporary files. Some MiB of buffers come in
  /// addition.
  std::uint64_t memory_bytes_max = std::uint64_t{512} << 20;
  /// The directory for temporary files, which take about twice the bytes of the input's keys.
  /// Empty: the system's directory.
  std::string temporary_directory = {};
  /// True: count and leave out operations that a trace cannot express. False: fail.
  bool skip_unsupported = false;
  /// cachelib: a row that stands for more operations than this is an error.
  std::uint64_t repeats_max = kRepeatsMaxDefault;
  /// A flag that is set from outside ends the import soon, with an error.
  StopFlag stop = nullptr;
  /// Called now and then while operations are delivered: `done` of `total` operations.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress = {};
  /// Called once, before the first operation is delivered. The keys have no shared_32nds where the
  /// input does not tell their texts. Its error ends the import.
  std::function<Result<void>(const RecordedKeys&)> on_keys = {};
};

struct ImportReport {
  std::uint64_t operations = 0;
  std::array<std::uint64_t, 4> by_kind{};  // indexed by OperationKind
  std::uint64_t distinct_keys = 0;         // bounds of scans that are not keys do not count
  std::uint64_t skipped = 0;  // operations that were left out because of skip_unsupported
  std::uint64_t lines_without_operation = 0;  // properties, headers, empty lines
};

/// Receives the operations in order, some at a time.
using OperationSink = std::function<Result<void>(std::span<const Operation>)>;

/// Errors: an unknown format (with the nearest name); the input cannot be read; a line (in binary
/// input, a record) is wrong: path, number, what was found and what was expected; too little
/// memory; those of the sink. If the input is wrong, no operation has reached the sink.
[[nodiscard]] Result<ImportReport> import_trace(const ImportOptions& options,
                                                const OperationSink& sink);

}  // namespace lsmlab
