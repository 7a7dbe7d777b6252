#include "traces/importers/rocksdb_keys.h"

namespace lsmlab::importing {

Result<void> add_in_family(OperationKind kind, std::uint32_t family, std::string_view key,
                           std::uint64_t value_bytes, Stage& stage) {
  const std::string whole = family_key(family, key);
  return stage.add(
      {.kind = kind, .key = whole, .key_bytes = key.size(), .value_bytes = value_bytes});
}

Result<void> add_seek(std::uint32_t family, std::string_view key,
                      std::optional<std::string_view> upper_bound, Stage& stage) {
  const std::string whole = family_key(family, key);
  NamedOperation seek{
      .kind = OperationKind::kScan, .key = whole, .key_bytes = key.size(), .scan_entries_max = 1};
  std::string last;
  if (upper_bound || family != 0xffffffff) {  // no key follows the last family
    last = upper_bound ? family_key(family, *upper_bound) : family_key(family + 1, "");
    seek.bound = Bound::kExcluded;
    seek.last_key = last;
  }
  return stage.add(seek);
}

}  // namespace lsmlab::importing
