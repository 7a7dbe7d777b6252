// Traces as text, for other programs: the form of the K-V-Workload-Generator, and CSV.
#pragma once

#include <string>

#include "traces/io/stop_flag.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

enum class ExportFormat {
  /// `I k v`, `D k `, `Q k`, `S lo hi`. A key is its id in 11 digits of base 62 (0-9, A-Z, a-z),
  /// whose order as text is the order of the ids, padded with '0' to the key's size; a value is
  /// letters. A put is always `I`: whether its key exists is not kept in a trace.
  kKvWorkload,
  /// A header line, then `kind,key,key_bytes,value_bytes,scan_last_key,scan_entries_max`, in
  /// decimal; what a kind does not use is empty.
  kCsv,
};

struct ExportReport {
  std::uint64_t operations = 0;
  std::uint64_t keys_lengthened = 0;  // operations whose key is shorter than 11 bytes
};

/// Writes all that the source has left. The file appears under its name when it is whole. Errors:
/// the source's; the path cannot be written; a scan that the form cannot say, by its number from 0;
/// the flag is set.
[[nodiscard]] Result<ExportReport> export_trace(OperationSource& source, ExportFormat format,
                                                const std::string& path, StopFlag stop = nullptr);

}  // namespace lsmlab
