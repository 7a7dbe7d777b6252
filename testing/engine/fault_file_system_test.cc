#include "testing/engine/fault_file_system.h"

#include <algorithm>
#include <set>

#include "testing/catch.h"

namespace lsmlab::engine::fault_file_system_test {
namespace {

std::unique_ptr<WritableFile> create(FaultFileSystem& files, const std::string& path,
                                     WriteKind kind = WriteKind::kOther) {
  auto file = files.create(path, {kind});
  REQUIRE(file);
  return std::move(file).value();
}

void put(FaultFileSystem& files, const std::string& path, std::string_view bytes, bool is_synced) {
  const auto file = create(files, path);
  REQUIRE(file->append(bytes));
  if (is_synced) {
    REQUIRE(file->sync());
  }
  REQUIRE(file->close());
}

std::string read(FaultFileSystem& files, const std::string& path) {
  auto bytes = files.read_file(path);
  REQUIRE(bytes);
  return std::move(bytes).value();
}

TEST_CASE("fault files: names and bytes are as on any disk") {
  FaultFileSystem files;
  REQUIRE(files.create_directory("x/y"));
  put(files, "x/b", "bee", false);
  put(files, "x//a", "ay", false);
  REQUIRE(files.list("x/").value() == std::vector<std::string>{"a", "b", "y"});
  REQUIRE(files.link("x/a", "x/c"));
  REQUIRE(files.rename("x/a", "x/b"));
  REQUIRE(read(files, "x/b") == "ay");
  REQUIRE(files.used_bytes() == 2);
  REQUIRE(files.remove("x/b"));
  REQUIRE(read(files, "x/c") == "ay");
  REQUIRE(!files.remove("x/b"));
  REQUIRE(!files.open("x/none"));
  REQUIRE(!files.create("none/a", {}));
  REQUIRE(!files.list("none"));
  REQUIRE(files.exists("x/y").value());
  REQUIRE(!files.exists("x/a").value());
}

TEST_CASE("fault files: nothing that was not synced outlives a power cut that takes everything") {
  FaultFileSystem files;
  REQUIRE(files.create_directory("x"));
  put(files, "x/unnamed", "synced", true);
  put(files, "x/renamed", "synced", true);
  REQUIRE(files.sync_directory("x"));
  put(files, "x/new", "synced", true);
  REQUIRE(files.rename("x/renamed", "x/other"));
  REQUIRE(files.remove("x/unnamed"));
  files.restart(1, LossMode::kEverything);
  REQUIRE(files.list("x").value() == std::vector<std::string>{"renamed", "unnamed"});
  REQUIRE(read(files, "x/unnamed") == "synced");

  const auto file = create(files, "x/log");
  REQUIRE(files.sync_directory("x"));
  REQUIRE(file->append("one"));
  REQUIRE(file->sync());
  REQUIRE(file->append("two"));
  put(files, "x/renamed", "emptied and unsynced", false);
  files.restart(1, LossMode::kEverything);
  REQUIRE(read(files, "x/log") == "one");
  REQUIRE(read(files, "x/renamed") == "synced");
  REQUIRE(file->append("three").error().message == "x/log: write: opened before the restart");
  REQUIRE(!file->sync());
}

TEST_CASE("fault files: a killed process loses nothing, and a power cut after it still may") {
  FaultFileSystem files;
  put(files, "a", "bytes", false);
  files.restart(1, LossMode::kNothing);
  REQUIRE(read(files, "a") == "bytes");
  files.restart(1, LossMode::kEverything);
  REQUIRE(!files.exists("a").value());
}

TEST_CASE("fault files: a power cut leaves prefixes, all of which come up") {
  std::set<std::string> bytes;
  std::set<std::vector<std::string>> names;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    FaultFileSystem files;
    REQUIRE(files.create_directory("x"));
    const auto file = create(files, "x/a");
    REQUIRE(file->append("01"));
    REQUIRE(file->sync());
    REQUIRE(files.sync_directory("x"));
    REQUIRE(file->append("23"));
    REQUIRE(files.rename("x/a", "x/b"));
    REQUIRE(files.link("x/b", "x/c"));
    files.restart(seed, LossMode::kPrefix);
    names.insert(files.list("x").value());
    const std::string name = files.exists("x/a").value() ? "x/a" : "x/b";
    bytes.insert(read(files, name));
  }
  REQUIRE(bytes == std::set<std::string>{"01", "012", "0123"});
  REQUIRE(names == std::set<std::vector<std::string>>{{"a"}, {"b"}, {"b", "c"}});
}

TEST_CASE("fault files: reordered, any sectors and any changes that make sense survive") {
  std::set<std::vector<std::string>> names;
  std::set<std::string> patterns;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    FaultFileSystem files;
    REQUIRE(files.create_directory("x"));
    const auto file = create(files, "x/a");
    REQUIRE(file->append(std::string(700, '0')));
    REQUIRE(file->sync());
    REQUIRE(files.sync_directory("x"));
    REQUIRE(file->append(std::string(1000, '1')));
    put(files, "x/b", "", false);
    REQUIRE(files.rename("x/b", "x/c"));
    put(files, "x/d", "", false);
    files.restart(seed, LossMode::kReordered);
    names.insert(files.list("x").value());
    const std::string bytes = read(files, "x/a");
    REQUIRE(bytes.substr(0, 700) == std::string(700, '0'));
    // One letter for each of the sectors that end at 1024, 1536 and 1700.
    std::string pattern;
    for (const auto& [begin, end] : {std::pair{700u, 1024u}, {1024u, 1536u}, {1536u, 1700u}}) {
      if (bytes.size() <= begin) continue;
      REQUIRE(bytes.size() >= end);
      const std::string sector = bytes.substr(begin, end - begin);
      REQUIRE(
          (sector == std::string(end - begin, '1') || sector == std::string(end - begin, '\0')));
      pattern += sector[0] == '1' ? '1' : '0';
    }
    patterns.insert(pattern);
  }
  REQUIRE(patterns == std::set<std::string>{"", "1", "01", "11", "000", "001", "010", "011", "100",
                                            "101", "110", "111"});
  REQUIRE(names ==
          std::set<std::vector<std::string>>{
              {"a"}, {"a", "b"}, {"a", "c"}, {"a", "d"}, {"a", "b", "d"}, {"a", "c", "d"}});
}

TEST_CASE("fault files: a crash stops everything from its call on") {
  FaultFileSystem files;
  const auto file = create(files, "a");
  REQUIRE(file->append("one"));
  REQUIRE(files.calls() == 2);
  files.crash_at(4);
  REQUIRE(file->append("two"));
  const auto stopped = file->append("three");
  REQUIRE(stopped.error().message == "a: write: machine has stopped");
  REQUIRE(stopped.error().kind == ErrorKind::kMachine);
  REQUIRE(files.has_stopped());
  REQUIRE(!file->sync());
  REQUIRE(!files.create("b", {}));
  REQUIRE(!files.open("a"));
  REQUIRE(!files.exists("a"));
  REQUIRE(!files.list(""));
  files.restart(1, LossMode::kNothing);
  REQUIRE(files.calls() == 0);
  REQUIRE(std::string("onetwothree").starts_with(read(files, "a")));
  REQUIRE(read(files, "a").starts_with("onetwo"));
}

TEST_CASE("fault files: single calls fail, by number and by path") {
  FaultFileSystem files;
  const auto file = create(files, "a", WriteKind::kWal);
  files.fail_call(3, Failure::kIoError);
  files.fail_call(4, Failure::kShortWrite);
  REQUIRE(file->append("one"));
  REQUIRE(file->append("two").error().message == "a: write: Input/output error");
  REQUIRE(file->append("three").error().message == "a: write: No space left on device");
  REQUIRE(file->append("four"));
  const std::string bytes = read(files, "a");
  REQUIRE(bytes.starts_with("one"));
  REQUIRE(bytes.ends_with("four"));
  REQUIRE(file->size() == bytes.size());
  REQUIRE(files.counters().of(WriteKind::kWal) == bytes.size());

  files.fail_matching(Op::kRename, "CURRENT", 2);
  files.fail_matching(Op::kRead, "a", 1);
  REQUIRE(files.rename("a", "b"));
  REQUIRE(!files.rename("b", "CURRENT"));
  REQUIRE(!files.rename("CURRENT", "b"));
  REQUIRE(files.rename("b", "CURRENT"));
  REQUIRE(files.rename("CURRENT", "a"));
  REQUIRE(!files.read_file("a"));
  REQUIRE(files.read_file("a"));
}

TEST_CASE("fault files: a full disk takes what fits, and removal makes room") {
  FaultFileSystem files;
  files.set_space(10);
  put(files, "a", "123456", false);
  const auto file = create(files, "b");
  REQUIRE(file->append("1234567").error().message == "b: write: No space left on device");
  REQUIRE(file->size() == 4);
  REQUIRE(files.used_bytes() == 10);
  REQUIRE(files.remove("a"));
  REQUIRE(file->append("123456"));
  REQUIRE(!file->append("1"));
  files.set_space(std::nullopt);
  REQUIRE(file->append("1"));
}

TEST_CASE("fault files: bits flip, and locks are let go by their holder or a restart") {
  FaultFileSystem files;
  files.put_file("x/y/a", "A");
  files.flip_bit("x/y/a", 1);
  REQUIRE(read(files, "x/y/a") == "C");
  files.restart(1, LossMode::kEverything);
  REQUIRE(files.file_size("x/y/a") == 1);

  auto lock = files.lock("x/LOCK");
  REQUIRE(lock);
  REQUIRE(files.exists("x/LOCK").value());
  REQUIRE(files.lock("x/LOCK").error().kind == ErrorKind::kInput);
  REQUIRE(files.lock_to_read("x/LOCK").error().kind == ErrorKind::kInput);
  lock.value().reset();
  {
    const auto reader = files.lock_to_read("x/LOCK");
    REQUIRE(reader);
    REQUIRE(files.lock_to_read("x/LOCK"));
    REQUIRE(!files.lock("x/LOCK"));
    REQUIRE(files.lock_to_read("x/NONE"));
    REQUIRE(!files.exists("x/NONE").value());
  }
  lock = files.lock("x/LOCK");
  REQUIRE(lock);
  files.restart(1, LossMode::kEverything);
  const auto next = files.lock("x/LOCK");
  REQUIRE(next);
  lock.value().reset();
  REQUIRE(!files.lock("x/LOCK"));
}

}  // namespace
}  // namespace lsmlab::engine::fault_file_system_test
