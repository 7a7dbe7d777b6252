#include "traces/stores/rocksdb_ages.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::uint64_t kUnset = 0xfffffffffffffffe;  // RocksDB then chooses the value
constexpr std::uint64_t kMonth = 30 * 86'400;
constexpr std::uint64_t kAgeMax = std::uint64_t{1} << 40;
constexpr std::string_view kTtl = "ttl";
constexpr std::string_view kPeriodic = "periodic_compaction_seconds";

std::uint64_t seconds_of(const OptionLookup& value, std::string_view name, std::uint64_t unset) {
  const auto text = value(name);
  const auto number = text ? leading_number(*text) : std::nullopt;
  if (!number) return 0;
  return *number == kUnset ? unset : *number;
}

// No data becomes so old.
bool never_comes(std::uint64_t seconds) { return seconds > kAgeMax; }

// The younger of two ages, of which 0 is none.
std::uint64_t younger(std::uint64_t a, std::uint64_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

bool is_set(const OptionLookup& value, std::string_view name) {
  const auto text = value(name);
  return text && *text != "nullptr";
}

// With a table of blocks, a ttl of 0 is the other age, and 30 days where neither is set.
std::uint64_t fifo_ttl(const OptionLookup& value, bool has_blocks) {
  const std::uint64_t ttl = seconds_of(value, kTtl, 0);
  if (ttl > 0) return younger(ttl, seconds_of(value, kPeriodic, 0));
  return has_blocks ? seconds_of(value, kPeriodic, kMonth) : 0;
}

// As SanitizeOptions leaves them: also ages that never come.
RocksdbAges sanitized_ages(const OptionLookup& value) {
  const auto style = value("compaction_style");
  const bool has_blocks = value("table_factory").value_or("BlockBasedTable") == "BlockBasedTable";
  const bool has_filter =
      is_set(value, "compaction_filter") || is_set(value, "compaction_filter_factory");
  const std::uint64_t standard = has_blocks ? kMonth : 0;
  if (style == "kCompactionStyleFIFO") return {fifo_ttl(value, has_blocks), 0};
  const std::uint64_t ttl = seconds_of(value, kTtl, standard);
  const std::uint64_t periodic = seconds_of(value, kPeriodic, has_filter ? standard : 0);
  if (style == "kCompactionStyleUniversal") return {0, younger(ttl, periodic)};
  return {ttl, periodic};
}

}  // namespace

RocksdbAges rocksdb_ages(const OptionLookup& value) {
  RocksdbAges ages = sanitized_ages(value);
  if (never_comes(ages.ttl)) ages.ttl = 0;
  if (never_comes(ages.periodic)) ages.periodic = 0;
  return ages;
}

std::vector<std::string> changed_rocksdb_ages(const OptionLookup& value) {
  std::vector<std::string> changed;
  for (const std::string_view name : {kTtl, kPeriodic}) {
    const auto text = value(name);
    const auto number = text ? leading_number(*text) : std::nullopt;
    const bool is_default =
        number && (*number == 0 || never_comes(*number) || (name == kTtl && *number == kMonth));
    if (text && !is_default) changed.push_back(fmt::format("{}={}", name, *text));
  }
  return changed;
}

}  // namespace lsmlab::stores
