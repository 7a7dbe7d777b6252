// Option names of other systems, and what they are here: one table. An error about an unknown
// parameter then reads "RocksDB's write_buffer_size=67108864 is buffer=64MiB here". A family that
// has no such option is told which ones have it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lsmlab {

/// How a foreign value becomes ours.
enum class ForeignValue {
  kSame,
  kBytes,          // a number of bytes: 67108864 is 64MiB
  kMebibytes,      // a number of MiB: 160 is 160MiB
  kWhole,          // a whole number, perhaps with decimals: 10.000000 is 10
  kFlag,           // 0, 1, false, true
  kCompactionPri,  // RocksDB's enumeration CompactionPri, by name or number
  kOneLess,        // RocksDB counts the memtable that is being written to
  kFilterChance,   // a false-positive rate: bits per key of a Bloom filter that has it
};

/// One parameter of ours.
struct ForeignPlace {
  // A family of policies; or kEveryPolicy, kStalls, kWorkload.
  std::string_view owner;
  std::string_view option;
};
inline constexpr std::string_view kEveryPolicy = "every policy";
inline constexpr std::string_view kStalls = "--stalls";
inline constexpr std::string_view kWorkload = "workloads of operations";

struct ForeignOption {
  std::string_view name;     // as the system spells it
  std::string_view systems;  // "RocksDB, LevelDB": an error names the first
  ForeignValue value = ForeignValue::kSame;
  std::array<ForeignPlace, 8> places = {};  // empty ones at the end
  std::string_view note = {};               // where there is no place: why, and what is near
  // Parameters here have that name, too, with other meanings: help only where a place matches.
  bool is_ambiguous = false;

  [[nodiscard]] constexpr std::size_t place_count() const {
    std::size_t count = 0;
    while (count < places.size() && !places[count].option.empty()) ++count;
    return count;
  }
};

[[nodiscard]] std::span<const ForeignOption> foreign_options();

/// A sentence for an unknown parameter `name` with value `text`; empty where no system has it.
/// `names`: the parameters that would be valid; `owner`: the policy's family, where there is one.
[[nodiscard]] std::string foreign_option_help(std::string_view name, const std::string& text,
                                              std::span<const std::string> names,
                                              std::string_view owner);

}  // namespace lsmlab
