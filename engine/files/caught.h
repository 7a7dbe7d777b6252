// No exception leaves the engine. The language, a library or a callback of the embedding program
// may throw (no memory, no thread). At the end of a thread or public function such an exception
// becomes an error.
#pragma once

#include <optional>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab::engine {

/// The exception being handled, as a machine error: "WHERE: out of memory". If there is no memory
/// even for this text: "out of memory". REQUIRES: an exception is being handled.
[[nodiscard]] Error caught_error(std::string_view where) noexcept;

/// Keeps a copy of an error for later. If there is no memory for a copy, it keeps "out of memory".
void keep_copy(const Error& error, std::optional<Error>& kept) noexcept;

/// Returns the Result of `work`; if `work` throws, caught_error(where).
template <class Work>
[[nodiscard]] auto caught(std::string_view where, const Work& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return caught_error(where);
  }
}

}  // namespace lsmlab::engine
