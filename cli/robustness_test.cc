// Whatever the user or the machine does to lsmlab, it soon ends with an error that names the cause,
// and leaves no file behind.
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::robustness_verb_test {
namespace {

using Json = nlohmann::ordered_json;
using lsmlab::testing::Cli;
using lsmlab::testing::contains;
using lsmlab::testing::Outcome;

const std::string kBinary = std::string("'") + LSMLAB_BINARY + "'";
const std::string kRun = "simulate -p binomial:k=6 -w flushes:count=1000,size=4MiB ";

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST_CASE("named pipes and devices where a file is expected are refused, not waited for") {
  const Cli cli;
  REQUIRE(cli.shell("mkfifo pipe").exit_code == 0);
  const std::string load = " -w load:entries=10";
  for (const std::string& verb :
       {std::string("simulate -p ./PATH -w load"), std::string("compare PATH PATH"),
        std::string("report PATH"), std::string("validate ./PATH"),
        "simulate -p lo+1 --device ./PATH" + load, "simulate -p lo+1:replay_log=PATH" + load,
        std::string("simulate -p lo+1 -w ./PATH"),
        std::string("simulate -p lo+1 -w trace:path=PATH"),
        std::string("simulate -p none -w flushes:distribution=file,path=PATH"),
        "simulate -p lo+1 --device nvme --clients replayed:path=PATH" + load,
        std::string("trace info PATH"), std::string("trace import PATH --format ycsb -o x")}) {
    for (const std::string& path : {std::string("pipe"), std::string("../../../../dev/zero")}) {
      std::string arguments = verb;
      for (std::size_t at = 0; (at = arguments.find("PATH")) != std::string::npos;) {
        arguments.replace(at, 4, path);
      }
      const Outcome outcome = cli.shell("timeout 10 " + kBinary + " " + arguments);
      INFO(arguments << "\n" << outcome.err);
      REQUIRE(outcome.exit_code == 2);
      REQUIRE((contains(outcome.err, "is a pipe") || contains(outcome.err, "is a device")));
    }
  }
}

TEST_CASE("what a shell pipes in is read") {
  const Cli cli;
  REQUIRE(cli.run(kRun + "--out r.json").exit_code == 0);
  cli.write("sizes.txt", "4096\n8192\n");
  cli.write("k.json", R"({"policy": "binomial", "parameters": {"k": 6}})");
  REQUIRE(cli.shell("cat sizes.txt | " + kBinary +
                    " simulate -p none -w flushes:distribution=file,path=/dev/stdin")
              .exit_code == 0);
  REQUIRE(cli.shell("mkfifo named && { cat sizes.txt > named & } && " + kBinary +
                    " simulate -p none -w flushes:distribution=file,path=named")
              .exit_code == 0);
  REQUIRE(cli.shell("cat r.json | " + kBinary + " report /dev/stdin -o page.html").exit_code == 0);
}

TEST_CASE("large and deep input is refused in a moment") {
  const Cli cli;
  REQUIRE(cli.shell("head -c 50000000 /dev/zero | tr '\\0' '[' > deep.json").exit_code == 0);
  REQUIRE(cli.shell("printf '{\"policy\":\"' > name.json && head -c 1000000 /dev/zero | tr '\\0' b "
                    ">> name.json && printf '\"}' >> name.json")
              .exit_code == 0);
  REQUIRE(cli.shell("truncate -s 1T huge.json").exit_code == 0);
  for (const auto& [arguments, message] :
       {std::pair{"compare deep.json deep.json", "nested more than 64 deep"},
        {"report deep.json", "nested more than 64 deep"},
        {"simulate -p ./deep.json -w flushes", "expected at most 16 MiB"},
        {"simulate -p ./name.json -w flushes", "(1000000 bytes)"},
        {"simulate -p ./huge.json -w flushes", "holds 1 TiB"},
        {"report huge.json", "holds 1 TiB"},
        {"validate ./huge.json", "holds 1 TiB"}}) {
    Outcome outcome;
    const double seconds = seconds_of([&] { outcome = cli.run(arguments); });
    INFO(arguments << "\n" << outcome.err);
    REQUIRE(outcome.exit_code == 2);
    REQUIRE(contains(outcome.err, message));
    REQUIRE(outcome.err.size() < 2500);
    REQUIRE(seconds < 20);
  }
}

TEST_CASE("numbers of an experiment that are out of range are refused with the range") {
  const Cli cli;
  const auto error_of = [&](const std::string& member) {
    cli.write("e.json", R"({"groups": [{"policies": ["tier"], "workloads": ["load:entries=10"], )" +
                            member + "}]}");
    const Outcome outcome = cli.shell("timeout 10 " + kBinary + " validate e.json --out val");
    REQUIRE(outcome.exit_code == 2);
    return outcome.err;
  };
  for (const char* number : {"9223372036854775808", "18446744073709551616", "-1", "0", "1.5",
                             "1001", "\"2\"", "null", "[]"}) {
    INFO(number);
    REQUIRE(contains(error_of(std::string("\"runs\": ") + number),
                     "is not a whole number within 1 and 1000"));
  }
  REQUIRE(contains(error_of("\"runs\": 1e400"), "1e400 is out of range"));
  REQUIRE(contains(error_of("\"seed\": 0"), "within 1 and 18446744073709551615"));
  REQUIRE(contains(error_of("\"merge_threads\": 65"), "within 1 and 64"));
  REQUIRE(contains(error_of("\"runs\": 1, \"runs\": 2"), "\"runs\" is given twice in groups[0]"));
  REQUIRE(contains(error_of("\"bounds\": {\"write_error\": 1e300}"), "within 0 and 1000000"));
  REQUIRE_FALSE(cli.exists("val"));
}

TEST_CASE("a file that grows beyond the limit of its size is an error, and leaves nothing") {
  const Cli cli;
  const Outcome trace =
      cli.shell("ulimit -f 4; " + kBinary + " trace generate load:entries=10k -o t.trace");
  REQUIRE(trace.exit_code == 3);
  REQUIRE(contains(trace.err, "lsmlab: t.trace: cannot be written: File too large"));
  for (const std::string& output : {std::string("--out big.json"), std::string("--log big.json")}) {
    const Outcome outcome = cli.shell("ulimit -f 4; " + kBinary + " " + kRun + output);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 3);
    REQUIRE(contains(outcome.err, "big.json: cannot be written: File too large"));
    REQUIRE(cli.file_count() == 2);  // out and err
  }
}

TEST_CASE("a working directory that is gone is an error with its cause") {
  const Cli cli;
  const std::string gone = "mkdir gone && cd gone && rmdir ../gone && ";
  for (const std::string& arguments :
       {kRun + "--out r.json", kRun + "--log l.jsonl", std::string("compare a.json b.json"),
        std::string("report a.json"), std::string("validate quick"),
        std::string("replay -p tier -w load:entries=10 --dir db"), std::string("check --dir db"),
        std::string("dump CURRENT"), std::string("trace info t"),
        std::string("calibrate --dir here"), std::string("trace generate load:entries=10 -o t")}) {
    const Outcome outcome = cli.shell(gone + "timeout 20 " + kBinary + " " + arguments);
    INFO(arguments << "\n" << outcome.err);
    REQUIRE((outcome.exit_code == 2 || outcome.exit_code == 3));
    REQUIRE(contains(outcome.err, "lsmlab: "));
    REQUIRE_FALSE(contains(outcome.err, "terminate"));
    REQUIRE((contains(outcome.err, "No such file or directory") ||
             contains(outcome.err, "no such directory")));
  }
  REQUIRE(cli.shell("P=$PWD; " + gone + kBinary + " " + kRun + "--out $P/r.json").exit_code == 0);
  REQUIRE(cli.exists("r.json"));
}

TEST_CASE("text of files is shown with its control characters escaped") {
  const Cli cli;
  REQUIRE(cli.run(kRun + "--out r.json").exit_code == 0);
  Json result = Json::parse(cli.read("r.json"));
  result["policy"]["label"] =
      "red \x1B[31m \xC2\x9B"
      "31m \xE2\x80\xAE label";
  cli.write("odd.json", result.dump());
  cli.write("p.json", "{\"policy\": \"\\u001b[31mred\"}");
  for (const std::string& arguments :
       {std::string("compare odd.json r.json"), std::string("simulate -p ./p.json -w flushes"),
        std::string("simulate -p \"$(printf 'a\\033[31m')\" -w flushes"),
        std::string("report \"$(printf 'a\\033[31m')\"")}) {
    const Outcome outcome = cli.run(arguments);
    INFO(arguments);
    REQUIRE_FALSE(contains(outcome.out + outcome.err, "\x1B"));
    REQUIRE_FALSE(contains(outcome.out + outcome.err, "\xC2\x9B"));
    REQUIRE_FALSE(contains(outcome.out + outcome.err, "\xE2\x80\xAE"));
    REQUIRE(contains(outcome.out + outcome.err, "\\x1B[31m"));
  }
  REQUIRE(cli.run("report odd.json -o page.html").exit_code == 0);
  REQUIRE_FALSE(contains(cli.read("page.html"), "\x1B"));
  REQUIRE_FALSE(contains(cli.read("page.html"), "\xE2\x80\xAE"));
}

TEST_CASE("signals end what reads and writes at once, and nothing half-written stays") {
  const Cli cli;
  REQUIRE(cli.shell("mkfifo pipe").exit_code == 0);
  for (const auto& [signal, code] : {std::pair{"INT", 130}, {"TERM", 143}}) {
    Outcome outcome;
    const double seconds = seconds_of([&] {
      // The pipe is also open for writing, so a reader never sees its end.
      outcome = cli.shell("timeout --preserve-status -s " + std::string(signal) + " 0.5 " +
                          kBinary + " report /dev/stdin 3<>pipe <&3");
    });
    REQUIRE(outcome.exit_code == code);
    REQUIRE(seconds < 10);
  }
  // Half a trace comes through the pipe, so part of the export is written when the signal arrives.
  REQUIRE(cli.run("trace generate load:entries=100k -o made.trace").exit_code == 0);
  const Outcome outcome =
      cli.shell("{ head -c 500000 made.trace > pipe & } ; timeout --preserve-status -s TERM 1 " +
                kBinary + " trace export /dev/stdin -o x.csv 3<>pipe <&3");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 143);
  REQUIRE(cli.shell("ls").out == "err\nmade.trace\nout\npipe\n");
}

// Sanitizers use more address space than any such limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("without memory a run ends with an error") {
  const Cli cli;
  const Outcome memory = cli.shell("ulimit -v 300000; " + kBinary +
                                   " simulate -q -p none -w load:entries=100M --out r.json");
  INFO(memory.err);
  REQUIRE(memory.exit_code == 3);
  REQUIRE(contains(memory.err, "out of memory"));
  REQUIRE_FALSE(cli.exists("r.json"));
}
#endif

}  // namespace
}  // namespace lsmlab::robustness_verb_test
