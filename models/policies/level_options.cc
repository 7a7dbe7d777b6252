#include "models/policies/level_options.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 62;

}  // namespace

void LevelOptions::declare(OptionTable& table) {
  table.count("size_ratio", size_ratio, {2, 1024}, "",
              "T: capacity of a level divided by that of the level above; more: fewer levels, but "
              "more rewrites in each");
  table.bytes("file_size", file_size, {1, std::uint64_t{1} << 40},
              "data block bytes at which an output file of a merge ends; more: fewer and larger "
              "merges");
  table.optional_bytes("level_base", level_base, {1, kBytesMax},
                       "capacity of level 1; default: size_ratio * buffer; on a workload of flush "
                       "sizes, size_ratio * their mean");
  table.count("l0_trigger", l0_trigger, {1, 1024}, "runs",
              "number of flushes in level 0 that starts a merge into level 1; more: fewer "
              "rewrites, but more sorted runs for a read to visit");
}

void LevelOptions::resolve(const StoreOptions& store) {
  if (level_base) return;
  const Uint128 base = Uint128{store.buffer.value()} * size_ratio;
  level_base = Bytes(static_cast<std::uint64_t>(std::min<Uint128>(base, kBytesMax)));
}

Bytes LevelOptions::capacity(std::uint32_t level) const {
  CHECK(level_base && level >= 1);
  Uint128 bytes = level_base->value();
  for (std::uint32_t i = 1; i < level && bytes < kBytesMax; ++i) bytes *= size_ratio;
  return Bytes(static_cast<std::uint64_t>(std::min<Uint128>(bytes, kBytesMax)));
}

}  // namespace lsmlab
