#include "traces/files/trace_export.h"

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"

namespace lsmlab::trace_export_test {
namespace {

using testing::Scratch;
using testing::text_of_file;

Result<ExportReport> export_operations(const Scratch& scratch, ExportFormat format,
                                       const std::vector<Operation>& operations) {
  testing::write_trace(scratch.path("t"), operations);
  return export_trace(*TraceReader::open(scratch.path("t")).value(), format, scratch.path("out"));
}

const std::vector<Operation> kOperations{
    {.key = 61, .value_bytes = 3, .key_bytes = 13},
    {.key = 62, .key_bytes = 8, .kind = OperationKind::kDelete},
    {.key = ~std::uint64_t{0}, .key_bytes = 11, .kind = OperationKind::kGet},
    {.key = 0, .scan_last_key = 10, .key_bytes = 12, .kind = OperationKind::kScan},
    {.key = 1, .value_bytes = 0, .key_bytes = 11}};

}  // namespace

TEST_CASE("a trace is exported in the K-V workload generator's form", "[traces][trace_export]") {
  const Scratch scratch;
  const auto report = export_operations(scratch, ExportFormat::kKvWorkload, kOperations);
  REQUIRE(report.has_value());
  REQUIRE(report.value().operations == 5);
  REQUIRE(report.value().keys_lengthened == 1);
  REQUIRE(text_of_file(scratch.path("out")) ==
          "I 0000000000z00 vvv\n"
          "D 00000000010 \n"
          "Q LygHa16AHYF\n"
          "S 000000000000 0000000000A0\n"
          "I 00000000001 \n");
}

TEST_CASE("a trace is exported as CSV", "[traces][trace_export]") {
  const Scratch scratch;
  REQUIRE(export_operations(scratch, ExportFormat::kCsv, kOperations).has_value());
  REQUIRE(text_of_file(scratch.path("out")) ==
          "kind,key,key_bytes,value_bytes,scan_last_key,scan_entries_max\n"
          "put,61,13,3,,\n"
          "delete,62,8,,,\n"
          "get,18446744073709551615,11,,,\n"
          "scan,0,12,,10,0\n"
          "put,1,11,0,,\n");
}

TEST_CASE("a large value is exported whole", "[traces][trace_export]") {
  const Scratch scratch;
  REQUIRE(export_operations(scratch, ExportFormat::kKvWorkload,
                            {{.key = 0, .value_bytes = 300'000, .key_bytes = 11}})
              .has_value());
  REQUIRE(text_of_file(scratch.path("out")) == "I 00000000000 " + std::string(300'000, 'v') + "\n");
}

TEST_CASE("a scan that the form cannot say is refused by its number", "[traces][trace_export]") {
  const Scratch scratch;
  auto operations = kOperations;
  operations[3].scan_entries_max = 5;
  const auto report = export_operations(scratch, ExportFormat::kKvWorkload, operations);
  REQUIRE_FALSE(report.has_value());
  REQUIRE(testing::contains(report.error().message, "operation 3: a scan with a limit"));
  REQUIRE_FALSE(std::ifstream(scratch.path("out")).good());
}

}  // namespace lsmlab::trace_export_test
