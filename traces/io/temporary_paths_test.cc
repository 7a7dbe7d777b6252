#include "traces/io/temporary_paths.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "testing/catch.h"

namespace lsmlab::temporary_paths_test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("registered files and directories are removed with what they hold, and nothing else") {
  // Not a TemporaryDirectory, because that is registered itself.
  std::string name = (fs::temp_directory_path() / "lsmlab-test-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  const fs::path root = name;
  const auto write = [](const fs::path& path) { std::ofstream(path) << "x"; };
  fs::create_directories(root / "directory" / "inner");
  for (int i = 0; i < 300; ++i) write(root / "directory" / std::to_string(i));
  write(root / "directory" / "inner" / "file");
  write(root / "registered");
  write(root / "kept");
  write(root / "done");
  const TemporaryPath directory(root / "directory", TemporaryPath::Kind::kDirectory);
  TemporaryPath file(root / "registered", TemporaryPath::Kind::kFile);
  const TemporaryPath moved(std::move(file));
  { const TemporaryPath done(root / "done", TemporaryPath::Kind::kFile); }
  fs::create_symlink(root / "kept", root / "directory" / "link");
  remove_temporary_paths();
  REQUIRE(!fs::exists(root / "directory"));
  REQUIRE(!fs::exists(root / "registered"));
  REQUIRE(fs::exists(root / "kept"));
  REQUIRE(fs::exists(root / "done"));
  fs::remove_all(root);
}

}  // namespace
}  // namespace lsmlab::temporary_paths_test
