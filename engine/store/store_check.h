// Checking a store's directory from outside: what is there, whether it fits together, and every
// block of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/logs/manifest.h"
#include "engine/store/store_setup.h"
#include "models/accounting/run_result.h"
#include "models/base/error.h"
#include "models/policies/registry.h"

namespace lsmlab::engine {

struct CheckReport {
  StoreIdentity identity;
  std::uint64_t manifest_edits = 0;
  std::uint64_t manifest_dropped_bytes = 0;
  std::vector<LevelSummary> levels;
  LevelSummary frozen;
  std::uint64_t tables = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t entries = 0;
  std::uint64_t logs = 0;
  std::uint64_t log_batches = 0;  // whole ones that are not in files yet
  std::uint64_t log_dropped_bytes = 0;
  std::uint64_t log_dropped_batches = 0;  // whole ones that opening would not bring back
  std::vector<std::string> tears;         // what a crash leaves of logs and manifest; no faults
  std::vector<std::string> set_aside;     // damaged logs that an earlier recovery kept
  std::vector<std::string> leftovers;     // files that nothing refers to; opening removes them
  std::vector<std::string> faults;        // damage, but that of logs
  std::vector<std::string> log_faults;    // what was durable and cannot be recovered

  [[nodiscard]] std::size_t fault_count() const { return faults.size() + log_faults.size(); }
};

/// Reads manifest, logs and every block of every SSTable, and compares them with what the manifest
/// says of them; changes nothing. What a crash leaves of a log or manifest is a tear and no fault
/// (log_survey.h). Errors: there is no store, it is in use, or its manifest cannot be read.
[[nodiscard]] Result<CheckReport> check_store(FileSystem& files, const std::string& directory);

/// The policy that a store was made with; where it was made by a log's forced plans, one that only
/// flushes. Errors: this version knows no such policy or options.
[[nodiscard]] Result<ConfiguredPolicy> policy_of_identity(const StoreIdentity& identity);

}  // namespace lsmlab::engine
