// Exports traces as text for other programs: in the format of the K-V-Workload-Generator, or as
// CSV.
#pragma once

#include <string>

#include "traces/io/stop_flag.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

enum class ExportFormat {
  /// `I k v`, `D k `, `Q k`, `S lo hi`. A key is its id in 11 digits of base 62 (0-9, A-Z, a-z),
  /// padded with '0' to the key's size; the text order of keys is the order of ids. A value
  /// consists of letters. A put is always `I`, because a trace does not tell whether its key
  /// exists.
  kKvWorkload,
  /// A header line, then `kind,key,key_bytes,value_bytes,scan_last_key,scan_entries_max` in
  /// decimal. Fields that a kind does not use are empty.
  kCsv,
};

struct ExportReport {
  std::uint64_t operations = 0;
  // operations whose key is shorter than 11 bytes and was lengthened
  std::uint64_t keys_lengthened = 0;
};

/// Writes all remaining operations of the source. The file appears under its name when it is
/// complete. Errors: those of the source; the path cannot be written; a scan that the format cannot
/// express (with its number from 0); the flag is set.
[[nodiscard]] Result<ExportReport> export_trace(OperationSource& source, ExportFormat format,
                                                const std::string& path, StopFlag stop = nullptr);

}  // namespace lsmlab
