// Runs a fuzz target without libFuzzer: over files, or over random mutations of its seeds; or
// writes these, for libFuzzer to begin with.
//   NAME_fuzz MUTATIONS [SEED]     NAME_fuzz FILE...     NAME_fuzz --seeds DIRECTORY
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <random>
#include <string_view>

#include "engine/fuzz/fuzz.h"
#include "engine/posix_file_system.h"

namespace {

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

void mutate(std::string& input, std::mt19937_64& random) {
  const std::size_t at = input.empty() ? 0 : random() % input.size();
  const std::size_t count = 1 + random() % 8;
  switch (random() % 6) {
    case 0:
      input.insert(at, count, static_cast<char>(random() % 256));
      break;
    case 1:
      input.erase(at, count);
      break;
    case 2:
      input.resize(at);
      break;
    case 3:
      if (!input.empty()) input.insert(at, input, random() % input.size(), 1 + random() % 200);
      break;
    case 4:
      if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << (random() % 8)));
      break;
    default:
      if (!input.empty()) input[at] = static_cast<char>(random() % 256);
  }
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int write_seeds(const std::string& directory) {
  std::size_t written = 0;
  for (const std::string& seed : lsmlab::engine::fuzz_seeds()) {
    const std::string path = directory + "/seed-" + std::to_string(written);
    std::ofstream file(path, std::ios::binary);
    if (!file.write(seed.data(), static_cast<std::streamsize>(seed.size())).flush()) {
      std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
      return 1;
    }
    ++written;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "--seeds") return write_seeds(words[1]);
  const auto mutations = words.empty() ? std::optional<std::uint64_t>(1000) : number(words[0]);
  if (!mutations) {
    for (const std::string& path : words) {
      const auto input = lsmlab::engine::PosixFileSystem().read_file(path);
      if (!input) {
        std::fprintf(stderr, "%s\n", input.error().message.c_str());
        return 1;
      }
      run(input.value());
    }
    return 0;
  }
  const std::uint64_t seed = words.size() > 1 ? number(words[1]).value_or(1) : 1;
  std::printf("%llu mutations, seed %llu\n", static_cast<unsigned long long>(*mutations),
              static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  std::vector<std::string> seeds = lsmlab::engine::fuzz_seeds();
  seeds.emplace_back();
  for (const std::string& input : seeds) run(input);
  for (std::uint64_t i = 0; i < *mutations; ++i) {
    std::string input = seeds[random() % seeds.size()];
    for (std::uint64_t steps = 1 + random() % 4; steps > 0; --steps) mutate(input, random);
    run(input);
  }
  return 0;
}
