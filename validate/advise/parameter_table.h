// The parameters that `advise` varies, with the values that it tries. Each value has a place on a
// ladder: the first round takes the coarse ones, refinement goes to the next value up or down.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lsmlab {

enum class LadderKind {
  kNumbers,  // ascending
  kBuffers,  // multiples of the memtable's bytes, ascending
  kNames,    // no value is nearer than another
};

/// When a parameter is varied at all.
enum class SearchedWhen {
  kAlways,
  kReads,   // a figure of the question depends on filters
  kMemory,  // --memory limits what it takes; the ladder is made from the limit
};

struct SearchedParameter {
  std::string_view family;  // of policies; kEveryFamily for an option of the store
  std::string_view name;
  std::vector<std::string> coarse;  // apart from the value that the policy has anyway
  std::vector<std::string> ladder;  // all values; contains the coarse ones
  LadderKind kind = LadderKind::kNumbers;
  SearchedWhen when = SearchedWhen::kAlways;
};

inline constexpr std::string_view kEveryFamily = "every policy";

[[nodiscard]] std::span<const SearchedParameter> searched_parameters();

/// The policies that are searched where the user names none, as SPECs.
[[nodiscard]] std::span<const std::string_view> usual_policies();

/// The families that a store of that family can be given without another system: RocksDB's two, the
/// strategies of Cassandra or of ScyllaDB.
[[nodiscard]] std::vector<std::string> policies_of_system(std::string_view family);

}  // namespace lsmlab
