#include "validate/runs/kept_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "traces/io/byte_file.h"
#include "traces/io/text_file.h"
#include "validate/results/json_shape.h"
#include "validate/results/result_json.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kObjectEnd = "\n}\n";
constexpr std::string_view kSealBegin = ",\n \"xxh3_128\": \"";
constexpr std::string_view kSealEnd = "\"\n}\n";

// The members that judging a run needs, besides those that every result has.
constexpr JsonMember kJudged[] = {
    {"policy/name", JsonKind::kText, true},
    {"policy/label", JsonKind::kText, true},
    {"workload/name", JsonKind::kText, true},
    {"seed", JsonKind::kCount, true},
    {"mode", JsonKind::kText, true},
    {"totals/merge_bytes_read", JsonKind::kNumber, true},
    {"totals/merge_bytes_written", JsonKind::kNumber, true},
    {"plan_log", JsonKind::kObject, true},
    {"plan_log/plans", JsonKind::kCount, true},
    {"plan_log/bytes", JsonKind::kCount, true},
    {"plan_log/xxh3_128", JsonKind::kText, true},
};

Error damage(const std::string& path, std::string_view what) {
  return input_error(fmt::format("{}: damaged: {}", path, what));
}

Result<LogSeal> seal_of_file(const std::string& path) {
  const auto file = BOOST_OUTCOME_TRYX(ByteReader::open(path));
  Digest digest;
  LogSeal seal;
  for (;;) {
    const auto bytes = BOOST_OUTCOME_TRYX(file->peek());
    if (bytes.empty()) break;
    digest.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    seal.plans += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    seal.bytes += bytes.size();
    file->consume(bytes.size());
  }
  seal.digest = digest.text();
  return seal;
}

}  // namespace

Result<SealedLog> SealedLog::open(const std::string& path) {
  auto file = BOOST_OUTCOME_TRYX(OutputFile::open(path));
  return SealedLog(std::move(file));
}

PlanLogSink SealedLog::sink() {
  return [this](const PlanRecord& record) {
    const std::string line = plan_record_line(record) + "\n";
    file_.write(line);
    digest_.add(line);
    ++plans_;
    bytes_ += line.size();
  };
}

Result<LogSeal> SealedLog::commit() {
  BOOST_OUTCOME_TRYV(file_.commit());
  return LogSeal{plans_, bytes_, digest_.text()};
}

std::string sealed_result(std::string text, const LogSeal& log) {
  CHECK(text.ends_with(kObjectEnd));
  text.resize(text.size() - kObjectEnd.size());
  text += fmt::format(
      ",\n \"plan_log\": {{\n  \"plans\": {},\n  \"bytes\": {},\n  \"xxh3_128\": \"{}\"\n }}",
      log.plans, log.bytes, log.digest);
  return fmt::format("{}{}{}{}", text, kSealBegin, digest_of_text(text), kSealEnd);
}

Result<Json> read_sealed_result(const std::string& path) {
  const auto text = BOOST_OUTCOME_TRYX(read_text_file(path, kDataBytesMax));
  const std::size_t seal = text.rfind(kSealBegin);
  if (seal == std::string::npos) return damage(path, "it does not end with its checksum");
  const std::string_view body = std::string_view(text).substr(0, seal);
  if (text.substr(seal) != fmt::format("{}{}{}", kSealBegin, digest_of_text(body), kSealEnd)) {
    return damage(path, "its checksum does not match");
  }
  std::vector<Json> results = BOOST_OUTCOME_TRYX(parse_results(path, text));
  if (const auto fault = shape_fault(results.front(), kJudged)) return damage(path, *fault);
  return std::move(results.front());
}

Result<void> check_kept_run(const std::string& result_path, const std::string& log_path) {
  const Json result = BOOST_OUTCOME_TRYX(read_sealed_result(result_path));
  const Json& log = result.at("plan_log");
  const LogSeal expected{log.at("plans").get<std::uint64_t>(), log.at("bytes").get<std::uint64_t>(),
                         log.at("xxh3_128").get<std::string>()};
  const LogSeal found = BOOST_OUTCOME_TRYX(seal_of_file(log_path));
  if (found.plans != expected.plans || found.bytes != expected.bytes) {
    return damage(log_path, fmt::format("it has {} plans in {} bytes, but the run wrote {} in {}",
                                        found.plans, found.bytes, expected.plans, expected.bytes));
  }
  if (found.digest != expected.digest) return damage(log_path, "its checksum does not match");
  return success();
}

}  // namespace lsmlab
