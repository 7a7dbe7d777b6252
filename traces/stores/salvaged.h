// The result of reading a file that may be cut, damaged or still being written: what could be read,
// and the first fault.
#pragma once

#include <optional>

#include "models/base/error.h"

namespace lsmlab::stores {

template <class T>
struct Salvaged {
  T value = {};
  std::optional<Error> fault = {};  // none: all of the input was read
};

}  // namespace lsmlab::stores
