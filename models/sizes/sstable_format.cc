#include "models/sizes/sstable_format.h"

#include <fmt/format.h>

namespace lsmlab {

std::vector<std::string> SstableFormat::validate() const {
  constexpr std::uint32_t kBlockBytesMin = 64;
  const std::uint32_t largest = block_bytes_max(layout);
  constexpr std::uint32_t kMillibitsMax = 100'000;
  std::vector<std::string> faults;
  if (block_bytes < kBlockBytesMin || block_bytes > largest) {
    faults.push_back(fmt::format("block_bytes={} is out of range; expected {}..{}", block_bytes,
                                 kBlockBytesMin, largest));
  }
  if (filter_millibits_per_key > kMillibitsMax) {
    faults.push_back(
        fmt::format("a filter of {} thousandths of a bit per key is too large; "
                    "expected at most {}",
                    filter_millibits_per_key, kMillibitsMax));
  }
  if (has_first_keys && layout != SstableLayout::kLsmlab) {
    faults.push_back("only the layout of lsmlab has first keys of blocks in its index");
  }
  return faults;
}

}  // namespace lsmlab
