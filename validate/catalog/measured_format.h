// What a policy's SPEC needs to say of the store that is measured.
#pragma once

#include "models/base/spec.h"
#include "models/execution/run_setup.h"

namespace lsmlab {

/// Whether jemalloc gives this program its memory, and so a RocksDB in it its memtables.
[[nodiscard]] bool has_jemalloc();

/// Adds the table format that the store writes, if the SPEC does not state one, and the allocator
/// of a RocksDB in this process. The result then states them, and a simulation of it uses the same.
[[nodiscard]] Spec with_table_format(Spec policy, RunSource source);

}  // namespace lsmlab
