// Checks a store's directory that no process has open: which files exist, whether they agree with
// the manifest, and every block of every SSTable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/logs/manifest.h"
#include "engine/store/store_setup.h"
#include "models/accounting/run_result.h"
#include "models/base/error.h"
#include "models/policies/registry.h"

namespace lsmlab::engine {

/// Among the store's options of a result, but no option: the shares of blocks that codecs leave.
inline constexpr std::string_view kMeasuredShares = "compression_shares";

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
  std::uint64_t log_batches = 0;  // whole batches that are not in files yet
  std::uint64_t log_dropped_bytes = 0;
  std::uint64_t log_dropped_batches = 0;  // whole batches that opening would not recover
  std::vector<std::string> tears;         // incomplete ends that a crash left; not faults
  std::vector<std::string> set_aside;     // damaged logs that an earlier recovery kept
  std::vector<std::string> leftovers;     // files the store does not use; opening removes them
  std::vector<std::string> faults;        // damage to anything but logs
  std::vector<std::string> log_faults;    // durable writes that opening cannot recover

  [[nodiscard]] std::size_t fault_count() const { return faults.size() + log_faults.size(); }
};

/// Reads manifest, logs and every block of every SSTable, and compares them with what the manifest
/// records. Changes nothing. An incomplete end of a log or manifest, as a crash leaves it, is a
/// tear, not a fault (log_survey.h). Errors: there is no store, it is in use, or its manifest
/// cannot be read.
[[nodiscard]] Result<CheckReport> check_store(FileSystem& files, const std::string& directory);

/// The policy that a store was made with. If it was made by forced plans, a policy that only
/// flushes. Errors: this version knows no such policy or options.
[[nodiscard]] Result<ConfiguredPolicy> policy_of_identity(const StoreIdentity& identity);

}  // namespace lsmlab::engine
