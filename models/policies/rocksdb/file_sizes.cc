#include "models/policies/rocksdb/file_sizes.h"

namespace lsmlab {

void declare_file_size_multiplier(OptionTable& table, std::uint64_t& multiplier) {
  table.count("file_size_multiplier", multiplier, {1, 1024}, "",
              "RocksDB's target_file_size_multiplier: how much larger the files of each deeper "
              "level are; larger: fewer files, and larger merges in deep levels");
}

Bytes rocksdb_file_bytes(Bytes file_size, std::uint64_t multiplier, std::uint32_t step) {
  constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 62;
  std::uint64_t bytes = file_size.value();
  for (std::uint32_t i = 1; i < step && multiplier > 1; ++i) {
    if (bytes > kBytesMax / multiplier) return Bytes(kBytesMax);
    bytes *= multiplier;
  }
  return Bytes(bytes);
}

}  // namespace lsmlab
