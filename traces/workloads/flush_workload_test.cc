#include "traces/workloads/flush_workload.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "testing/catch.h"
#include "traces/workloads/flush_sizes.h"

namespace lsmlab::flush_workload_test {
namespace {

Result<FlushWorkload> make(const std::string& parameters) {
  return FlushWorkload::make(parse_spec("flushes:" + parameters).value().parameters);
}

std::string fault_of(const std::string& parameters) {
  const auto workload = make(parameters);
  return workload ? "" : workload.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::uint64_t> draw(const std::string& parameters, std::uint64_t seed) {
  const auto workload = make(parameters);
  REQUIRE(workload.has_value());
  std::vector<std::uint64_t> sizes(workload.value().count());
  workload.value().open(seed)->fill(sizes);
  return sizes;
}

double mean_of(const std::vector<std::uint64_t>& sizes) {
  double sum = 0;
  for (const std::uint64_t size : sizes) sum += static_cast<double>(size);
  return sum / static_cast<double>(sizes.size());
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("lsmlab-sizes-" + std::to_string(::getpid()) + ".txt"))
                  .string()) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_CASE("every distribution has the mean that was asked for") {
  for (const std::string distribution : {"constant", "uniform", "uniform,spread=1", "exponential",
                                         "lognormal", "lognormal,sigma=0.1"}) {
    INFO(distribution);
    REQUIRE(mean_of(draw("count=200000,size=1M,distribution=" + distribution, 3)) ==
            Approx(1e6).epsilon(0.01));
  }
}

TEST_CASE("sizes are the same everywhere: golden draws") {
  REQUIRE(draw("count=4,size=1M,distribution=uniform", 1) ==
          std::vector<std::uint64_t>{633876, 636407, 951215, 521024});
  REQUIRE(draw("count=4,size=1M,distribution=exponential", 1) ==
          std::vector<std::uint64_t>{266736, 329068, 614842, 31551});
  REQUIRE(draw("count=4,size=1M,distribution=lognormal", 1) ==
          std::vector<std::uint64_t>{787532, 775158, 649593, 869251});
}

TEST_CASE("a seed decides, and only the seed") {
  const std::string parameters = "count=1000,size=1M,distribution=lognormal";
  REQUIRE(draw(parameters, 5) == draw(parameters, 5));
  REQUIRE(draw(parameters, 5) != draw(parameters, 6));
}

TEST_CASE("sizes are never below one byte") {
  for (const std::uint64_t size : draw("count=10000,size=1,distribution=exponential", 2))
    REQUIRE(size >= 1);
  for (const std::uint64_t size : draw("count=1000,size=1,distribution=uniform,spread=1", 2))
    REQUIRE(size >= 1);
}

TEST_CASE("recorded sizes of a real store are read whole") {
  const std::string directory = std::string(LSMLAB_SOURCE_DIR) + "/configs/workloads/flush-sizes/";
  for (const std::string name : {"uniform", "zipf", "wal", "shared"}) {
    INFO(name);
    const auto sizes = read_flush_sizes(directory + name + ".txt");
    REQUIRE(sizes.has_value());
    REQUIRE(sizes.value().size() == 1500);
  }
  REQUIRE(read_flush_sizes(directory + "uniform.txt").value().front() == 2008723);
}

TEST_CASE("a file of sizes is used in order, up to count, again only on request") {
  const TemporaryFile file("# comment\n10 # ten\n\n 20 \n3KiB\r\n");
  const std::string from = "distribution=file,path=" + file.path();
  REQUIRE(draw(from, 1) == std::vector<std::uint64_t>{10, 20, 3072});
  REQUIRE(draw(from + ",count=2", 1) == std::vector<std::uint64_t>{10, 20});
  REQUIRE(draw(from + ",count=5,repeat=true", 1) ==
          std::vector<std::uint64_t>{10, 20, 3072, 10, 20});
  REQUIRE(contains(fault_of(from + ",count=4"), "holds 3 sizes"));
}

TEST_CASE("the mean size is the given one, or that of the sizes that a file gives") {
  const auto mean = [](const std::string& parameters) {
    return make(parameters).value().mean_bytes().value();
  };
  REQUIRE(mean("size=7") == 7);
  REQUIRE(mean("size=100,distribution=lognormal") == 100);
  const TemporaryFile file("10\n20\n3000\n");
  const std::string from = "distribution=file,path=" + file.path();
  REQUIRE(mean(from) == 1010);
  REQUIRE(mean(from + ",count=2") == 15);
  REQUIRE(mean(from + ",count=5,repeat=true") == 612);
}

TEST_CASE("malformed files are refused with the line") {
  for (const auto& [text, fault] : std::vector<std::pair<std::string, std::string>>{
           {"10\nx\n", ":2: 'x' is not a number"},
           {"10\n\n-3\n", ":3: '-3' is negative"},
           {"0\n", ":1: 0 is out of range"},
           {"1\n99999999999999999999\n", ":2: '99999999999999999999' is larger"},
           {"18000000000000000000\n", ":1: 18000000000000000000 is out of range"},
           {"# nothing\n", "holds no flush sizes"},
           {"", "holds no flush sizes"}}) {
    const TemporaryFile file(text);
    INFO(text);
    REQUIRE(contains(fault_of("distribution=file,path=" + file.path()), fault));
  }
  REQUIRE(contains(fault_of("distribution=file,path=/no/such/file"), "No such file"));
  REQUIRE(contains(fault_of("distribution=file,path=/tmp"), "is a directory"));
}

TEST_CASE("parameters that do not go together are refused") {
  REQUIRE(contains(fault_of("count=0"), "expected 1..2^62"));
  REQUIRE(contains(fault_of("size=0"), "out of range"));
  REQUIRE(contains(fault_of("size=-4MiB"), "negative"));
  REQUIRE(contains(fault_of("count=100G,size=1GiB"), "more than 2^63 bytes"));
  REQUIRE(contains(fault_of("sigma=1"), "distribution=lognormal only"));
  REQUIRE(contains(fault_of("spread=1"), "distribution=uniform only"));
  REQUIRE(contains(fault_of("path=x"), "distribution=file only"));
  REQUIRE(contains(fault_of("distribution=file"), "needs path=FILE"));
  REQUIRE(contains(fault_of("distribution=normal"), "lognormal"));
  REQUIRE(contains(fault_of("count=1,size=9223372036854775808,distribution=uniform,spread=1"),
                   "at most 2^62"));
}

}  // namespace
}  // namespace lsmlab::flush_workload_test
