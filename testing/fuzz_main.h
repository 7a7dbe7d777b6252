// Runs a fuzz target without libFuzzer, over files or over random mutations of its seeds; or writes
// the seeds for libFuzzer.
//   NAME_fuzz MUTATIONS [SEED]     NAME_fuzz FILE...     NAME_fuzz --seeds DIRECTORY
#pragma once

#include <sys/resource.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lsmlab::testing {

inline void run_fuzz_input(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

inline void mutate(std::string& input, std::mt19937_64& random) {
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

inline std::optional<std::uint64_t> fuzz_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline int write_fuzz_seeds(const std::string& directory, const std::vector<std::string>& seeds) {
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const std::string path = directory + "/seed-" + std::to_string(i);
    std::ofstream file(path, std::ios::binary);
    if (!file.write(seeds[i].data(), static_cast<std::streamsize>(seeds[i].size())).flush()) {
      std::fprintf(stderr, "%s: cannot write\n", path.c_str());
      return 1;
    }
  }
  return 0;
}

inline int run_fuzz_files(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot read\n", path.c_str());
      return 1;
    }
    run_fuzz_input({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  }
  return 0;
}

/// No input of a few KiB may make a target use much memory; gigabytes would mean that it trusted a
/// length.
inline bool is_memory_bounded() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;  // they keep freed memory
#else
  constexpr long kMemoryKibMax = 1 << 20;
  struct rusage usage {};
  if (::getrusage(RUSAGE_SELF, &usage) < 0 || usage.ru_maxrss <= kMemoryKibMax) return true;
  std::fprintf(stderr, "the target took %ld KiB of memory; expected at most %ld\n", usage.ru_maxrss,
               kMemoryKibMax);
  return false;
#endif
}

inline int fuzz_main(int count, char** arguments, std::vector<std::string> seeds) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "--seeds") return write_fuzz_seeds(words[1], seeds);
  const auto mutations = words.empty() ? std::optional<std::uint64_t>(1000) : fuzz_number(words[0]);
  if (!mutations) return run_fuzz_files(words);
  const std::uint64_t seed = words.size() > 1 ? fuzz_number(words[1]).value_or(1) : 1;
  std::printf("%llu mutations, seed %llu\n", static_cast<unsigned long long>(*mutations),
              static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  seeds.emplace_back();
  for (const std::string& input : seeds) run_fuzz_input(input);
  for (std::uint64_t i = 0; i < *mutations; ++i) {
    std::string input = seeds[random() % seeds.size()];
    for (std::uint64_t steps = 1 + random() % 4; steps > 0; --steps) mutate(input, random);
    run_fuzz_input(input);
  }
  return is_memory_bounded() ? 0 : 1;
}

}  // namespace lsmlab::testing
