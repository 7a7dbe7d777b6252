// Runs the binary as users do: commands in, output and exit codes out.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "testing/catch.h"

namespace lsmlab::testing {

namespace fs = std::filesystem;

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// A separate directory for each test, in which commands run.
class Cli {
 public:
  Cli() {
    std::string name = (fs::temp_directory_path() / "lsmlab-cli-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
  }
  ~Cli() { fs::remove_all(directory_); }

  // `arguments`: as a shell reads them; `after` may redirect.
  Outcome run(const std::string& arguments) const {
    return shell(std::string("'") + LSMLAB_BINARY + "' " + arguments);
  }
  Outcome shell(const std::string& command) const {
    const std::string whole =
        "cd '" + directory_.string() + "' && { " + command + " ; } >out 2>err </dev/null";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_file(directory_ / "out"), read_file(directory_ / "err")};
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  std::string read(const std::string& name) const { return read_file(directory_ / name); }
  bool exists(const std::string& name) const { return fs::exists(directory_ / name); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {}));
  }

 private:
  fs::path directory_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace lsmlab::testing
