// Which versions of a key LevelDB's flush writes: all that the memtable has, also overwritten ones
// (db/builder.cc, BuildTable). RocksDB's flush writes only the newest, as a merge does.
#pragma once

#include "models/base/options.h"

namespace lsmlab {

inline void declare_flush_versions(OptionTable& table, bool& keeps_overwritten) {
  table.flag("flush_keeps_overwritten", keeps_overwritten,
             "a flush also writes versions of a key that the memtable has newer ones of, and the "
             "first merge of its file drops them; without: fewer bytes of flushes where keys are "
             "updated soon again");
}

}  // namespace lsmlab
