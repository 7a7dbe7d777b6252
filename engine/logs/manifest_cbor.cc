// Decodes CBOR into values, after checking its shape: decoding recurses into nested items, so
// hostile input could otherwise overflow the stack.
#include <fmt/format.h>

#include <vector>

#include "engine/logs/manifest_codec.h"

namespace lsmlab::engine {
namespace {

// A record's items nest seven levels deep.
constexpr std::size_t kDepthMax = 16;

enum class MajorType : std::uint8_t { kUnsigned = 0, kText = 3, kArray = 4, kMap = 5, kSimple = 7 };
constexpr std::uint8_t kFalse = 20;
constexpr std::uint8_t kTrue = 21;

struct Head {
  MajorType type;
  std::uint64_t argument;
};

// The first byte of an item and the number that follows it. nullopt if cbor_of() would not write
// it: tags, indefinite lengths, negative numbers, fractions.
std::optional<Head> take_head(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(rest.front());
  rest.remove_prefix(1);
  const auto type = static_cast<MajorType>(first >> 5);
  const std::uint8_t info = first & 0x1f;
  switch (type) {
    case MajorType::kSimple:
      if (info != kFalse && info != kTrue) return std::nullopt;
      return Head{type, info};
    case MajorType::kUnsigned:
    case MajorType::kText:
    case MajorType::kArray:
    case MajorType::kMap:
      break;
    default:
      return std::nullopt;
  }
  if (info < 24) return Head{type, info};
  if (info > 27) return std::nullopt;
  const std::size_t digits = std::size_t{1} << (info - 24);
  if (rest.size() < digits) return std::nullopt;
  std::uint64_t argument = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    argument = argument << 8 | static_cast<std::uint8_t>(rest[i]);
  }
  rest.remove_prefix(digits);
  return Head{type, argument};
}

bool has_known_shape(std::string_view rest) {
  std::vector<std::uint64_t> open{1};  // items still to come in each enclosing array and map
  while (!open.empty()) {
    if (open.back() == 0) {
      open.pop_back();
      continue;
    }
    --open.back();
    const std::optional<Head> head = take_head(rest);
    // An item takes at least one byte, so no count of items or bytes may exceed the bytes left.
    if (!head) return false;
    if (head->type == MajorType::kUnsigned || head->type == MajorType::kSimple) continue;
    if (head->argument > rest.size() || open.size() > kDepthMax) return false;
    if (head->type == MajorType::kText) {
      rest.remove_prefix(head->argument);
    } else {
      open.push_back(head->type == MajorType::kMap ? 2 * head->argument : head->argument);
    }
  }
  return rest.empty();
}

std::string take_text(std::string_view& rest, std::uint64_t bytes) {
  std::string text(rest.substr(0, bytes));
  rest.remove_prefix(bytes);
  return text;
}

// Decodes the first item. REQUIRES: has_known_shape() of the whole. Throws if a map's names are not
// texts or not distinct.
CborValue value_of(std::string_view& rest) {
  const Head head = *take_head(rest);
  if (head.type == MajorType::kUnsigned) return head.argument;
  if (head.type == MajorType::kSimple) return head.argument == kTrue;
  if (head.type == MajorType::kText) return take_text(rest, head.argument);
  if (head.type == MajorType::kArray) {
    CborValue list = CborValue::array();
    for (std::uint64_t i = 0; i < head.argument; ++i) list.push_back(value_of(rest));
    return list;
  }
  CborValue map = CborValue::object();
  for (std::uint64_t i = 0; i < head.argument; ++i) {
    const std::string name = value_of(rest).get<std::string>();
    if (map.contains(name)) throw CborValue::exception("a map has two members of the same name");
    map[name] = value_of(rest);
  }
  return map;
}

}  // namespace

std::string cbor_of(const CborValue& json) {
  std::string cbor;
  json.append_to(cbor);
  return cbor;
}

bool looks_like_record(std::string_view cbor) {
  // A map with one member, then the length and text of the member's name.
  return cbor.starts_with("\xa1\x68snapshot") || cbor.starts_with(
                                                     "\xa1\x64"
                                                     "edit");
}

Result<CborValue> json_of_cbor(std::string_view cbor) {
  if (!has_known_shape(cbor)) return input_error("is not CBOR of a manifest");
  try {
    return value_of(cbor);
  } catch (const CborValue::exception& fault) {
    return input_error(fmt::format("is not CBOR of a manifest: {}", fault.what()));
  }
}

}  // namespace lsmlab::engine
