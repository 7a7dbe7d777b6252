// A store on real files, where one system call fails. LSMLAB_FAULT_STEP=1 takes every call; a
// larger number every n-th.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "engine/files/posix_file_system.h"
#include "testing/engine/failing_calls.h"
#include "testing/engine/reopening.h"
#include "testing/engine/scratch_directory.h"
#include "testing/engine/watchdog.h"

namespace lsmlab::engine::posix_fault_test {
namespace {

using testing::FailingCalls;
using testing::RandomBatches;
using testing::ScratchDirectory;
using testing::StoreModel;
using testing::Watchdog;

constexpr std::uint64_t kWrites = 120;

StoreSetup setup_of(FileSystem& files, bool is_direct) {
  StoreSetup setup = testing::small_setup("leveled", files);
  setup.manifest_bytes_max = Bytes(2'000);
  setup.direct_io = is_direct;
  return setup;
}

// Opens, writes, flushes, reads, opens again and writes; ends at the first error.
Result<void> run_workload(const StoreSetup& setup, const std::string& directory,
                          StoreModel& model) {
  RandomBatches random(5);
  for (int turn = 0; turn < 2; ++turn) {
    const auto store = BOOST_OUTCOME_TRYX(Store::open(directory, setup));
    for (std::uint64_t i = 0; i < kWrites / 2; ++i) {
      BOOST_OUTCOME_TRYV(testing::write_and_note(*store, model, random.batch(), true));
    }
    BOOST_OUTCOME_TRYV(store->flush());
    const auto found = BOOST_OUTCOME_TRYX(testing::scan_all(*store));
    if (found != model.newest()) return machine_error("a scan is wrong");
    BOOST_OUTCOME_TRYV(store->close());
  }
  return success();
}

// Whether the store must ignore the failure.
bool is_harmless(const FailingCalls::Fault& fault, const std::string& failed) {
  if (fault.is_short) return true;
  // If preallocation fails, the writes report a full disk; unused preallocated space goes with the
  // file.
  if (failed == "fallocate " || failed == "ftruncate ") return true;
  return fault.number == EINTR && failed != "unlink " && failed != "rename " && failed != "link " &&
         failed != "lstat " && failed != "fstat " && failed != "opendir " && failed != "readdir " &&
         failed != "mkdir " && failed != "fcntl ";
}

std::string fault_of_failing(bool is_direct, std::uint64_t call, const FailingCalls::Fault& fault,
                             std::string& failed) {
  const Watchdog watchdog("a system call that fails");
  const ScratchDirectory scratch(ScratchDirectory::Place::kMemory);
  const std::string directory = scratch.path() + "/db";
  FailingCalls calls;
  PosixFileSystem files(calls);
  StoreModel model;
  calls.fail_call(call, fault);
  const Result<void> outcome = run_workload(setup_of(files, is_direct), directory, model);
  failed = calls.failed();
  if (!outcome && is_harmless(fault, failed)) return "not harmless: " + outcome.error().message;
  if (!outcome && outcome.error().message.find(scratch.path()) == std::string::npos) {
    return "no path in: " + outcome.error().message;
  }
  FailingCalls sound;  // fails no call, and only skips syncs
  PosixFileSystem again(sound);
  return testing::reopening_fault(setup_of(again, is_direct), directory, model);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += !entry.path().empty();
  }
  return count;
}

TEST_CASE("posix faults: any system call may fail, and nothing that was acknowledged is lost") {
  const std::uint64_t step = testing::number_from("LSMLAB_FAULT_STEP", 61);
  constexpr FailingCalls::Fault kFaults[] = {
      {EIO, false, 1}, {ENOSPC, false, 3}, {EINTR, false, 1}, {EFBIG, false, 1}, {0, true, 2}};
  constexpr std::size_t kKinds = std::size(kFaults);
  const std::size_t descriptors = open_descriptors();
  std::uint64_t failures = 0;
  for (const bool is_direct : {false, true}) {
    std::uint64_t calls_made = 0;
    {
      const ScratchDirectory scratch;
      FailingCalls calls;
      PosixFileSystem files(calls);
      StoreModel model;
      const auto whole = run_workload(setup_of(files, is_direct), scratch.path() + "/db", model);
      INFO((whole ? "" : whole.error().message));
      REQUIRE(whole);
      calls_made = calls.calls();
    }
    // Every call of the opening, and some of the others.
    for (std::uint64_t call = 1; call <= calls_made; call += call < 30 ? 1 : step) {
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const bool is_turn = kind == call % kKinds || (call < 30 && kind == (call + 2) % kKinds);
        if (step > 1 && !is_turn) continue;
        std::string failed;
        const std::string fault = fault_of_failing(is_direct, call, kFaults[kind], failed);
        INFO("direct I/O " << is_direct << ", call " << call << " (" << failed << "), errno "
                           << kFaults[kind].number << ": " << fault);
        REQUIRE(fault.empty());
        ++failures;
      }
    }
  }
  REQUIRE(open_descriptors() == descriptors);
  if (step == 1) WARN(failures << " failures");
}

TEST_CASE("posix faults: a file has what a failed append wrote, and counts it") {
  const ScratchDirectory scratch;
  FailingCalls calls;
  PosixFileSystem files(calls);
  const std::string path = scratch.path() + "/file";
  auto file = files.create(path, {WriteKind::kWal}).value();
  REQUIRE(file->append("0123456789"));
  calls.fail_call(1, {ENOSPC, false, 1});
  const auto full = file->append("abc");
  REQUIRE(full.error().message == path + ": write: No space left on device");
  REQUIRE(full.error().kind == ErrorKind::kMachine);
  REQUIRE(file->size() == 10);
  REQUIRE(files.counters().of(WriteKind::kWal) == 10);
  calls.fail_call(1, {0, true, 2});
  REQUIRE(file->append("abcdefgh"));
  calls.fail_call(1, {EINTR, false, 5});
  REQUIRE(file->append("i"));
  calls.fail_call(1, {EIO, false, 1});
  REQUIRE(file->sync().error().message == path + ": fdatasync: Input/output error");
  calls.fail_call(1, {EIO, false, 1});
  REQUIRE(file->close().error().message == path + ": close: Input/output error");
  REQUIRE(files.read_file(path).value() == "0123456789abcdefghi");
  REQUIRE(files.counters().of(WriteKind::kWal) == 19);
}

TEST_CASE("posix faults: a direct read that ends within a page goes on") {
  const ScratchDirectory scratch;
  FailingCalls calls;
  PosixFileSystem files(calls);
  const std::string path = scratch.path() + "/file";
  std::string bytes;
  for (int i = 0; i < 3'000; ++i) bytes += fmt::format("{:05}", i);
  auto file = files.create(path, {}).value();
  REQUIRE(file->append(bytes));
  REQUIRE(file->close());
  const auto direct = files.open_direct(path).value();
  for (std::uint64_t times = 1; times < 8; ++times) {
    std::string found(bytes.size(), '?');
    calls.fail_call(1, {0, true, times});
    REQUIRE(direct->read(0, found).value() == bytes.size());
    REQUIRE(found == bytes);
    calls.fail_call(1, {0, true, times});
    found.resize(4'000);
    REQUIRE(direct->read(3'000, found).value() == 4'000);
    REQUIRE(found == bytes.substr(3'000, 4'000));
  }
}

// What a child process with a file size limit wrote before the first error.
struct LimitedRun {
  std::uint64_t acknowledged = 0;
  char message[500] = {};
};

std::string limited_key(std::uint64_t number) { return fmt::format("key{:06}", number); }

LimitedRun run_limited(const std::string& directory, bool is_direct, std::size_t value_bytes) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  // Without other threads: a lock that one holds at the fork would stay locked in the child.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(300);
    const struct rlimit limit { 20'000, 20'000 };
    std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    LimitedRun run;
    FailingCalls calls;  // skips syncs
    PosixFileSystem files(calls);
    StoreSetup setup = setup_of(files, is_direct);
    setup.manifest_bytes_max = Bytes(4 << 20);
    const auto store = Store::open(directory, setup).value();
    for (;; ++run.acknowledged) {
      const auto put = store->put(limited_key(run.acknowledged), std::string(value_bytes, 'v'));
      if (put && run.acknowledged < 100'000) continue;
      if (!put) std::strncpy(run.message, put.error().message.c_str(), sizeof run.message - 1);
      break;
    }
    ::_exit(::write(ends[1], &run, sizeof run) == sizeof run ? 0 : 1);
  }
  ::close(ends[1]);
  LimitedRun run;
  const bool is_read = ::read(ends[0], &run, sizeof run) == sizeof run;
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(is_read);
  return run;
}

TEST_CASE("posix faults: beyond a limit of file sizes a write is an error that names the file") {
  for (const bool is_direct : {false, true}) {
    // Limits that the log meets, and the manifest, which grows with every flush.
    for (const auto& [value_bytes, name] :
         {std::pair{std::size_t{100'000}, ".wal"}, {std::size_t{300}, "MANIFEST-"}}) {
      INFO(value_bytes << ", direct I/O " << is_direct);
      const ScratchDirectory scratch;
      const std::string directory = scratch.path() + "/db";
      const LimitedRun run = run_limited(directory, is_direct, value_bytes);
      const Watchdog watchdog("limits of file sizes");
      const std::string message = run.message;
      INFO(message);
      REQUIRE(message.find("write: File too large") != std::string::npos);
      REQUIRE(message.find(directory + "/") != std::string::npos);
      REQUIRE(message.find(name) != std::string::npos);
      PosixFileSystem files;
      const auto store = Store::open(directory, setup_of(files, is_direct));
      INFO((store ? "" : store.error().message));
      REQUIRE(store);
      for (std::uint64_t i = 0; i < run.acknowledged; ++i) {
        REQUIRE(store.value()->get(limited_key(i)).value() == std::string(value_bytes, 'v'));
      }
      REQUIRE(store.value()->put("key", std::string(50'000, 'w')));
      REQUIRE(store.value()->flush());
    }
  }
}

}  // namespace
}  // namespace lsmlab::engine::posix_fault_test
