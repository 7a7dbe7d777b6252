// A store that engine_benchmark measures: lsmlab's engine, RocksDB or LevelDB, behind the few calls
// that the workloads use. Their options are as similar as possible.
//
// Threading: one client thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab::engine {

/// Options that are the same for all stores.
struct ContenderSetup {
  std::string directory;  // does not exist yet
  unsigned merge_threads = 1;
  std::uint64_t entry_bytes = 128;  // of key and value
  std::uint64_t block_cache_bytes = 64 << 20;
};

inline constexpr std::uint64_t kContenderBufferBytes = 8 << 20;
inline constexpr std::uint64_t kContenderFileBytes = 8 << 20;
inline constexpr unsigned kContenderFilterBitsPerKey = 10;

class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  /// Writes an entry. Its log record reaches the kernel before the call returns; it is not synced.
  [[nodiscard]] virtual Result<void> put(std::string_view key, std::string_view value) = 0;
  /// Whether the key exists; if so, `value` is set.
  [[nodiscard]] virtual Result<bool> get(std::string_view key, std::string& value) = 0;
  /// Visits keys and values of up to `entries_max` entries from a key on; returns how many there
  /// were.
  [[nodiscard]] virtual Result<std::uint64_t> scan(std::string_view first_key,
                                                   std::uint64_t entries_max) = 0;
  /// Flushes and waits until no merge is due.
  [[nodiscard]] virtual Result<void> settle() = 0;
};

using MadeContender = Result<std::unique_ptr<Contender>>;

/// lsmlab's engine with RocksDB's rules, and with LevelDB's.
[[nodiscard]] MadeContender make_engine_as_rocksdb(const ContenderSetup& setup);
[[nodiscard]] MadeContender make_engine_as_leveldb(const ContenderSetup& setup);
/// Defined if the build found the libraries (LSMLAB_WITH_ROCKSDB, LSMLAB_WITH_LEVELDB).
[[nodiscard]] MadeContender make_rocksdb(const ContenderSetup& setup);
[[nodiscard]] MadeContender make_leveldb(const ContenderSetup& setup);

}  // namespace lsmlab::engine
