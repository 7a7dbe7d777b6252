// Several client threads write until the machine stops at a random call. When the store is opened
// again, every write that any client saw acknowledged is there. LSMLAB_CRASH_ROUNDS: number of
// crashes.
#include <algorithm>
#include <thread>

#include "testing/engine/store_fixture.h"
#include "testing/engine/watchdog.h"

namespace lsmlab::engine::crash_threads_test {
namespace {

using testing::kDirectory;
using testing::Watchdog;

constexpr unsigned kClients = 4;
constexpr std::uint64_t kKeys = 23;  // per client

StoreSetup setup_of(const std::string& policy, FileSystem& disk) {
  StoreSetup setup = testing::small_setup(policy, disk);
  setup.mode = StoreMode::kThreaded;
  setup.merge_threads = 2;
  setup.stalls.full_memtables_max = 4;
  setup.sync = SyncRule::kEveryBatch;
  setup.manifest_bytes_max = Bytes(4'000);
  return setup;
}

// A client's batch n puts n under one key; every third batch also under a second key; every seventh
// batch removes a key. So each number of batches makes exactly one state of the client's keys.
struct ClientHistory {
  unsigned client = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t attempted = 0;

  [[nodiscard]] std::string key(std::uint64_t number) const {
    return fmt::format("{}/{:02}", client, number % kKeys);
  }
  [[nodiscard]] testing::ModelBatch batch(std::uint64_t number) const {
    // Values have many lengths, so that memtables, blocks and sectors end anywhere.
    const std::string value = fmt::format("{}:{}", number, std::string(number * 7 % 61, 'v'));
    testing::ModelBatch batch{{key(number), value}};
    if (number % 3 == 0) batch.emplace_back(key(number + 5), value);
    if (number % 7 == 0) batch.emplace_back(key(number + 11), std::nullopt);
    return batch;
  }
  [[nodiscard]] testing::StoreState state_after(std::uint64_t batches) const {
    testing::StoreState state;
    for (std::uint64_t number = 1; number <= batches; ++number) {
      for (const auto& [key, value] : batch(number)) {
        if (value) {
          state[key] = *value;
        } else {
          state.erase(key);
        }
      }
    }
    return state;
  }
  /// Writes until the store refuses, or `count` batches are written.
  void write(Store& store, std::uint64_t count) {
    for (; count > 0; --count) {
      ++attempted;
      if (!testing::write_batch(store, batch(attempted))) return;
      acknowledged = attempted;
    }
  }
};

// The part of a state that holds one client's keys.
testing::StoreState keys_of(const testing::StoreState& all, unsigned client) {
  testing::StoreState own;
  const std::string prefix = fmt::format("{}/", client);
  for (const auto& [key, value] : all) {
    if (key.starts_with(prefix)) own.emplace(key, value);
  }
  return own;
}

// Continues the history from the recovered state. Returns an empty text if every acknowledged batch
// is there and no batch is there in part.
std::string settle_history(ClientHistory& history, const testing::StoreState& found) {
  for (std::uint64_t n = history.acknowledged; n <= history.attempted; ++n) {
    if (keys_of(found, history.client) != history.state_after(n)) continue;
    history.acknowledged = history.attempted = n;
    return {};
  }
  return fmt::format("client {}: not what its first {} batches make, nor {}", history.client,
                     history.acknowledged, history.attempted);
}

std::string write_and_crash(FaultFileSystem& disk, const std::string& policy,
                            std::vector<ClientHistory>& histories, std::uint64_t batches) {
  auto opened = Store::open(kDirectory, setup_of(policy, disk));
  if (!opened) return {};  // the machine stopped before it was open
  std::vector<std::thread> threads;
  for (ClientHistory& history : histories) {
    threads.emplace_back([&] { history.write(*opened.value(), batches); });
  }
  for (std::thread& thread : threads) thread.join();
  // A store without an error must not refuse writes.
  const bool is_whole = std::all_of(histories.begin(), histories.end(), [](const auto& history) {
    return history.acknowledged == history.attempted;
  });
  if (!disk.has_stopped() && !is_whole) return opened.value()->background_error().error().message;
  static_cast<void>(opened.value()->close());
  return {};
}

TEST_CASE("crash: what was acknowledged to any of several clients survives a power cut") {
  const Watchdog watchdog("several clients and power cuts");
  const std::uint64_t rounds = testing::number_from("LSMLAB_CRASH_ROUNDS", 12);
  constexpr LossMode kLossModes[] = {LossMode::kReordered, LossMode::kPrefix, LossMode::kEverything,
                                     LossMode::kNothing};
  std::uint64_t seed = testing::number_from("LSMLAB_CRASH_SEED", 1);
  std::uint64_t acknowledged = 0;
  for (const std::string policy : {"leveled", "leveldb", "tiered", "rocksdb-universal"}) {
    FaultFileSystem disk(seed);
    std::mt19937_64 random(seed++);
    std::vector<ClientHistory> histories(kClients);
    for (unsigned i = 0; i < kClients; ++i) histories[i].client = i;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const LossMode loss = kLossModes[random() % std::size(kLossModes)];
      const std::uint64_t call = 1 + random() % 1'500;
      INFO(policy << ", seed " << seed - 1 << ", round " << round << ", crash at call " << call
                  << ", loss mode " << static_cast<int>(loss));
      disk.crash_at(call);
      REQUIRE(write_and_crash(disk, policy, histories, 20 + random() % 200) == "");
      if (!disk.has_stopped()) disk.crash();
      disk.restart(random(), loss);
      const auto store = Store::open(kDirectory, setup_of(policy, disk));
      REQUIRE((store ? "" : store.error().message) == "");
      const auto found = testing::scan_all(*store.value());
      REQUIRE((found ? "" : found.error().message) == "");
      for (ClientHistory& history : histories) {
        REQUIRE(settle_history(history, found.value()) == "");
      }
      REQUIRE(testing::gets_differ(*store.value(), found.value()) == "");
      REQUIRE(testing::tree_fault(*store.value()) == "");
      REQUIRE(store.value()->close());
    }
    for (const ClientHistory& history : histories) acknowledged += history.acknowledged;
  }
  REQUIRE(acknowledged > 100 * rounds);
}

}  // namespace
}  // namespace lsmlab::engine::crash_threads_test
