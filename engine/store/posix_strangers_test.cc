// Directories where another program has put something under one of the store's file names.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/files/file_names.h"
#include "engine/files/posix_file_system.h"
#include "engine/store/store_check.h"
#include "engine/store/store_dump.h"
#include "testing/engine/failing_calls.h"
#include "testing/engine/scratch_directory.h"
#include "testing/engine/store_fixture.h"
#include "testing/engine/watchdog.h"

namespace lsmlab::engine::posix_strangers_test {
namespace {

namespace fs = std::filesystem;
using testing::ScratchDirectory;
using testing::Watchdog;

enum class Kind { kLink, kDanglingLink, kHardLink, kFifo, kSocket, kDirectory };
constexpr Kind kKinds[] = {Kind::kLink, Kind::kDanglingLink, Kind::kHardLink,
                           Kind::kFifo, Kind::kSocket,       Kind::kDirectory};

std::string text_of(Kind kind) {
  switch (kind) {
    case Kind::kLink:
    case Kind::kDanglingLink:
      return "is a symbolic link; expected a regular file";
    case Kind::kFifo:
      return "is a FIFO; expected a regular file";
    case Kind::kSocket:
      return "is a socket; expected a regular file";
    case Kind::kDirectory:
      return "is a directory; expected a regular file";
    case Kind::kHardLink:
      break;
  }
  return "";
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  REQUIRE(file.good());
}

// The other program's file, outside the store.
struct Stranger {
  ScratchDirectory directory;
  std::string target = directory.path() + "/target";
  std::string nowhere = directory.path() + "/nowhere";
  std::string bytes;

  explicit Stranger(std::string contents) : bytes(std::move(contents)) { write(target, bytes); }

  void plant(Kind kind, const std::string& path) const {
    fs::remove_all(path);
    switch (kind) {
      case Kind::kLink:
        REQUIRE(::symlink(target.c_str(), path.c_str()) == 0);
        return;
      case Kind::kDanglingLink:
        REQUIRE(::symlink(nowhere.c_str(), path.c_str()) == 0);
        return;
      case Kind::kHardLink:
        REQUIRE(::link(target.c_str(), path.c_str()) == 0);
        return;
      case Kind::kFifo:
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        return;
      case Kind::kSocket:
        plant_socket(path);
        return;
      case Kind::kDirectory:
        REQUIRE(::mkdir(path.c_str(), 0700) == 0);
        return;
    }
  }
  [[nodiscard]] bool is_untouched() const {
    return bytes_of(target) == bytes && !fs::exists(nowhere);
  }

 private:
  static void plant_socket(const std::string& path) {
    const int number = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(number >= 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(::bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(number);
  }
};

TEST_CASE("strangers: what is no regular file is opened by no call, and not touched") {
  const Watchdog watchdog("files of strangers");
  PosixFileSystem files;
  for (const Kind kind : kKinds) {
    INFO(static_cast<int>(kind));
    const ScratchDirectory directory;
    const Stranger stranger("a stranger's bytes");
    const std::string path = directory.path() + "/CURRENT.new";
    stranger.plant(kind, path);
    REQUIRE(files.exists(path).value());
    const auto check = [&](const auto& outcome, const std::string& call) {
      REQUIRE(outcome.has_value() == (kind == Kind::kHardLink));
      if (!outcome) REQUIRE(outcome.error().message == path + ": " + call + ": " + text_of(kind));
      REQUIRE(stranger.is_untouched());
    };
    check(files.open(path), "open");
    check(files.open_direct(path), "open");
    check(files.read_file(path), "open");
    check(files.lock_to_read(path), "open to lock");
    check(files.lock(path), "open to lock");
    for (const bool is_direct : {false, true}) {
      stranger.plant(kind, path);
      const auto made = files.create(path, {WriteKind::kOther, is_direct, 100});
      check(made, "open to write");
      if (!made) continue;
      REQUIRE(made.value()->append("the store's"));
      REQUIRE(made.value()->close());
      REQUIRE(stranger.is_untouched());
      REQUIRE(bytes_of(path) == "the store's");
    }
  }
}

TEST_CASE("strangers: a device is refused, and stays") {
  PosixFileSystem files;
  if (!files.exists("/dev/null").value()) return;
  const std::string text = "/dev/null: open: is a device; expected a regular file";
  REQUIRE(files.open("/dev/null").error().message == text);
  REQUIRE(!files.create("/dev/null", {}));
  REQUIRE(!files.lock("/dev/null"));
  REQUIRE(files.exists("/dev/null").value());
}

StoreSetup setup_of(FileSystem& files) { return testing::small_setup("leveled", files); }

// A store with a log and SSTables. Returns one name of each kind, including names of files that
// come next.
std::vector<std::string> make_store(FileSystem& files, const std::string& directory) {
  const auto store = Store::open(directory, setup_of(files)).value();
  for (int i = 0; i < 100; ++i) REQUIRE(store->put(fmt::format("key{}", i % 70), "value"));
  REQUIRE(store->close());
  std::vector<std::string> names{"CURRENT",         "CURRENT.new", "LOCK",
                                 "MANIFEST-000099", "000099.sst",  "000099.wal"};
  std::optional<FileKind> last;
  const std::vector<std::string> made = files.list(directory).value();
  for (const std::string& name : made) {
    const auto parsed = parse_name(name);
    REQUIRE(parsed);
    if (parsed->kind != last && parsed->number > 0) names.push_back(name);
    last = parsed->kind;
  }
  return names;
}

Result<void> use(Store& store) {
  BOOST_OUTCOME_TRYV(testing::scan_all(store));
  BOOST_OUTCOME_TRYV(store.put("key", "another"));
  BOOST_OUTCOME_TRYV(store.flush());
  return store.close();
}

TEST_CASE("strangers: no store is opened, checked or dumped over another's names") {
  const Watchdog watchdog("stores over names of strangers");
  std::uint64_t refused = 0;
  const std::vector<std::string> names = [] {
    testing::FailingCalls calls;  // skips syncs
    PosixFileSystem files(calls);
    const ScratchDirectory directory;
    return make_store(files, directory.path());
  }();
  REQUIRE(names.size() == 9);
  for (const std::string& name : names) {
    for (const Kind kind : kKinds) {
      INFO(name << ", " << static_cast<int>(kind));
      testing::FailingCalls calls;
      PosixFileSystem files(calls);
      const ScratchDirectory directory;
      static_cast<void>(make_store(files, directory.path()));
      const std::string path = directory.path() + "/" + name;
      // The bytes that the store expects there, so that only the kind of file is wrong.
      const bool is_there = fs::exists(path);
      const Stranger stranger(is_there ? bytes_of(path) : "a stranger's bytes");
      stranger.plant(kind, path);
      const auto checked = check_store(files, directory.path());
      const auto dumped = dump_directory(files, directory.path(), {}, [](std::string_view) {});
      REQUIRE(stranger.is_untouched());
      auto opened = Store::open(directory.path(), setup_of(files));
      REQUIRE(stranger.is_untouched());
      // The store may not read the odd SSTable before a merge does.
      const Result<void> used = opened ? use(*opened.value()) : Result<void>(opened.error());
      REQUIRE(stranger.is_untouched());
      const auto is_named = [&](const auto& outcome) {
        return outcome.has_value() || outcome.error().message.find(name) != std::string::npos;
      };
      REQUIRE(is_named(checked));
      REQUIRE(is_named(used));
      REQUIRE((is_named(dumped) || name == "LOCK"));
      refused += !used;
      if (kind == Kind::kHardLink) REQUIRE(used);
      if (kind != Kind::kHardLink && is_there) REQUIRE(!used);
    }
  }
  REQUIRE(refused >= 25);
}

TEST_CASE("strangers: the directory itself may be named by a symbolic link") {
  const ScratchDirectory scratch;
  PosixFileSystem files;
  REQUIRE(::mkdir((scratch.path() + "/real").c_str(), 0700) == 0);
  const std::string link = scratch.path() + "/link";
  REQUIRE(::symlink("real", link.c_str()) == 0);
  static_cast<void>(make_store(files, link));
  REQUIRE(check_store(files, link).value().faults.empty());
  REQUIRE(fs::exists(scratch.path() + "/real/CURRENT"));
}

// Names, sizes, modes and times of a directory and everything in it.
std::string picture_of(const std::string& directory) {
  std::string picture;
  const auto add = [&](const std::string& path) {
    struct stat status {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    picture += fmt::format("{} {} {} {} {}.{} {}.{}\n", path, status.st_ino, status.st_size,
                           status.st_mode, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                           status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  };
  add(directory);
  PosixFileSystem files;
  const std::vector<std::string> names = files.list(directory).value();
  for (const std::string& name : names) add(directory + "/" + name);
  return picture;
}

TEST_CASE("read-only: a check and a dump change nothing, with a LOCK or without, nor need to") {
  for (const bool has_lock : {true, false}) {
    PosixFileSystem files;
    const ScratchDirectory directory;
    static_cast<void>(make_store(files, directory.path()));
    if (!has_lock) fs::remove(directory.path() + "/LOCK");
    REQUIRE(::chmod(directory.path().c_str(), 0555) == 0);
    const std::string before = picture_of(directory.path());
    const auto report = check_store(files, directory.path());
    REQUIRE(report);
    REQUIRE(report.value().faults.empty());
    REQUIRE(dump_directory(files, directory.path(), {true}, [](std::string_view) {}));
    REQUIRE(picture_of(directory.path()) == before);
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    REQUIRE(fs::exists(directory.path() + "/LOCK") == has_lock);
  }
}

TEST_CASE("read-only: a check makes no call that changes a disk") {
  FaultFileSystem disk;
  const std::string directory = testing::kDirectory;
  static_cast<void>(make_store(disk, directory));
  REQUIRE(disk.remove(directory + "/LOCK"));
  const std::vector<std::string> names = disk.list(directory).value();
  const std::uint64_t calls = disk.calls();
  REQUIRE(check_store(disk, directory).value().faults.empty());
  REQUIRE(dump_directory(disk, directory, {true}, [](std::string_view) {}));
  REQUIRE(disk.calls() == calls);
  REQUIRE(disk.list(directory).value() == names);
}

TEST_CASE("read-only: a check is refused while the store is open, and others may check with it") {
  PosixFileSystem files;
  const ScratchDirectory directory;
  const auto store = Store::open(directory.path(), setup_of(files)).value();
  REQUIRE(check_store(files, directory.path()).error().kind == ErrorKind::kInput);
  REQUIRE(store->close());
  const std::string path = directory.path() + "/LOCK";
  auto first = files.lock_to_read(path);
  REQUIRE(first);
  auto second = files.lock_to_read(path);
  REQUIRE(second);
  REQUIRE(check_store(files, directory.path()));
  first.value().reset();
  REQUIRE(files.lock(path).error().message.find("this process already uses") != std::string::npos);
  second.value().reset();
  REQUIRE(files.lock(path));
}

}  // namespace
}  // namespace lsmlab::engine::posix_strangers_test
