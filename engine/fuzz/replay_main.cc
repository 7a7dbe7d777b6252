// Runs a fuzz target without libFuzzer: over files, or over random mutations of its seeds.
//   NAME_fuzz MUTATIONS [SEED]     NAME_fuzz FILE...
#include <charconv>
#include <cstdio>
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

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
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
