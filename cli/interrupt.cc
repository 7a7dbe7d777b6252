#include "interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>

#include "traces/io/temporary_paths.h"
#include "verbs.h"

namespace lsmlab {
namespace {

// A signal handler may use lock-free atomics only.
std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal{0};
std::atomic<std::int64_t> stop_second{0};  // 0: no signal yet
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

void end_at_once(int signal) {
  remove_temporary_paths();
  ::_exit(kExitSignalled + signal);
}

void request_stop(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::int64_t first_second = 0;
  if (stop_second.compare_exchange_strong(first_second, now.tv_sec + 1)) {
    stop_signal.store(signal);
    stop_requested.store(true);
  } else if (now.tv_sec > first_second) {
    end_at_once(signal);
  }
}

}  // namespace

void end_on_interrupts() {
  std::signal(SIGINT, end_at_once);
  std::signal(SIGTERM, end_at_once);
}

void catch_interrupts() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

const std::atomic<bool>& interrupt_flag() { return stop_requested; }

int interrupt_exit_code() { return kExitSignalled + stop_signal.load(); }

}  // namespace lsmlab
