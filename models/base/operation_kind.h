// The kinds of operations that a client sends to a store.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lsmlab {

enum class OperationKind : std::uint8_t { kPut, kDelete, kGet, kScan };
inline constexpr std::size_t kOperationKinds = 4;

}  // namespace lsmlab
