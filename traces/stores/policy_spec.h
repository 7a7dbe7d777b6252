// Maps a user's options to a policy SPEC of lsmlab.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::stores {

struct PolicyGuess {
  std::string parameter;  // of the SPEC
  std::string why;
  bool is_rounded = false;  // lsmlab cannot take the option's number, and takes the nearest
};

struct PolicySpec {
  std::string spec;           // empty: lsmlab has no such policy
  bool states_times = false;  // a workload of the SPEC needs operations_per_second
  std::vector<PolicyGuess> guesses;
  // "name=value" of options that lsmlab does not model, some with " (why)".
  std::vector<std::string> unmodelled;
};

/// A `rate_lack`.
inline constexpr std::string_view kNoRate = "no file tells operations_per_second";

/// `rate_lack`: empty if the workload that goes with the SPEC says how many operations a second it
/// stands for. The SPEC then has RocksDB's ages, as times; otherwise they are unmodelled, for this
/// reason. A schema's times are in the SPEC anyway, because its workload is never in the files.
[[nodiscard]] PolicySpec policy_spec(const Store& store, const FamilyFigures& figures,
                                     std::string_view rate_lack);
/// Of the workload that the files tell of (store_workload.h).
[[nodiscard]] PolicySpec policy_spec(const Store& store, const FamilyFigures& figures);

}  // namespace lsmlab::stores
