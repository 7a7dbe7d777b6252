// In place of rocksdb_store.cc where RocksDB is not installed.
#include "engine/foreign/foreign_store.h"

namespace lsmlab::engine {

Result<void> check_rocksdb(const ConfiguredPolicy&) {
  return input_error(
      "this lsmlab was built without RocksDB: install librocksdb-dev and build again");
}

Result<std::unique_ptr<ForeignStore>> open_rocksdb(const ForeignSetup& setup, ForeignBook&) {
  return check_rocksdb(setup.run.policy).error();
}

std::string rocksdb_version() { return {}; }

}  // namespace lsmlab::engine
