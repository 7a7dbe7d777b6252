// What Ctrl-C and SIGTERM do. While the process reads input or writes output, they end it at once
// and leave no half-written file. During a run the first signal asks the run to end and to keep its
// results so far. A second signal that comes at least a second later ends the process. (`timeout`
// and terminals may deliver one signal twice.)
#pragma once

#include <atomic>

namespace lsmlab {

/// From now on a signal ends the process at once. The exit code is 128 plus the signal's number.
/// Temporary files (traces/io/temporary_paths.h) are removed.
void end_on_interrupts();
/// From now on the first signal sets the flag.
void catch_interrupts();
/// Set by the first signal. Long work looks at it and ends.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();
/// 128 plus the signal's number, as in shells. REQUIRES: the flag is set.
[[nodiscard]] int interrupt_exit_code();

}  // namespace lsmlab
