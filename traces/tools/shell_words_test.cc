#include "traces/tools/shell_words.h"

#include "testing/catch.h"

namespace lsmlab::tools::shell_words_test {
namespace {

ShellCommands commands_of(std::string_view text) {
  auto commands = split_shell_words(text);
  REQUIRE(commands.has_value());
  return std::move(commands).value();
}

using OneCommand = std::vector<std::string>;

}  // namespace

// The first is of a run's own log, which prints its words so that a shell takes them.
TEST_CASE("A backslash quotes the letter behind it, and continues a line at its end") {
  REQUIRE(commands_of(R"(--benchmarks=fillrandom\,waitforcompaction\,stats --db=/a\ b)")[0] ==
          OneCommand{"--benchmarks=fillrandom,waitforcompaction,stats", "--db=/a b"});
  REQUIRE(commands_of("db_bench \\  \n --num=3\\\r\n--sync\\")[0] ==
          OneCommand{"db_bench", "--num=3", "--sync"});
  REQUIRE(commands_of(R"("a\"b\\c\d" '\e')")[0] == OneCommand{R"(a"b\c\d)", R"(\e)"});
}

}  // namespace lsmlab::tools::shell_words_test
