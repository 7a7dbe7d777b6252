#include "traces/io/pending_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"
#include "traces/io/temporary_file.h"

namespace lsmlab::pending_file_test {
namespace {

using testing::contains;
using testing::Scratch;
using testing::text_of_file;
using testing::write_text;

std::size_t files_in(const std::string& path) {
  const std::filesystem::directory_iterator files(path);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

void write_and_publish(const std::string& path, const std::string& text, PendingName name) {
  auto file = PendingFile::create(path, name);
  REQUIRE(file.has_value());
  REQUIRE(::write(file.value().descriptor(), text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
  REQUIRE(file.value().publish().has_value());
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

}  // namespace

TEST_CASE("a file stands under its name once it is published", "[traces][pending_file]") {
  const PendingName name = GENERATE(PendingName::kNone, PendingName::kNeighbour);
  const Scratch scratch;
  const std::string path = scratch.path("out");
  const mode_t mask = ::umask(027);
  write_and_publish(path, "one", name);
  ::umask(mask);
  REQUIRE(text_of_file(path) == "one");
  REQUIRE(mode_of(path) == 0640);
  REQUIRE(::chmod(path.c_str(), 0604) == 0);
  write_and_publish(path, "another", name);
  REQUIRE(text_of_file(path) == "another");
  REQUIRE(mode_of(path) == 0604);
  std::filesystem::create_symlink("out", scratch.path("link"));
  write_and_publish(scratch.path("link"), "through the link", name);
  REQUIRE(std::filesystem::is_symlink(scratch.path("link")));
  REQUIRE(text_of_file(path) == "through the link");
  REQUIRE(files_in(scratch.path()) == 2);
}

TEST_CASE("a file that is not published leaves the old one, and nothing else",
          "[traces][pending_file]") {
  const PendingName name = GENERATE(PendingName::kNone, PendingName::kNeighbour);
  const Scratch scratch;
  write_text(scratch.path("out"), "old");
  {
    const auto file = PendingFile::create(scratch.path("out"), name);
    REQUIRE(file.has_value());
    REQUIRE(files_in(scratch.path()) <= 2);
  }
  REQUIRE(text_of_file(scratch.path("out")) == "old");
  REQUIRE(files_in(scratch.path()) == 1);
}

TEST_CASE("a process that is killed leaves no file", "[traces][pending_file]") {
  const Scratch scratch;
  const bool has_unnamed_files = [&] {
    const auto pending = PendingFile::create(scratch.path("out"));
    return files_in(scratch.path()) == 0;
  }();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto pending = PendingFile::create(scratch.path("out"));
    const auto temporary = TemporaryFile::create(scratch.path());
    static_cast<void>(::write(pending.value().descriptor(), "x", 1));
    static_cast<void>(::write(temporary.value()->descriptor(), "x", 1));
    ::raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(files_in(scratch.path()) == (has_unnamed_files ? 0 : 1));
}

TEST_CASE("what cannot be replaced is refused", "[traces][pending_file]") {
  const Scratch scratch;
  const auto fault = [](const std::string& path) {
    const auto file = PendingFile::create(path);
    REQUIRE_FALSE(file.has_value());
    REQUIRE(file.error().kind == ErrorKind::kInput);
    return file.error().message;
  };
  REQUIRE(contains(fault(scratch.path()), scratch.path() + ": cannot be written: Is a directory"));
  REQUIRE(contains(fault("/dev/full"), "/dev/full: is not a regular file"));
  REQUIRE(contains(fault(scratch.path("none/out")), "none/out: cannot be written: No such file"));
}

TEST_CASE("a file that reaches a limit is an error that names it, and leaves nothing",
          "[traces][pending_file]") {
  const Scratch scratch;
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit = before;
  limit.rlim_cur = 1 << 20;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::vector<std::uint8_t> bytes(2 << 20);
  const auto writer = ReplacingWriter::create(scratch.path("out")).value();
  Result<void> written = writer->write(bytes);
  if (written) written = writer->finish();
  TemporarySink sink(TemporaryFile::create(scratch.path()).value());
  Result<void> spooled = sink.write(bytes);
  if (spooled) spooled = sink.finish();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  for (const auto& [outcome, name] :
       {std::pair(written, scratch.path("out")), std::pair(spooled, scratch.path())}) {
    REQUIRE_FALSE(outcome.has_value());
    REQUIRE(outcome.error().kind == ErrorKind::kMachine);
    REQUIRE(contains(outcome.error().message, name + ": "));
    REQUIRE(contains(outcome.error().message, "File too large"));
  }
  REQUIRE(files_in(scratch.path()) == 0);
}

}  // namespace lsmlab::pending_file_test
