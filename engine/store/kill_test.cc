// Kills a writing process at random moments. Every write that it acknowledged must be there.
// LSMLAB_KILLS=300 kills more often.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/files/posix_file_system.h"
#include "testing/engine/store_fixture.h"
#include "traces/io/byte_file.h"

namespace lsmlab::engine::kill_test {
namespace {

constexpr std::uint64_t kKeys = 500;

StoreSetup setup_of(FileSystem& files, std::uint64_t turn) {
  const auto& specs = testing::policy_specs();
  StoreSetup setup = testing::small_setup(specs[turn % specs.size()], files);
  // A killed process loses no bytes that it has written to the file.
  setup.sync = turn % 2 == 0 ? SyncRule::kEveryBatch : SyncRule::kNever;
  setup.mode = turn / 2 % 2 == 0 ? StoreMode::kThreaded : StoreMode::kStepped;
  setup.merge_threads = 2;
  setup.policy.store.compression.levels = {
      {turn % 3 == 0 ? Compression::kZstd : Compression::kNone}};
  setup.manifest_bytes_max = Bytes(20'000);
  return setup;
}

// The n-th batch puts the number n under its own key and under one key that every batch has, so an
// incomplete batch shows. Every seventh batch removes its key.
std::string key_of(std::uint64_t n) { return fmt::format("key{:05}", n * 7'919 % kKeys); }

Result<void> write_numbered(Store& store, std::uint64_t n) {
  WriteBatch batch;
  const std::string value = fmt::format("{}:{}", n, std::string(n % 40, 'v'));
  if (n % 7 == 0) {
    batch.remove(key_of(n));
  } else {
    batch.put(key_of(n), value);
  }
  batch.put("newest", fmt::format("{}", n));
  return store.write(batch);
}

// The state after the first `count` batches; only the last kKeys of them still show.
testing::StoreState state_after(std::uint64_t count) {
  testing::StoreState state;
  for (std::uint64_t n = count > kKeys ? count - kKeys + 1 : 1; n <= count; ++n) {
    if (n % 7 == 0) {
      state.erase(key_of(n));
    } else {
      state[key_of(n)] = fmt::format("{}:{}", n, std::string(n % 40, 'v'));
    }
  }
  if (count > 0) state["newest"] = fmt::format("{}", count);
  return state;
}

// In the child: writes from batch `count` on until it is killed, and reports each success to the
// pipe.
[[noreturn]] void write_until_killed(const std::string& path, std::uint64_t turn,
                                     std::uint64_t count, int pipe) {
  PosixFileSystem files;
  auto opened = Store::open(path, setup_of(files, turn));
  if (!opened) ::_exit(2);
  for (std::uint64_t n = count + 1;; ++n) {
    if (!write_numbered(*opened.value(), n)) ::_exit(3);
    if (::write(pipe, &n, sizeof n) != sizeof n) ::_exit(4);
  }
}

// Returns the last number that the pipe reports. Kills the child after `wanted` numbers and then
// some nanoseconds.
std::uint64_t watch_and_kill(pid_t child, int pipe, std::uint64_t count, std::uint64_t wanted,
                             long nanoseconds) {
  std::uint64_t number = 0;
  std::uint64_t seen = 0;
  while (::read(pipe, &number, sizeof number) == sizeof number) {
    count = number;
    if (++seen != wanted) continue;
    const timespec pause{0, nanoseconds};
    ::nanosleep(&pause, nullptr);
    ::kill(child, SIGKILL);
  }
  // The child ended by itself only if something failed.
  if (seen < wanted) ::kill(child, SIGKILL);
  return count;
}

TEST_CASE("kill: a process that is killed while it writes loses nothing that it acknowledged") {
#if defined(__SANITIZE_THREAD__)
  return;  // that sanitizer does not follow a fork
#endif
  const std::uint64_t kills = testing::number_from("LSMLAB_KILLS", 14);
  const std::uint64_t seed = testing::number_from("LSMLAB_SEED", 1);
  std::mt19937_64 random(seed);
  const std::size_t policies = testing::policy_specs().size();
  std::vector<std::unique_ptr<TemporaryDirectory>> directories;
  std::vector<std::uint64_t> counts(policies, 0);
  for (std::size_t i = 0; i < policies; ++i) {
    directories.push_back(TemporaryDirectory::create("").value());
  }
  for (std::uint64_t turn = 0; turn < kills; ++turn) {
    const std::uint64_t wanted = 1 + random() % 250;
    const long nanoseconds = static_cast<long>(random() % 3'000'000);
    INFO("seed " << seed << ", kill " << turn << " after " << wanted << " writes");
    const std::string path = directories[turn % policies]->path() + "/store";
    std::uint64_t& count = counts[turn % policies];
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::close(ends[0]);
      write_until_killed(path, turn, count, ends[1]);
    }
    ::close(ends[1]);
    const std::uint64_t acknowledged = watch_and_kill(child, ends[0], count, wanted, nanoseconds);
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(WTERMSIG(status) == SIGKILL);

    PosixFileSystem files;
    const auto store = Store::open(path, setup_of(files, turn));
    INFO((store ? "" : store.error().message));
    REQUIRE(store);
    const auto found = testing::scan_all(*store.value());
    REQUIRE(found);
    const auto newest = found.value().find("newest");
    count = newest == found.value().end() ? 0 : std::stoull(newest->second);
    // The unacknowledged write may be there or not.
    REQUIRE(count >= acknowledged);
    REQUIRE(count <= acknowledged + 1);
    const bool is_right = found.value() == state_after(count);
    REQUIRE(is_right);
    REQUIRE(testing::gets_differ(*store.value(), found.value()) == "");
    REQUIRE(testing::tree_fault(*store.value()) == "");
    for (int i = 0; i < 50; ++i) REQUIRE(write_numbered(*store.value(), ++count));
    REQUIRE(store.value()->settle());
    const bool is_still_right = testing::scan_all(*store.value()).value() == state_after(count);
    REQUIRE(is_still_right);
    REQUIRE(store.value()->close());
  }
}

}  // namespace
}  // namespace lsmlab::engine::kill_test
