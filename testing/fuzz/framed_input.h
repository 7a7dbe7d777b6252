// Inputs for logs of framed records. Mutations rarely keep a checksum valid, so an input may have
// its records framed here: its first byte is 1, and each record is preceded by its length. After
// any other first byte, the rest is the file itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/logs/field_codec.h"
#include "engine/logs/record_log.h"

namespace lsmlab::engine {

inline constexpr char kFramedInput = 1;

[[nodiscard]] inline std::string file_of_input(std::string_view input) {
  if (input.empty()) return {};
  FieldReader fields(input.substr(1));
  if (input.front() != kFramedInput) return std::string(fields.rest());
  std::string file;
  while (const auto length = fields.fixed<std::uint16_t>()) {
    const auto size = std::min<std::size_t>(*length, fields.rest().size());
    append_record(file, fields.bytes(size).value_or(std::string_view()));
  }
  file += fields.rest();
  return file;
}

/// Adds a record to an input that begins with kFramedInput. REQUIRES: less than 64 KiB.
inline void append_framed(std::string& input, std::string_view payload) {
  append_fixed(input, static_cast<std::uint16_t>(payload.size()));
  input += payload;
}

}  // namespace lsmlab::engine
