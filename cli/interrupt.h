// Ctrl-C and SIGTERM. While input is read and output is written, they end the process at once and
// leave no half-written file. While a run goes on, the first asks it to end and keep what it has;
// one that comes more than a second later ends the process. (`timeout` and terminals may deliver
// one request twice.)
#pragma once

#include <atomic>

namespace lsmlab {

/// From here on signals end the process at once, with 128 plus the signal as its exit code; what is
/// registered as temporary (traces/io/temporary_paths.h) is removed.
void end_on_interrupts();
/// From here on the first sets the flag.
void catch_interrupts();
/// Set by the first signal; for long work to look at.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();
/// 128 plus the signal, as shells have it. REQUIRES: the flag is set.
[[nodiscard]] int interrupt_exit_code();

}  // namespace lsmlab
