#include "traces/files/recorded_keys.h"

#include <fmt/format.h>

#include <cmath>

#include "models/base/json_parse.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCount = "count";
constexpr const char* kShared = "shared_bytes";
constexpr double kParts = 32;          // of a byte
constexpr double kSharedMax = 65'535;  // the longest key
constexpr std::size_t kDistancesMax = 64;

Error not_recorded_keys(const char* expected) {
  return input_error(
      fmt::format("the provenance's {}: expected {}", kRecordedKeysMember, expected));
}

}  // namespace

Json recorded_keys_json(const RecordedKeys& keys) {
  Json shared = Json::array();
  for (const std::uint32_t bytes : keys.shared_32nds) {
    shared.push_back(static_cast<double>(bytes) / kParts);
  }
  return {{kCount, keys.count}, {kShared, std::move(shared)}};
}

Result<std::optional<RecordedKeys>> recorded_keys_of(std::string_view provenance) {
  if (provenance.empty()) return std::optional<RecordedKeys>();
  const auto json = parse_json(provenance);
  // A provenance may be any text.
  if (!json || !json.value().is_object() || !json.value().contains(kRecordedKeysMember)) {
    return std::optional<RecordedKeys>();
  }
  const Json& member = json.value()[kRecordedKeysMember];
  const bool has_members =
      member.is_object() && member.contains(kCount) && member.contains(kShared);
  if (!has_members || !member[kCount].is_number_unsigned() || member[kCount] == 0) {
    return not_recorded_keys("a count above 0 and shared_bytes");
  }
  const Json& shared = member[kShared];
  if (!shared.is_array() || shared.empty() || shared.size() > kDistancesMax) {
    return not_recorded_keys("1 to 64 shared_bytes");
  }
  RecordedKeys keys{member[kCount].get<std::uint64_t>()};
  for (const Json& bytes : shared) {
    const double number = bytes.is_number() ? bytes.get<double>() : -1;
    if (!(number >= 0 && number <= kSharedMax)) {
      return not_recorded_keys("shared_bytes from 0 to 65535");
    }
    keys.shared_32nds.push_back(static_cast<std::uint32_t>(std::lround(number * kParts)));
  }
  return std::optional(std::move(keys));
}

}  // namespace lsmlab
