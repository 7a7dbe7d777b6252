#include "validate/catalog/run_parts.h"

#include <fmt/format.h>

#include <limits>

#include "models/base/decimal.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"

namespace lsmlab {
namespace {

constexpr const char* kOption = "--measure-from";

Result<std::uint64_t> moment_of(const KeyWorkload& workload, const std::string& text) {
  if (!text.ends_with('%')) {
    const Result<std::uint64_t> operations = parse_count(text);
    if (operations) return operations.value();
    return in_context(kOption, operations.error());
  }
  const std::optional<Decimal> share = Decimal::parse(text);
  if (!share || Decimal(1, 1) < *share) {
    return input_error(
        fmt::format("{}: '{}' is no share; expected a number of operations (1M), or 0% to 100% of "
                    "them",
                    kOption, excerpt(text)));
  }
  if (workload.operations == 0) {
    return input_error(fmt::format(
        "{}: nobody knows the length of workload '{}' before its end; give a number of operations",
        kOption, workload.name));
  }
  return static_cast<std::uint64_t>(Uint128{workload.operations} * share->numerator() /
                                    share->denominator());
}

}  // namespace

Result<std::vector<PartMark>> run_parts(const KeyWorkload& workload,
                                        const std::string& measure_from) {
  if (measure_from.empty()) return workload.parts;
  for (const PartMark& part : workload.parts) {
    if (part.then == PartEnd::kNothing) continue;
    return input_error(fmt::format(
        "{}: workload '{}' asks its store for something ({}) between its parts, which are shown "
        "apart without the option",
        kOption, workload.name, part_end_name(part.then)));
  }
  const std::uint64_t from = BOOST_OUTCOME_TRYX(moment_of(workload, measure_from));
  const bool is_known = workload.operations > 0;
  if (is_known && from >= workload.operations) {
    return input_error(
        fmt::format("{}: operation {} is not before the end of workload '{}', which "
                    "has {} operations",
                    kOption, from, workload.name, workload.operations));
  }
  const std::uint64_t end =
      is_known ? workload.operations : std::numeric_limits<std::uint64_t>::max() - 1;
  if (from == 0) return std::vector<PartMark>{{"measured", end}};
  return std::vector<PartMark>{{"before", from}, {"measured", end}};
}

}  // namespace lsmlab
