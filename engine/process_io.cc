#include "engine/process_io.h"

#include <ctime>
#include <fstream>
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
  // The scheduler's own count of work is brought up to date by its ticks only.
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

}  // namespace lsmlab::engine
