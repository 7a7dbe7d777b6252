// No exception leaves the engine: what the language, a library or an embedding program's callback
// throws (no memory, no thread) becomes an error where a thread or a public function ends.
#pragma once

#include <optional>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab::engine {

/// The exception that is being handled, as a machine error: "WHERE: out of memory". Where there is
/// no memory even for that: "out of memory". REQUIRES: called while one is handled.
[[nodiscard]] Error caught_error(std::string_view where) noexcept;

/// Keeps an error for later; "out of memory" where there is none for a copy of it.
void keep_copy(const Error& error, std::optional<Error>& kept) noexcept;

/// What `work` returns, a Result, or the error of what it throws.
template <class Work>
[[nodiscard]] auto caught(std::string_view where, const Work& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return caught_error(where);
  }
}

}  // namespace lsmlab::engine
