// Ctrl-C and SIGTERM: the first asks the work to end and keep what it has, one that comes more than
// a second later ends the process as usual. (`timeout` and terminals may deliver one request
// twice.)
#pragma once

#include <atomic>

namespace lsmlab {

/// From here on. Until then signals end the process.
void catch_interrupts();
/// Set by the first signal; for long work to look at.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();
/// 128 plus the signal, as shells have it. REQUIRES: the flag is set.
[[nodiscard]] int interrupt_exit_code();

}  // namespace lsmlab
