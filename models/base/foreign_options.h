// Option names of other systems, and what they are here. An error about an unknown parameter then
// reads "RocksDB's and LevelDB's write_buffer_size=67108864 is buffer=64MiB here". If a policy's
// family has no such option, the error names the families that have it. The table of names is in
// foreign_option_table.cc.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "models/base/options.h"

namespace lsmlab {

/// How a value of another system becomes ours.
enum class ForeignValue {
  kSame,
  kNameOnly,       // its values have no text here: only the name is answered
  kBytes,          // a number of bytes: 67108864 is 64MiB
  kMebibytes,      // a number of MiB: 160 is 160MiB
  kWhole,          // a whole number, perhaps with decimals: 10.000000 is 10
  kFlag,           // 0, 1, false, true
  kCompactionPri,  // RocksDB's enumeration CompactionPri, by name or number
  kOneLess,        // RocksDB counts the memtable that takes writes, lsmlab does not
  kFilterChance,   // a false-positive rate: the bits per key of a Bloom filter with that rate
};

/// One parameter of ours.
struct ForeignPlace {
  // A family of policies, or kAnyFamily, kEveryPolicy, kStalls or kWorkload.
  std::string_view owner;
  std::string_view option;
  // With kAnyFamily: a family whose option of that name means something else.
  std::string_view except = {};

  /// Whether the option of family `family` is meant, if the family has it.
  [[nodiscard]] bool is_of_family(std::string_view family) const;
};
/// Every family that declares the option, so that a new family needs no row here.
inline constexpr std::string_view kAnyFamily = "policies with that parameter";
inline constexpr std::string_view kEveryPolicy = "every policy";
inline constexpr std::string_view kStalls = "--stalls";
inline constexpr std::string_view kWorkload = "workloads with that parameter";

/// Exactly one of `places`, `elsewhere` and `note` is given.
struct ForeignOption {
  std::string_view name;     // as the system spells it
  std::string_view systems;  // "RocksDB, LevelDB": an error names all
  ForeignValue value = ForeignValue::kSame;
  std::array<ForeignPlace, 8> places = {};  // parameters that mean the same; empty ones at the end
  std::string_view elsewhere = {};  // what it is, if that is no parameter: an option of a verb
  std::string_view note = {};       // why nothing means the same, and what is nearest
  // Parameters here have the same name with other meanings: answer only if a place matches.
  bool is_ambiguous = false;

  [[nodiscard]] constexpr std::size_t place_count() const {
    std::size_t count = 0;
    while (count < places.size() && !places[count].option.empty()) ++count;
    return count;
  }
};

[[nodiscard]] std::span<const ForeignOption> foreign_options();

/// A sentence for an unknown parameter `name` with value `text`; empty if the table has no such
/// name. `names`: the valid parameters. `owner`: the policy's family; empty if there is none.
/// `families`: those to be named if the owner has no such option; without them the sentence speaks
/// of policies with that parameter.
[[nodiscard]] std::string foreign_option_help(std::string_view name, const std::string& text,
                                              std::span<const std::string> names,
                                              std::string_view owner,
                                              std::span<const OptionOwner> families);

}  // namespace lsmlab
