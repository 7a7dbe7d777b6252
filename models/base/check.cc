#include "models/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lsmlab {

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "lsmlab: bug: %s:%d: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace lsmlab
