// A store that engine_benchmark measures: ours, RocksDB or LevelDB, behind the few calls that the
// workloads make, set up as alike as their options allow.
//
// Threading: one client thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab::engine {

/// What is the same for all.
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

  /// Logged, and handed to the kernel before it returns; not synced.
  [[nodiscard]] virtual Result<void> put(std::string_view key, std::string_view value) = 0;
  /// Whether it is there; `value` is set then.
  [[nodiscard]] virtual Result<bool> get(std::string_view key, std::string& value) = 0;
  /// Visits up to `entries_max` entries from a key on, keys and values; returns how many there
  /// were.
  [[nodiscard]] virtual Result<std::uint64_t> scan(std::string_view first_key,
                                                   std::uint64_t entries_max) = 0;
  /// Flushes, and waits until no merge is wanted.
  [[nodiscard]] virtual Result<void> settle() = 0;
};

using MadeContender = Result<std::unique_ptr<Contender>>;

/// Ours with RocksDB's rules, and with LevelDB's.
[[nodiscard]] MadeContender make_engine_as_rocksdb(const ContenderSetup& setup);
[[nodiscard]] MadeContender make_engine_as_leveldb(const ContenderSetup& setup);
/// Where the build found the libraries (LSMLAB_WITH_ROCKSDB, LSMLAB_WITH_LEVELDB).
[[nodiscard]] MadeContender make_rocksdb(const ContenderSetup& setup);
[[nodiscard]] MadeContender make_leveldb(const ContenderSetup& setup);

}  // namespace lsmlab::engine
