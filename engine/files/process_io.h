// What the kernel counts for this process and its threads.
#pragma once

#include <cstdint>
#include <optional>

namespace lsmlab::engine {

/// Bytes that this process has handed to write calls so far (/proc/self/io, wchar); nothing where
/// the system does not tell.
[[nodiscard]] std::optional<std::uint64_t> process_bytes_written();

/// For how long this thread has been on a core so far, and has waited for one though it could have
/// gone on (/proc/thread-self/schedstat); the latter is 0 where the system does not tell.
struct ThreadTimes {
  std::uint64_t processor_ns = 0;
  std::uint64_t core_wait_ns = 0;
};
[[nodiscard]] ThreadTimes thread_times();

/// The system's number of this thread, and on which core one of this process's is or was last
/// (/proc/self/task/N/stat); nothing where the system does not tell.
[[nodiscard]] std::int64_t thread_number();
[[nodiscard]] std::optional<unsigned> last_core_of(std::int64_t thread);

}  // namespace lsmlab::engine
