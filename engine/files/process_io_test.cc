#include "engine/files/process_io.h"

#include <sched.h>

#include "testing/catch.h"

namespace lsmlab::engine::process_io_test {
namespace {

TEST_CASE("the core of a thread is one that it may be on") {
  const std::int64_t self = thread_number();
  const int before = ::sched_getcpu();
  const std::optional<unsigned> core = last_core_of(self);
  const int after = ::sched_getcpu();
  REQUIRE(core.has_value());
  if (before == after) {
    // The thread may have lost the core in between, but not every time.
    bool was_there = false;
    for (int i = 0; i < 100 && !was_there; ++i) {
      was_there = last_core_of(self) == static_cast<unsigned>(::sched_getcpu());
    }
    REQUIRE(was_there);
  }
  REQUIRE(*core < CPU_SETSIZE);
  REQUIRE_FALSE(last_core_of(-1).has_value());
}

}  // namespace
}  // namespace lsmlab::engine::process_io_test
