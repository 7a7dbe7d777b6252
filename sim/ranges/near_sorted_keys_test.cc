#include "sim/ranges/near_sorted_keys.h"

#include <algorithm>
#include <cmath>

#include "testing/catch.h"

namespace lsmlab::near_sorted_keys_test {
namespace {

OperationWorkload near_sorted(std::uint64_t inserts, const char* displaced, const char* most) {
  const Result<Spec> spec =
      parse_spec("load:insert_distribution=near-sorted,entries=" + std::to_string(inserts));
  REQUIRE(spec.has_value());
  Result<OperationWorkload> workload = make_operation_workload(spec.value());
  REQUIRE(workload.has_value());
  InsertKeys& keys = workload.value().phases.front().insert_keys;
  keys.displaced = Decimal::parse(displaced);
  keys.displacement_max = Decimal::parse(most);
  return std::move(workload).value();
}

TEST_CASE("near-sorted keys: each part of the key range has as many keys as the exact workload") {
  constexpr std::uint64_t kInserts = 100'000;
  constexpr std::uint64_t kSeed = 11;
  struct Row {
    const char* displaced;
    const char* most;
    std::uint64_t memtable;
  };
  for (const Row& row :
       {Row{"0.1", "0.05", 2'000}, Row{"0.5", "0.05", 700}, Row{"1", "0.3", 3'000},
        Row{"0", "0.05", 2'000}, Row{"0.2", "0.01", 2'500}, Row{"0.1", "0.0001", 2'000}}) {
    const OperationWorkload workload = near_sorted(kInserts, row.displaced, row.most);
    const std::optional<NearSortedKeys> model = NearSortedKeys::make(workload, kSeed);
    REQUIRE(model);
    const KeyLayout layout(workload.phases.front().insert_keys,
                           {0, 0, kInserts, layout_seed(kSeed)});
    for (std::uint64_t first = 0; first + row.memtable <= kInserts; first += row.memtable) {
      INFO("displaced " << row.displaced << " by up to " << row.most << ", from number " << first);
      const std::uint64_t end = first + row.memtable;
      RangeContents contents;
      contents.classes.push_back({fixed_count(row.memtable), fixed_count(row.memtable), 0});
      model->place(first, end, contents);
      const auto intervals = model->intervals(first, end);
      std::vector<double> counted(contents.cells());
      KeyRange exact_keys{~std::uint64_t{0}, 0};
      for (std::uint64_t number = first; number < end; ++number) {
        const std::uint64_t key = layout.key(number);
        exact_keys = {std::min(exact_keys.smallest, key), std::max(exact_keys.largest, key)};
        counted[contents.cell_of(key)] += 1;
      }
      REQUIRE(contents.keys == exact_keys);
      double exact = 0;
      for (std::size_t cell = 0; cell + 1 < contents.cells(); ++cell) {
        exact += counted[cell];
        const double modelled = static_cast<double>(contents.shares_before(cell + 1).entries) /
                                static_cast<double>(kWholeShare) *
                                static_cast<double>(row.memtable);
        // Pairs swap at random: four deviations.
        REQUIRE(std::abs(exact - modelled) <
                4 * std::sqrt(static_cast<double>(row.memtable)) / 2 + 2);
      }
      double keys = 0;
      for (const auto& each : intervals) keys += static_cast<double>(each.count) * each.density;
      REQUIRE(std::abs(keys / static_cast<double>(row.memtable) - 1) < 0.03);
    }
  }
}

TEST_CASE("near-sorted keys: other inserts have none") {
  OperationWorkload workload = near_sorted(1'000, "0.1", "0.05");
  workload.phases.front().insert_keys = {};
  REQUIRE(!NearSortedKeys::make(workload, 1));
}

}  // namespace
}  // namespace lsmlab::near_sorted_keys_test
