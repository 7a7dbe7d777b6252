// The ages at which RocksDB compacts files again: its options ttl and periodic_compaction_seconds,
// as it applies them (SanitizeOptions in db/column_family.cc, RocksDB 7.8.3).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lsmlab::stores {

struct RocksdbAges {
  // In seconds; 0: none. Universal compaction has only the second, and FIFO only the first.
  std::uint64_t ttl = 0;
  std::uint64_t periodic = 0;
};

/// The value of an option, as the store's files state it.
using OptionLookup = std::function<std::optional<std::string>(std::string_view)>;

/// The ages in force. An option that no file states counts as none, because versions differ in its
/// default; so does an age above 2^40 seconds, which never comes.
[[nodiscard]] RocksdbAges rocksdb_ages(const OptionLookup& value);

/// "ttl=3600" of each option with a value that comes and is not RocksDB's default.
[[nodiscard]] std::vector<std::string> changed_rocksdb_ages(const OptionLookup& value);

}  // namespace lsmlab::stores
