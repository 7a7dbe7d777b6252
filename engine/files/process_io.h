// Counters that the kernel keeps for this process and its threads.
#pragma once

#include <cstdint>
#include <optional>

namespace lsmlab::engine {

/// Bytes that this process has passed to write calls so far (/proc/self/io, wchar); nothing if the
/// system does not provide it.
[[nodiscard]] std::optional<std::uint64_t> process_bytes_written();

/// How long this thread has run on a core, and how long it was runnable but waited for a core
/// (/proc/thread-self/schedstat). The wait is 0 if the system does not provide it.
struct ThreadTimes {
  std::uint64_t processor_ns = 0;
  std::uint64_t core_wait_ns = 0;
};
[[nodiscard]] ThreadTimes thread_times();

/// The system's number of this thread.
[[nodiscard]] std::int64_t thread_number();
/// The core on which a thread of this process runs or ran last (/proc/self/task/N/stat); nothing if
/// the system does not provide it.
[[nodiscard]] std::optional<unsigned> last_core_of(std::int64_t thread);

}  // namespace lsmlab::engine
