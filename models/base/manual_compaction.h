// A manual compaction: merges that a client asks for, whatever the policy wants.
#pragma once

#include "models/base/units.h"

namespace lsmlab {

/// Which files it merges.
enum class ManualScope {
  kWhole,   // all, and files of the deepest level that nothing is merged into are rewritten
  kUpper,   // all but those of the deepest level that nothing is merged into
  kLevel0,  // those of level 0, into the next level that has data; nothing if there is none
  kLevel1,  // likewise those of the first level below level 0 that has data
};

/// Whether the memtable is flushed before it.
[[nodiscard]] constexpr bool flushes_first(ManualScope scope) {
  return scope == ManualScope::kWhole || scope == ManualScope::kUpper;
}

struct ManualCompaction {
  ManualScope scope = ManualScope::kWhole;
  // Files with smaller ids were there when it was asked for; its outputs have later ids.
  FileId first_new;
};

}  // namespace lsmlab
