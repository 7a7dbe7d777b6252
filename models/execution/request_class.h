// Classes of requests that a system keeps apart, so that none waits behind one of another class
// (SILK+): by the way that a request takes through the store, and by its size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "models/base/operation_kind.h"

namespace lsmlab {

enum class RequestClass { kSmallWrite, kLargeWrite, kLookup, kScan };
inline constexpr std::size_t kRequestClasses = 4;

/// `bytes`: of key and value of a put or delete; `large`: the least of a large one.
[[nodiscard]] inline RequestClass request_class(OperationKind kind, std::uint64_t bytes,
                                                std::uint64_t large) {
  switch (kind) {
    case OperationKind::kGet:
      return RequestClass::kLookup;
    case OperationKind::kScan:
      return RequestClass::kScan;
    case OperationKind::kPut:
    case OperationKind::kDelete:
      break;
  }
  return bytes >= large ? RequestClass::kLargeWrite : RequestClass::kSmallWrite;
}

/// How many of the clients may do requests of one class at a time, so that each of the other
/// classes always has an eighth of the clients, and at least one. REQUIRES: at least
/// kRequestClasses clients.
[[nodiscard]] inline std::size_t clients_of_class_max(std::size_t clients) {
  const std::size_t kept = std::max<std::size_t>(1, clients / 8);
  return clients - (kRequestClasses - 1) * kept;
}

}  // namespace lsmlab
