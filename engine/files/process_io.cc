#include "engine/files/process_io.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace lsmlab::engine {

std::optional<std::uint64_t> process_bytes_written() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t count = 0;
  while (io >> name >> count) {
    if (name == "wchar:") return count;
  }
  return std::nullopt;
}

ThreadTimes thread_times() {
  // The scheduler updates its own count only at its ticks.
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  ThreadTimes times;
  times.processor_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                       static_cast<std::uint64_t>(now.tv_nsec);
  std::ifstream schedstat("/proc/thread-self/schedstat");
  std::uint64_t worked_ns = 0;
  std::uint64_t waited_ns = 0;
  if (schedstat >> worked_ns >> waited_ns) times.core_wait_ns = waited_ns;
  return times;
}

std::int64_t thread_number() { return ::gettid(); }

std::optional<unsigned> last_core_of(std::int64_t thread) {
  std::ifstream stat(fmt::format("/proc/self/task/{}/stat", thread));
  std::string line;
  std::getline(stat, line);
  // The second field is a name in parentheses, which may contain any character.
  constexpr unsigned kFieldsBetween = 36;
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 1)));
  std::string field;
  for (unsigned i = 0; i < kFieldsBetween; ++i) fields >> field;
  unsigned core = 0;
  if (!(fields >> core)) return std::nullopt;
  return core;
}

}  // namespace lsmlab::engine
