// lsmlab's engine, set up like its two opponents.
#include <fmt/format.h>

#include "engine/benchmark/contender.h"
#include "engine/files/posix_file_system.h"
#include "engine/store/store.h"
#include "models/base/spec.h"
#include "models/policies/registry.h"

namespace lsmlab::engine {
namespace {

class EngineContender final : public Contender {
 public:
  [[nodiscard]] Result<void> open(const std::string& directory, StoreSetup setup) {
    setup.files = &files_;
    store_ = BOOST_OUTCOME_TRYX(Store::open(directory, std::move(setup)));
    return success();
  }
  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value) override {
    return store_->put(key, value);
  }
  [[nodiscard]] Result<bool> get(std::string_view key, std::string& value) override {
    std::optional<std::string> found = BOOST_OUTCOME_TRYX(store_->get(key));
    if (!found) return false;
    value = std::move(*found);
    return true;
  }
  [[nodiscard]] Result<std::uint64_t> scan(std::string_view first_key,
                                           std::uint64_t entries_max) override {
    const std::unique_ptr<Cursor> cursor = store_->scan({std::string(first_key), std::nullopt});
    std::uint64_t entries = 0;
    while (entries < entries_max) {
      const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
      if (!has_entry) break;
      entries += !cursor->key().empty() && !cursor->value().empty();
    }
    return entries;
  }
  [[nodiscard]] Result<void> settle() override { return store_->flush(); }

 private:
  PosixFileSystem files_;  // outlives the store
  std::unique_ptr<Store> store_;
};

// Sizes and filters that both sides share; `rules`: the policy and its own options.
Result<StoreSetup> setup_of(std::string_view rules, const ContenderSetup& setup) {
  const std::string text = fmt::format(
      "{},size_ratio=10,file_size={},l0_trigger=4,buffer={},bits_per_key={},block_cache={}", rules,
      kContenderFileBytes, kContenderBufferBytes, kContenderFilterBitsPerKey,
      setup.block_cache_bytes);
  const Spec spec = BOOST_OUTCOME_TRYX(parse_spec(text));
  StoreSetup store;
  store.policy = BOOST_OUTCOME_TRYX(make_policy(spec));
  store.mode = StoreMode::kThreaded;
  store.merge_threads = setup.merge_threads;
  store.sync = SyncRule::kNever;
  store.sync_files = true;  // as RocksDB and LevelDB do
  store.wal_buffer = Bytes(0);
  return store;
}

MadeContender opened(const std::string& directory, StoreSetup store) {
  auto contender = std::make_unique<EngineContender>();
  BOOST_OUTCOME_TRYV(contender->open(directory, std::move(store)));
  return contender;
}

}  // namespace

MadeContender make_engine_as_rocksdb(const ContenderSetup& setup) {
  const std::string rules =
      fmt::format("rocksdb-leveled:level_base={}", 10 * kContenderBufferBytes);
  StoreSetup store = BOOST_OUTCOME_TRYX(setup_of(rules, setup));
  store.stalls = policy_family("rocksdb-leveled")->stalls;
  return opened(setup.directory, std::move(store));
}

MadeContender make_engine_as_leveldb(const ContenderSetup& setup) {
  // LevelDB's level 1 has 10 MiB, whatever the size of the buffer.
  StoreSetup store = BOOST_OUTCOME_TRYX(setup_of("leveldb:level_base=10MiB", setup));
  store.stalls = policy_family("leveldb")->stalls;
  return opened(setup.directory, std::move(store));
}

}  // namespace lsmlab::engine
