#include "traces/io/unpacking.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/random/mersenne_twister.hpp>
#include <filesystem>

#include "testing/catch.h"
#include "testing/traces/packed.h"
#include "testing/traces/trace_testing.h"
#include "traces/files/trace_file.h"
#include "traces/io/line_reader.h"
#include "traces/workloads/number_lines.h"

namespace lsmlab::unpacking_test {
namespace {

using testing::contains;
using testing::gzip;
using testing::Scratch;
using testing::write_text;
using testing::zstd;
using namespace std::string_literals;

// Text that neither form compresses much, longer than every buffer.
std::string long_text(std::uint32_t seed, std::size_t bytes) {
  boost::random::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) text += fmt::format("{:x}\n", random());
  return text;
}

struct Reading {
  std::string text;
  std::string fault;
};

Reading read_all(const std::string& path, std::size_t step) {
  Reading reading;
  auto input = open_unpacked(path);
  if (!input) return {"", input.error().message};
  std::vector<std::uint8_t> part(step);
  for (;;) {
    const auto count = input.value().reader->read(part);
    if (!count) {
      reading.fault = count.error().message;
      return reading;
    }
    reading.text.append(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count.value()));
    if (count.value() < part.size()) return reading;
  }
}

}  // namespace

TEST_CASE("plain, gzip and zstd inputs read as the same bytes", "[traces][unpacking]") {
  const Scratch scratch;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{3'000'000}}) {
    const std::string text = bytes < 2 ? std::string(bytes, 'x') : long_text(1, bytes);
    const std::string half = text.substr(0, text.size() / 2);
    const std::string rest = text.substr(text.size() / 2);
    const std::vector<std::pair<const char*, std::string>> files{
        {"plain", text},
        {"gzip", gzip(text)},
        {"zstd", zstd(text)},
        {"gzip members", gzip(half) + gzip("") + gzip(rest)},
        {"gzip with padding", gzip(text) + std::string(1000, '\0')},
        {"zstd frames", zstd(half) + zstd("") + zstd(rest)},
        {"a skippable frame first", "\x50\x2a\x4d\x18\x03\0\0\0abc"s + zstd(text)}};
    for (const auto& [name, file] : files) {
      for (const std::size_t step : {std::size_t{977}, std::size_t{1} << 20}) {
        INFO(name << ", " << bytes << " bytes, read by " << step);
        write_text(scratch.path("in"), file);
        const Reading reading = read_all(scratch.path("in"), step);
        REQUIRE(reading.fault.empty());
        REQUIRE((reading.text == text));
      }
    }
  }
}

TEST_CASE("compressed inputs that are cut short or damaged end in an error with an offset",
          "[traces][unpacking]") {
  const Scratch scratch;
  const std::string path = scratch.path("in.gz");
  const std::string text = long_text(2, 20'000);
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    for (std::size_t bytes = 4; bytes < whole.size(); bytes += 1 + whole.size() / 97) {
      write_text(path, whole.substr(0, bytes));
      const Reading reading = read_all(path, 4096);
      INFO(bytes << " of " << whole.size() << ": " << reading.fault);
      REQUIRE(contains(reading.fault, fmt::format("{}: the ", path)));
      REQUIRE(contains(reading.fault,
                       fmt::format("data is cut short at byte {} of the compressed file", bytes)));
    }
    std::string damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
    write_text(path, damaged);
    const Reading reading = read_all(path, 4096);
    INFO(reading.fault);
    REQUIRE(contains(reading.fault, "damaged"));
    REQUIRE(contains(reading.fault, "of the compressed file"));
    write_text(path, whole + "rubbish");
    REQUIRE(contains(read_all(path, 4096).fault, fmt::format("at byte {}", whole.size())));
  }
}

TEST_CASE("a zstd frame that asks for too much memory is refused", "[traces][unpacking]") {
  const Scratch scratch;
  // The magic, a header with a window of 2^31 bytes and no size, a block of one byte.
  write_text(scratch.path("in"), "\x28\xb5\x2f\xfd\x00\xa8\x09\x00\x00x"s);
  const Reading reading = read_all(scratch.path("in"), 100);
  INFO(reading.fault);
  REQUIRE(contains(reading.fault, "more than 128 MiB"));
  REQUIRE(contains(reading.fault, "zstd -d --long=31"));
}

TEST_CASE("other compressed forms are refused by name, with what unpacks them",
          "[traces][unpacking]") {
  const Scratch scratch;
  const std::string path = scratch.path("in");
  const std::vector<std::array<std::string, 3>> forms{
      {"BZh91AY&SY\0\0\0\0\0\0"s, "bzip2-compressed", "bzip2 -d"},
      {"\xfd"
       "7zXZ\0\0\4"s,
       "xz-compressed", "xz -d"},
      {"\x04\x22\x4d\x18xxxx"s, "lz4-compressed", "lz4 -d"},
      {"PK\x03\x04xxxxxxx"s, "a zip archive", "unzip"}};
  for (const auto& [front, name, command] : forms) {
    write_text(path, front);
    const Reading reading = read_all(path, 100);
    INFO(reading.fault);
    REQUIRE(contains(reading.fault, fmt::format("{}: {}", path, name)));
    REQUIRE(contains(reading.fault, fmt::format("{} '{}'", command, path)));
  }
  write_text(path, "BZhello");
  REQUIRE(read_all(path, 100).text == "BZhello");
  write_text(path, gzip("x"));
  const auto trace = TraceReader::open(path);
  REQUIRE_FALSE(trace.has_value());
  REQUIRE(contains(trace.error().message, "gzip-compressed"));
  REQUIRE(contains(trace.error().message, "gzip -d"));
}

TEST_CASE("lines are the same, whatever the form and the mark before them", "[traces][lines]") {
  const Scratch scratch;
  const std::string text = "one\r\ntwo\n\nlast";
  for (const std::string& file :
       {text, "\xef\xbb\xbf" + text, gzip("\xef\xbb\xbf" + text), zstd(text)}) {
    write_text(scratch.path("in"), file);
    const auto lines = LineReader::open(scratch.path("in")).value();
    for (const char* expected : {"one", "two", "", "last"}) {
      REQUIRE(lines->next().value() == expected);
    }
    REQUIRE(lines->place() == scratch.path("in") + ": line 4: ");
    REQUIRE_FALSE(lines->next().value().has_value());
  }
  for (const std::string& front : {"\xff\xfei\0"s, "\xfe\xff\0i"s}) {
    write_text(scratch.path("in"), front);
    const auto refused = LineReader::open(scratch.path("in"));
    REQUIRE(contains(refused.error().message, scratch.path("in") + ": text in UTF-16"));
  }
  write_text(scratch.path("in"), "\xff\xfe\0\0"s);
  REQUIRE(contains(LineReader::open(scratch.path("in")).error().message, "UTF-32"));
}

TEST_CASE("a line without an end is refused before it is read", "[traces][lines]") {
  const Scratch scratch;
  // A sparse file: 4 GiB of zeros take no disk space.
  write_text(scratch.path("in"), "x\n");
  std::filesystem::resize_file(scratch.path("in"), std::uint64_t{4} << 30);
  const auto lines = LineReader::open(scratch.path("in")).value();
  REQUIRE(lines->next().value() == "x");
  const auto refused = lines->next();
  REQUIRE(contains(refused.error().message, scratch.path("in") + ": line 2: longer than"));
}

TEST_CASE("a file of numbers may be compressed, and holds no more than is allowed",
          "[traces][lines]") {
  const Scratch scratch;
  const std::string path = scratch.path("sizes.zst");
  constexpr auto parse = [](std::string_view text) -> Result<std::uint64_t> { return text.size(); };
  const NumberLines form{parse, 1, 5, "1..5", "sizes"};
  write_text(path, zstd("\xef\xbb\xbf"
                        "# a comment\nx\n xx # two\n\nxxx"));
  REQUIRE(read_number_lines(path, form).value() == std::vector<std::uint64_t>{1, 2, 3});
  REQUIRE(
      contains(read_number_lines(path, form, 2).error().message, path + ":5: more than 2 sizes"));
  write_text(path, gzip("x\nxxxxxx\n"));
  REQUIRE(contains(read_number_lines(path, form).error().message, path + ":2: xxxxxx is out of"));
}

TEST_CASE("a set flag ends the wait for a pipe", "[traces][unpacking]") {
  const std::atomic<bool> stop{true};
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto input = open_unpacked(fmt::format("/dev/fd/{}", ends[0]), &stop);  // no process writes
  ::close(ends[0]);
  ::close(ends[1]);
  REQUIRE_FALSE(input.has_value());
  REQUIRE(input.error().kind == ErrorKind::kMachine);
}

TEST_CASE("a named pipe that nothing writes to is refused", "[traces][unpacking]") {
  const Scratch scratch;
  const std::string path = scratch.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto input = open_unpacked(path, nullptr);
  REQUIRE_FALSE(input.has_value());
  REQUIRE(input.error().message.find(path + ": is a pipe that no process writes to") == 0);
}

}  // namespace lsmlab::unpacking_test
