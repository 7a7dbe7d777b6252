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

// As RocksDB's pull request 3515 is shown.
TEST_CASE("A line that begins with a flag goes on with the command above it") {
  const auto commands = commands_of(
      "./db_bench -benchmarks=fillrandom -num=10\n-key_size=256 -value_size=64\n  --sync\n"
      "- a list\n---\n./db_bench -n=1");
  REQUIRE(commands[0] == OneCommand{"./db_bench", "-benchmarks=fillrandom", "-num=10",
                                    "-key_size=256", "-value_size=64", "--sync"});
  REQUIRE(commands.back() == OneCommand{"./db_bench", "-n=1"});
  REQUIRE(commands_of("--benchmarks=fillrandom\n--benchmarks=overwrite").size() == 2);
}

// Of RocksDB's page of benchmarks, shortened.
TEST_CASE("A variable has the value that a command before it set") {
  REQUIRE(commands_of("echo \"Load 1B keys\"\n    bpl=10485760;mcz=2; \\\n    r=1000; t=1; \\\n"
                      "    ./db_bench --num=$r --threads=\"$t\" --db=/d${mcz}0/$t")[1] ==
          OneCommand{"./db_bench", "--num=1000", "--threads=1", "--db=/d20/1"});
  REQUIRE(commands_of("export f='--num=3 --sync'\n$ r=5 && x $f \"$f\" '$r' \\$r \"\\$r\" $r")[0] ==
          OneCommand{"x", "--num=3", "--sync", "--num=3 --sync", "$r", "$r", "$r", "5"});
  // A value before a program's name is that program's only.
  REQUIRE(commands_of("r=5\nr=7 x --num=$r")[0] == OneCommand{"r=7", "x", "--num=5"});
  REQUIRE(commands_of("r=5\nr=7")[0] == OneCommand{"r=5"});
}

TEST_CASE("A variable whose value is not sure stays as it is") {
  for (const std::string head :
       {"r=$(date); ", "r=`date`; ", "r=$((2 * 3)); ", "r=5; r+=6; ", "r=5; unset r; ",
        "r=5; [ -e /x ] && r=6; ", "r=5; [ -e /x ] || r=6; ", "r=5; if [ -e /x ]; then r=6; fi; ",
        "if [ -e /x ]\nthen\nr=5\nfi\n", "r=5; source env.sh; ", "r=5; ((r*=2)); ", "r=(5); ",
        "r=5; if [ -e /x ]; then f() { x; }; r=6; fi; ", "f() {\n r=5\n}\n", "r=5; read r; ",
        "R=5; ", "x r=5; "}) {
    INFO(head);
    REQUIRE(commands_of(head + "db_bench --num=$r").back() == OneCommand{"db_bench", "--num=$r"});
  }
  std::string doubling = "a=xx; ";
  for (int i = 0; i < 60; ++i) doubling += "a=$a$a; ";
  REQUIRE(commands_of(doubling + "x $a").back() == OneCommand{"x", "$a"});
  REQUIRE(commands_of("r=5; x ${r:-7} $1 $")[0] == OneCommand{"x", "${r:-7}", "$1", "$"});
}

}  // namespace lsmlab::tools::shell_words_test
