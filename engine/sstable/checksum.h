// XXH3-64, compiled in place of the library's so that it can use the machine it runs on.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace lsmlab::engine {

[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);
/// The same. REQUIRES: an x86-64 with AVX2.
[[nodiscard]] std::uint64_t checksum_avx2(std::string_view bytes);

/// The same of bytes that come in parts, slower: for what is too large to be put together.
class RunningChecksum {
 public:
  explicit RunningChecksum(std::uint64_t seed = 0);
  RunningChecksum(const RunningChecksum&) = delete;
  RunningChecksum& operator=(const RunningChecksum&) = delete;
  ~RunningChecksum();

  void add(std::string_view bytes);
  /// Of all that was added.
  [[nodiscard]] std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lsmlab::engine
