// An assertion that is always on. A broken invariant is a bug, and the program stops instead of
// printing a wrong number.
#pragma once

namespace lsmlab {

/// Prints the place and the condition to standard error, and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace lsmlab

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::lsmlab::check_failed(__FILE__, __LINE__, #condition))
