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

/// A format that can be imported.
struct ImportFormat {
  std::string name;
  std::string summary;  // one line
};

/// Every format, by name.
[[nodiscard]] std::vector<ImportFormat> import_formats();
/// Their names, in the same order.
[[nodiscard]] std::vector<std::string> names_of_import_formats();

inline constexpr std::uint64_t kImportMemoryBytesMin = std::uint64_t{1} << 20;
/// Recorded traces stay far below: their rows count the operations of a second.
inline constexpr std::uint64_t kRepeatsMaxDefault = 1'000'000;
inline constexpr std::uint64_t kImportOperationsMax = std::uint64_t{1} << 48;

struct ImportOptions {
  std::string format = {};  // its name
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

/// Errors: an unknown format, with the nearest name; the input cannot be read, or a line (a record,
/// for binary input) is wrong: path, number, what was found and expected; too little memory
/// allowed; the sink's. When the input is wrong nothing has reached the sink.
[[nodiscard]] Result<ImportReport> import_trace(const ImportOptions& options,
                                                const OperationSink& sink);

}  // namespace lsmlab
