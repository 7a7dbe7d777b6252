#include "validate/plan_log_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace lsmlab {

Result<PlanLogReader> PlanLogReader::open(const std::string& path) {
  PlanLogReader reader(path);
  if (!reader.file_) return input_error(fmt::format("{}: {}", path, std::strerror(errno)));
  return reader;
}

Result<std::optional<std::string>> PlanLogReader::next_line() {
  std::string line;
  ++line_;
  if (std::getline(file_, line)) return std::optional<std::string>(std::move(line));
  if (file_.bad()) return machine_error(fmt::format("{}: {}", path_, std::strerror(errno)));
  return std::optional<std::string>();
}

Result<PlanRecord> PlanLogReader::parse(const std::string& line) const {
  Result<PlanRecord> record = parse_plan_record(line);
  if (record) return record;
  return input_error(fmt::format("{}:{}: {}", path_, line_, record.error().message));
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
