#include "traces/files/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "traces/io/byte_file.h"

namespace lsmlab {
namespace {

constexpr std::size_t kBatch = 4096;
constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kKeyDigits = 11;  // 62^11 > 2^64

// Large values are written in parts, so that memory need not hold a whole line.
constexpr std::size_t kValuePartBytes = std::size_t{1} << 16;

void append_key(std::uint64_t key, std::size_t key_bytes, std::string& text) {
  std::array<char, kKeyDigits> digits{};
  for (std::size_t i = kKeyDigits; i-- > 0; key /= kDigits.size()) {
    digits[i] = kDigits[static_cast<std::size_t>(key % kDigits.size())];
  }
  text.append(digits.data(), digits.size());
  if (key_bytes > kKeyDigits) text.append(key_bytes - kKeyDigits, '0');
}

// Writes the text after the key of a put.
Result<void> write_value(std::size_t value_bytes, StopFlag stop, std::string& text,
                         ReplacingWriter& file) {
  while (value_bytes > 0) {
    BOOST_OUTCOME_TRYV(check_stop(stop));
    const std::size_t part = std::min(value_bytes, kValuePartBytes);
    text.append(part, 'v');
    value_bytes -= part;
    if (text.size() >= kValuePartBytes) {
      BOOST_OUTCOME_TRYV(file.write(text));
      text.clear();
    }
  }
  return success();
}

Result<void> write_kv_workload(const Operation& operation, StopFlag stop, std::string& text,
                               ReplacingWriter& file) {
  constexpr std::string_view kLetters = "IDQS";
  text += kLetters[static_cast<std::size_t>(operation.kind)];
  text += ' ';
  append_key(operation.key, operation.key_bytes, text);
  switch (operation.kind) {
    case OperationKind::kPut: {
      text += ' ';
      BOOST_OUTCOME_TRYV(write_value(operation.value_bytes, stop, text, file));
      break;
    }
    case OperationKind::kDelete:
      text += ' ';  // the K-V-Workload-Generator writes this space
      break;
    case OperationKind::kGet:
      break;
    case OperationKind::kScan:
      if (operation.scan_entries_max > 0) {
        return input_error(fmt::format(
            "a scan with a limit of {} entries; this format can limit a scan only by its last key",
            operation.scan_entries_max));
      }
      text += ' ';
      append_key(operation.scan_last_key, operation.key_bytes, text);
      break;
  }
  text += '\n';
  return success();
}

void append_csv(const Operation& operation, std::string& text) {
  constexpr std::array<const char*, 4> kNames{"put", "delete", "get", "scan"};
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{},{},{},", kNames[static_cast<std::size_t>(operation.kind)], operation.key,
                 operation.key_bytes);
  if (operation.kind == OperationKind::kPut) fmt::format_to(out, "{}", operation.value_bytes);
  if (operation.kind == OperationKind::kScan) {
    fmt::format_to(out, ",{},{}\n", operation.scan_last_key, operation.scan_entries_max);
  } else {
    text += ",,\n";
  }
}

}  // namespace

Result<ExportReport> export_trace(OperationSource& source, ExportFormat format,
                                  const std::string& path, StopFlag stop) {
  auto file = BOOST_OUTCOME_TRYX(ReplacingWriter::create(path));
  ExportReport report;
  std::vector<Operation> operations(kBatch);
  std::string text;
  if (format == ExportFormat::kCsv) {
    text = "kind,key,key_bytes,value_bytes,scan_last_key,scan_entries_max\n";
  }
  for (;;) {
    BOOST_OUTCOME_TRYV(check_stop(stop));
    auto count = BOOST_OUTCOME_TRYX(source.fill(operations));
    for (const Operation& operation : std::span(operations).first(count)) {
      if (format == ExportFormat::kCsv) {
        append_csv(operation, text);
      } else {
        const auto written = write_kv_workload(operation, stop, text, *file);
        if (!written && written.error().kind == ErrorKind::kMachine) return written.error();
        if (!written) {
          Error error = written.error();
          error.message = fmt::format("operation {}: {}", report.operations, error.message);
          return error;
        }
        report.keys_lengthened += operation.key_bytes < kKeyDigits ? 1U : 0U;
      }
      ++report.operations;
    }
    BOOST_OUTCOME_TRYV(file->write(text));
    text.clear();
    if (count < operations.size()) break;
  }
  BOOST_OUTCOME_TRYV(file->finish());
  return report;
}

}  // namespace lsmlab
