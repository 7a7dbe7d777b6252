// XXH3-64, compiled in place of the library's so that it can use the machine it runs on.
#pragma once

#include <cstdint>
#include <string_view>

namespace lsmlab::engine {

[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);
/// The same. REQUIRES: an x86-64 with AVX2.
[[nodiscard]] std::uint64_t checksum_avx2(std::string_view bytes);

}  // namespace lsmlab::engine
