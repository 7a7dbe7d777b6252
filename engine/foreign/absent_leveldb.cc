// Replaces leveldb_store.cc if LevelDB is not installed.
#include "engine/foreign/foreign_store.h"

namespace lsmlab::engine {

Result<void> check_leveldb(const ConfiguredPolicy&) {
  return input_error("lsmlab was built without LevelDB: install libleveldb-dev and build it again");
}

Result<std::unique_ptr<ForeignStore>> open_leveldb(const ForeignSetup& setup, ForeignLedger&) {
  return check_leveldb(setup.run.policy).error();
}

std::string leveldb_version() { return {}; }

}  // namespace lsmlab::engine
