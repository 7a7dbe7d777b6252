// How the text of a key is made from the 64-bit id that simulator and generators have in its place.
// It decides how many bytes neighbouring keys share, which the SSTables of RocksDB and LevelDB
// store once, and what codecs leave of a block. Texts sort like ids.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/error.h"
#include "models/base/recorded_keys.h"

namespace lsmlab {

enum class KeyText : std::uint8_t {
  kBinary,    // eight bytes, most significant first
  kDecimal,   // digits, with leading zeros
  kHex,       // digits 0 to f, with leading zeros
  kUser,      // "user" and decimal digits, as YCSB's
  kRecorded,  // not known, but how much keys share is
};

struct KeyFormat {
  KeyText text = KeyText::kBinary;
  std::uint8_t digits = 8;  // of the id; kBinary: bytes
  char padding = '\0';      // what follows up to the size of the key
  /// kRecorded: the bytes that keys share whose ids are 2^i apart, in 32nds of a byte.
  std::array<std::uint16_t, 64> shared_32nds = {};

  /// Reads "binary", "hex", "hex:12", "decimal:16", "decimal" or "user". Errors: other texts; more
  /// digits than an id needs.
  [[nodiscard]] static Result<KeyFormat> parse(std::string_view text);
  /// Recorded keys. REQUIRES: keys.shared_32nds is not empty.
  [[nodiscard]] static KeyFormat recorded(const RecordedKeys& keys);
  [[nodiscard]] std::string name() const;

  /// The bytes that hold the id: a key has at least as many. 0 for recorded keys.
  [[nodiscard]] std::uint64_t id_bytes() const;
  /// The largest id that has a text of its own. Larger ones have the text of this one.
  [[nodiscard]] std::uint64_t id_max() const;
  /// Different values of a digit: 256, 10 or 16.
  [[nodiscard]] std::uint64_t base() const;

  /// How many leading bytes the texts of two ids have in common; id_bytes() if they are equal. Of
  /// recorded keys it is right in the mean, and can be more than the bytes of a short key. REQUIRES
  /// of these: the ids differ.
  [[nodiscard]] std::uint64_t shared_bytes(std::uint64_t a, std::uint64_t b) const;
  /// REQUIRES: index < id_bytes(), so not of recorded keys.
  [[nodiscard]] unsigned char byte_of(std::uint64_t id, std::uint64_t index) const;
  /// How many ids in a row share their first `bytes` bytes: at most, and 2^64 if these are those of
  /// the word before the digits.
  [[nodiscard]] double ids_sharing(std::uint64_t bytes) const;

  /// Makes the key of an id: of a recorded one with the bytes of binary keys. REQUIRES: key_bytes
  /// >= id_bytes().
  void write(std::uint64_t id, std::uint64_t key_bytes, std::string& key) const;
  /// The id of a key that write() made.
  [[nodiscard]] std::uint64_t read(std::string_view key) const;

  friend bool operator==(const KeyFormat&, const KeyFormat&) = default;
};

}  // namespace lsmlab
