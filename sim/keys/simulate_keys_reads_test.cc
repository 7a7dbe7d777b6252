// What the result of a run says about its reads.
#include <algorithm>
#include <vector>

#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::simulate_keys_reads_test {
namespace {

class ListedOperations : public OperationSource {
 public:
  explicit ListedOperations(std::vector<Operation> operations)
      : operations_(std::move(operations)) {}
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> out) override {
    const std::size_t count = std::min(out.size(), operations_.size() - next_);
    std::copy_n(operations_.begin() + static_cast<std::ptrdiff_t>(next_), count, out.begin());
    next_ += count;
    return count;
  }

 private:
  std::vector<Operation> operations_;
  std::size_t next_ = 0;
};

Operation operation(OperationKind kind, std::uint64_t key) {
  Operation made;
  made.kind = kind;
  made.key = key;
  made.key_bytes = 16;
  made.value_bytes = kind == OperationKind::kPut ? 100 : 0;
  if (kind == OperationKind::kScan) made.scan_last_key = key + 9;
  return made;
}

RunResult run(std::vector<Operation> operations) {
  ListedOperations source(std::move(operations));
  RunControl control;
  auto result =
      simulate_keys(default_setup(testing::policy_of("leveled:buffer=4000")), source, control);
  REQUIRE(result.has_value());
  return std::move(result).value();
}

TEST_CASE("a result has figures of reads where there were any, and curves of them") {
  std::vector<Operation> operations;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    operations.push_back(operation(OperationKind::kPut, 2 * key));
  }
  const RunResult writes = run(operations);
  REQUIRE_FALSE(writes.keys->reads.has_value());
  REQUIRE(writes.keys->final.gets == 0);
  for (std::uint64_t key = 0; key < 300; ++key) {
    operations.push_back(operation(OperationKind::kGet, key));
  }
  operations.push_back(operation(OperationKind::kScan, 100));
  for (std::uint64_t key = 0; key < 100; ++key) {
    operations.push_back(operation(OperationKind::kPut, 5000 + key));
  }
  const RunResult result = run(operations);
  REQUIRE(result.keys->reads.has_value());
  const ReadFigures& reads = *result.keys->reads;
  REQUIRE(reads.gets_found.count == 150);
  REQUIRE(reads.gets_absent.count == 150);
  REQUIRE(reads.scans.count == 1);
  REQUIRE(reads.scans.entries == 5);
  REQUIRE(reads.blocks().blocks_read > 0);
  REQUIRE(read_blocks_of(reads) == static_cast<double>(reads.gets_found.blocks.blocks_read +
                                                       reads.gets_absent.blocks.blocks_read) /
                                       300);
  REQUIRE(result.series.front().keys->gets == 0);
  REQUIRE(result.series.back().keys->gets == 300);
  REQUIRE(result.series.back().keys->scans == 1);
  REQUIRE(result.series.back().keys->blocks_read == reads.blocks().blocks_read);
}

}  // namespace
}  // namespace lsmlab::simulate_keys_reads_test
