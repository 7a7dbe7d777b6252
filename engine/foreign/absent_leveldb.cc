// In place of leveldb_store.cc where LevelDB is not installed.
#include "engine/foreign/foreign_store.h"

namespace lsmlab::engine {

Result<void> check_leveldb(const ConfiguredPolicy&) {
  return input_error(
      "this lsmlab was built without LevelDB: install libleveldb-dev and build again");
}

Result<std::unique_ptr<ForeignStore>> open_leveldb(const ForeignSetup& setup, ForeignBook&) {
  return check_leveldb(setup.run.policy).error();
}

std::string leveldb_version() { return {}; }

}  // namespace lsmlab::engine
