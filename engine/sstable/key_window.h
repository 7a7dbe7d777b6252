// What policies see of a key: a 64-bit number, its window, which never falls as keys rise. Keys are
// strings of any bytes. The window is the eight bytes after a prefix that most keys of the store
// share, with zeros if the key is shorter. Keys that sort before the prefix have window 0; keys
// that sort after it have the largest number.
//
// Different keys may have the same window. Files are therefore never cut between keys of one
// window, so key ranges of files and slices, which are ranges of windows, still separate all keys.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lsmlab::engine {

class KeyWindow {
 public:
  KeyWindow() = default;
  explicit KeyWindow(std::string prefix) : prefix_(std::move(prefix)) {}

  [[nodiscard]] const std::string& prefix() const { return prefix_; }

  [[nodiscard]] std::uint64_t of(std::string_view key) const {
    if (!prefix_.empty()) {
      const int order = key.substr(0, prefix_.size()).compare(prefix_);
      if (order != 0) return order < 0 ? 0 : ~std::uint64_t{0};
      key.remove_prefix(prefix_.size());
    }
    std::uint64_t bytes = 0;
    if (key.size() >= sizeof bytes) {  // compiles to one load instead of a call
      std::memcpy(&bytes, key.data(), sizeof bytes);
    } else if (!key.empty()) {
      std::memcpy(&bytes, key.data(), key.size());
    }
    static_assert(std::endian::native == std::endian::little);
    return __builtin_bswap64(bytes);
  }

 private:
  std::string prefix_;
};

}  // namespace lsmlab::engine
