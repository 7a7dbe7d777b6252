// An always-on assertion: a broken invariant is a bug, and a bug stops the program rather than
// yielding a number.
#pragma once

namespace lsmlab {

/// Prints where and what to standard error and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace lsmlab

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::lsmlab::check_failed(__FILE__, __LINE__, #condition))
