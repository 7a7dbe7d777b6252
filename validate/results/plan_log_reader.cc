#include "validate/results/plan_log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/quantity_text.h"

namespace lsmlab {
namespace {

// A merge of a million files has a line of about 100 MiB.
constexpr std::size_t kLineBytesMax = std::size_t{256} << 20;

}  // namespace

Result<PlanLogReader> PlanLogReader::open(const std::string& path) {
  auto file = BOOST_OUTCOME_TRYX(ByteReader::open(path));
  return PlanLogReader(path, std::move(file));
}

PlanLogReader::PlanLogReader(std::string path, std::unique_ptr<ByteReader> file)
    : path_(std::move(path)), file_(std::move(file)) {}

Result<std::optional<std::string>> PlanLogReader::next_line() {
  std::string line;
  ++line_;
  for (bool is_first = true;; is_first = false) {
    const auto bytes = BOOST_OUTCOME_TRYX(file_->peek());
    if (bytes.empty() && is_first) return std::optional<std::string>();
    const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{'\n'});
    const bool is_whole = end != bytes.end() || bytes.empty();
    const auto count = static_cast<std::size_t>(end - bytes.begin());
    if (line.size() + count > kLineBytesMax) {
      return input_error(fmt::format("{}:{}: a line of more than {} is no plan record", path_,
                                     line_, bytes_text(kLineBytesMax)));
    }
    line.append(bytes.begin(), end);
    file_->consume(count + (end != bytes.end() ? 1 : 0));
    if (is_whole) return std::optional<std::string>(std::move(line));
  }
}

Result<PlanRecord> PlanLogReader::parse(const std::string& line) const {
  Result<PlanRecord> record = parse_plan_record(line);
  if (record) return record;
  return in_context(fmt::format("{}:{}", path_, line_), record.error());
}

Result<std::optional<PlanRecord>> PlanLogReader::next() {
  const std::optional<std::string> line = BOOST_OUTCOME_TRYX(next_line());
  if (!line) return std::optional<PlanRecord>();
  PlanRecord record = BOOST_OUTCOME_TRYX(parse(*line));
  return std::optional(std::move(record));
}

Result<std::vector<PlanRecord>> read_plan_log(const std::string& path) {
  PlanLogReader reader = BOOST_OUTCOME_TRYX(PlanLogReader::open(path));
  std::vector<PlanRecord> records;
  for (;;) {
    std::optional<PlanRecord> record = BOOST_OUTCOME_TRYX(reader.next());
    if (!record) return records;
    records.push_back(std::move(*record));
  }
}

}  // namespace lsmlab
