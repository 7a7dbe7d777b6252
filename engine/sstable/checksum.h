// XXH3-64, compiled here instead of using the library, so that it can use the machine's
// instructions.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace lsmlab::engine {

[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);
/// checksum_of() with AVX2. REQUIRES: an x86-64 with AVX2.
[[nodiscard]] std::uint64_t checksum_avx2(std::string_view bytes);

/// checksum_of() for bytes that come in several pieces, for data too large to copy together.
/// Slower.
class RunningChecksum {
 public:
  explicit RunningChecksum(std::uint64_t seed = 0);
  RunningChecksum(const RunningChecksum&) = delete;
  RunningChecksum& operator=(const RunningChecksum&) = delete;
  ~RunningChecksum();

  void add(std::string_view bytes);
  /// The checksum of all bytes added so far.
  [[nodiscard]] std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lsmlab::engine
