// The events of a store by column family, so that the figures of many families take one walk over
// its logs. Points into the store, which must outlive it and stay as it is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/stores/store_reading.h"

namespace lsmlab::stores {

/// What one log has of a column family, in the order of the log.
struct FamilyLog {
  std::size_t log = 0;  // in Store::logs
  std::vector<const LoggedFlush*> flushes = {};
  std::vector<const LoggedCompaction*> compactions = {};
  std::vector<const LoggedMove*> moves = {};
  std::vector<const LoggedStall*> stalls = {};
};

struct FamilyEvents {
  std::vector<FamilyLog> logs;            // those that name the family
  std::vector<const HistoryEdit*> edits;  // of the MANIFEST
};

class StoreEvents {
 public:
  explicit StoreEvents(const Store& store);

  /// The events of a family; none if no file names it.
  [[nodiscard]] const FamilyEvents& of(std::string_view family) const;
  /// The size of a file that a log or the MANIFEST names. File numbers are unique in a store.
  [[nodiscard]] std::optional<std::uint64_t> file_bytes(std::uint64_t number) const;
  /// That the logs cover.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// The same up to the last flush of each log.
  [[nodiscard]] double writing_seconds() const { return writing_seconds_; }

 private:
  void add_log(const InfoLog& log, std::size_t number);
  void add_manifest(const Manifest& manifest);
  [[nodiscard]] FamilyLog& log_of(const std::string& family, std::size_t number);
  void add_tables(const std::vector<LoggedTable>& tables);

  std::map<std::string, FamilyEvents, std::less<>> families_;
  std::unordered_map<std::uint64_t, std::uint64_t> file_bytes_;
  double seconds_ = 0;
  double writing_seconds_ = 0;
};

}  // namespace lsmlab::stores
