#include "engine/files/posix_file_system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "engine/files/file_names.h"
#include "testing/catch.h"
#include "traces/io/byte_file.h"

namespace lsmlab::engine::posix_file_system_test {
namespace {

struct Disk {
  std::unique_ptr<TemporaryDirectory> directory;
  PosixFileSystem files;
  Disk() {
    auto made = TemporaryDirectory::create("");
    REQUIRE(made);
    directory = std::move(made).value();
  }
  [[nodiscard]] std::string path(std::string_view name) const {
    return join_path(directory->path(), name);
  }
  std::unique_ptr<WritableFile> create(std::string_view name, const CreateOptions& options = {}) {
    auto file = files.create(path(name), options);
    REQUIRE(file);
    return std::move(file).value();
  }
};

TEST_CASE("posix files: what was appended is read back and counted by kind") {
  Disk disk;
  const auto file = disk.create("a", {WriteKind::kFlush});
  REQUIRE(file->append("one "));
  REQUIRE(file->append(""));
  REQUIRE(file->append("two"));
  REQUIRE(file->size() == 7);
  REQUIRE(file->sync());
  REQUIRE(file->close());
  REQUIRE(disk.files.counters().of(WriteKind::kFlush) == 7);
  REQUIRE(disk.files.counters().of(WriteKind::kWal) == 0);
  REQUIRE(disk.files.read_file(disk.path("a")).value() == "one two");
  struct stat status {};
  REQUIRE(::stat(disk.path("a").c_str(), &status) == 0);
  REQUIRE((status.st_mode & 0133) == 0);

  const auto reader = disk.files.open(disk.path("a"));
  REQUIRE(reader);
  REQUIRE(reader.value()->size() == 7);
  std::string buffer(10, '?');
  REQUIRE(reader.value()->read(4, buffer).value() == 3);
  REQUIRE(buffer == "two???????");
  REQUIRE(reader.value()->read(7, buffer).value() == 0);
  REQUIRE(reader.value()->read(100, buffer).value() == 0);

  REQUIRE(disk.create("a")->close());
  REQUIRE(disk.files.read_file(disk.path("a")).value().empty());
}

std::uint64_t bytes_on_disk(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  constexpr std::uint64_t kStatBlockBytes = 512;
  return static_cast<std::uint64_t>(status.st_blocks) * kStatBlockBytes;
}

// Whether the file system of the tests allows direct writes and reserves space.
bool has_room_ahead(const Disk& disk) {
  const int file = ::open(disk.path("probe").c_str(), O_WRONLY | O_CREAT | O_DIRECT, 0600);
  if (file < 0) return false;
  const bool has = ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 4096) == 0;
  ::close(file);
  return has;
}

TEST_CASE("posix files: room that was asked for changes no byte, and what is left over is free") {
  constexpr std::uint64_t kFileBytes = 300'000;
  constexpr std::uint64_t kStep = 64 << 20;
  const std::string bytes(kFileBytes, 'r');
  // The right size, a little more, much more, less, and more than a file system has.
  for (const std::uint64_t expected :
       {kFileBytes, kFileBytes + 8192, kFileBytes * 20, kFileBytes / 3, std::uint64_t{1} << 62}) {
    INFO(expected);
    Disk disk;
    CreateOptions options;
    options.direct = true;
    options.expected_bytes = expected;
    const auto file = disk.create("a", options);
    if (has_room_ahead(disk)) {
      REQUIRE(bytes_on_disk(disk.path("a")) >= std::min(expected, kStep));
      REQUIRE(bytes_on_disk(disk.path("a")) <= std::min(expected, kStep) + (32 << 10));
    }
    for (std::uint64_t at = 0; at < kFileBytes; at += 1000) {
      REQUIRE(file->append(std::string_view(bytes).substr(at, 1000)));
    }
    REQUIRE(file->sync());
    REQUIRE(file->close());
    REQUIRE(disk.files.read_file(disk.path("a")).value() == bytes);
    // Whole pages, plus the excess that may stay reserved.
    REQUIRE(bytes_on_disk(disk.path("a")) <= kFileBytes + (32 << 10));
  }
}

TEST_CASE("posix files: direct writing gives the same bytes, whatever the pieces and the syncs") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Disk disk;
    auto file = disk.create("a", {WriteKind::kMerge, true});
    std::string expected;
    for (int i = 0; i < 40; ++i) {
      const std::size_t size = random() % (random() % 4 == 0 ? 300000 : 5000);
      const std::string piece(size, static_cast<char>(random() % 256));
      expected += piece;
      REQUIRE(file->append(piece));
      REQUIRE(file->size() == expected.size());
      if (random() % 8 != 0) continue;
      REQUIRE(file->sync());
      REQUIRE(disk.files.read_file(disk.path("a")).value() == expected);
    }
    if (seed % 2 == 0) {
      REQUIRE(file->close());
    }
    file.reset();
    REQUIRE(disk.files.read_file(disk.path("a")).value() == expected);
    REQUIRE(disk.files.counters().of(WriteKind::kMerge) == expected.size());
  }
}

TEST_CASE("posix files: direct reading gives the same bytes, from anywhere and past the end") {
  Disk disk;
  std::mt19937_64 random(1);
  std::string expected(70'001, '\0');
  for (char& byte : expected) byte = static_cast<char>(random());
  auto file = disk.create("a");
  REQUIRE(file->append(expected));
  REQUIRE(file->close());
  const auto direct = disk.files.open_direct(disk.path("a"));
  REQUIRE(direct);
  REQUIRE(direct.value()->size() == expected.size());
  for (int i = 0; i < 500; ++i) {
    const std::size_t offset = random() % (expected.size() + 5000);
    std::string buffer(1 + random() % (i % 4 == 0 ? 80'000 : 5000), '?');
    const std::size_t count = direct.value()->read(offset, buffer).value();
    const std::string wanted =
        offset < expected.size() ? expected.substr(offset, buffer.size()) : std::string();
    REQUIRE(count == wanted.size());
    REQUIRE(buffer.substr(0, count) == wanted);
  }
  REQUIRE_FALSE(disk.files.open_direct(disk.path("none")));
  REQUIRE_FALSE(disk.files.open_direct(disk.path("")));
}

TEST_CASE("posix files: names are made, listed, linked, renamed and removed") {
  Disk disk;
  const std::string deep = disk.path("x/y/z");
  REQUIRE(disk.files.create_directory(deep));
  REQUIRE(disk.files.create_directory(deep));
  REQUIRE(disk.files.create_directory(deep + "/"));
  REQUIRE(disk.files.sync_directory(deep));
  REQUIRE(disk.create("x/b")->append("b"));
  REQUIRE(disk.create("x/a")->append("a"));
  REQUIRE(disk.files.list(disk.path("x")).value() == std::vector<std::string>{"a", "b", "y"});
  REQUIRE(disk.files.exists(deep).value());
  REQUIRE(!disk.files.exists(disk.path("none")).value());
  REQUIRE(!disk.files.exists(disk.path("x/a/none")).value());
  REQUIRE(disk.files.rename(disk.path("x/a"), disk.path("x/b")));
  REQUIRE(disk.files.read_file(disk.path("x/b")).value() == "a");
  REQUIRE(disk.files.link(disk.path("x/b"), disk.path("x/c")));
  REQUIRE(!disk.files.link(disk.path("x/b"), disk.path("x/c")));
  REQUIRE(disk.files.remove(disk.path("x/b")));
  REQUIRE(disk.files.list(disk.path("x")).value() == std::vector<std::string>{"c", "y"});
}

TEST_CASE("posix files: errors name path, call and reason") {
  Disk disk;
  const std::string none = disk.path("none");
  const auto require_error = [](const auto& outcome, const std::string& message) {
    REQUIRE(!outcome);
    REQUIRE(outcome.error().kind == ErrorKind::kMachine);
    REQUIRE(outcome.error().message == message);
  };
  const std::string missing = "No such file or directory";
  require_error(disk.files.open(none), none + ": open: " + missing);
  require_error(disk.files.read_file(none), none + ": open: " + missing);
  require_error(disk.files.create(none + "/a", {}), none + "/a: open to write: " + missing);
  require_error(disk.files.create(none + "/a", {WriteKind::kOther, true}),
                none + "/a: open to write: " + missing);
  require_error(disk.files.list(none), none + ": opendir: " + missing);
  require_error(disk.files.remove(none), none + ": unlink: " + missing);
  require_error(disk.files.rename(none, none + "2"),
                fmt::format("{}: rename to {}2: {}", none, none, missing));
  require_error(disk.files.link(none, none + "2"),
                fmt::format("{}: link as {}2: {}", none, none, missing));
  require_error(disk.files.sync_directory(none), none + ": open directory: " + missing);
  require_error(disk.files.open(disk.path("")),
                disk.path("") + ": open: is a directory; expected a regular file");
  REQUIRE(disk.create("file")->close());
  require_error(disk.files.create_directory(disk.path("file")),
                disk.path("file") + ": mkdir: File exists");
  require_error(disk.files.create_directory(disk.path("file/x")),
                disk.path("file/x") + ": mkdir: Not a directory");
  require_error(disk.files.create_directory(""), ": mkdir: " + missing);
}

TEST_CASE("posix files: a lock has one holder, in this process and among processes") {
  Disk disk;
  const std::string path = disk.path(kLockName);
  auto lock = disk.files.lock(path);
  REQUIRE(lock);
  PosixFileSystem other;
  const auto second = other.lock(disk.path("./LOCK"));
  REQUIRE(!second);
  REQUIRE(second.error().kind == ErrorKind::kInput);
  REQUIRE(second.error().message.find("this process already uses this directory") !=
          std::string::npos);
  lock.value().reset();
  REQUIRE(other.lock(path));

  // A child process holds the lock until it is told to end.
  int ready[2];
  int done[2];
  REQUIRE(::pipe(ready) == 0);
  REQUIRE(::pipe(done) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    ::close(done[1]);
    const bool is_locked = PosixFileSystem().lock(path).has_value();
    const auto held = PosixFileSystem().lock(path);
    const bool is_told = ::write(ready[1], is_locked && held ? "y" : "n", 1) == 1;
    const bool is_ended = ::read(done[0], &byte, 1) == 0;
    ::_exit(is_told && is_ended ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  REQUIRE(byte == 'y');
  const auto refused = disk.files.lock(path);
  const auto refused_to_read = disk.files.lock_to_read(path);
  for (const int end : {ready[0], ready[1], done[0], done[1]}) ::close(end);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(!refused);
  REQUIRE(refused.error().message ==
          fmt::format("{}: another process uses this directory; it holds the lock {}",
                      disk.directory->path(), path));
  REQUIRE(!refused_to_read);
  REQUIRE(refused_to_read.error().message == refused.error().message);
  REQUIRE(disk.files.lock(path));
  REQUIRE(disk.files.lock_to_read(path));
}

}  // namespace
}  // namespace lsmlab::engine::posix_file_system_test
