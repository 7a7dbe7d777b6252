// Replaces rocksdb_store.cc if RocksDB is not installed.
#include "engine/foreign/foreign_store.h"

namespace lsmlab::engine {

Result<void> check_rocksdb(const ConfiguredPolicy&) {
  return input_error("lsmlab was built without RocksDB: install librocksdb-dev and build it again");
}

Result<std::unique_ptr<ForeignStore>> open_rocksdb(const ForeignSetup& setup, ForeignLedger&) {
  return check_rocksdb(setup.run.policy).error();
}

std::string rocksdb_version() { return {}; }

}  // namespace lsmlab::engine
