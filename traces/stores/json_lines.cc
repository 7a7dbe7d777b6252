#include "traces/stores/json_lines.h"

#include <map>
#include <optional>

#include "models/base/json_parse.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// The member that holds the program's line, by the writer: Docker, most collectors, journald, Go's
// loggers, Google Cloud.
constexpr std::string_view kTextMembers[] = {"log", "message", "MESSAGE", "msg", "textPayload"};

struct JsonLine {
  std::string text;
  std::string stream;       // of Docker
  bool is_partial = false;  // the next record of the stream goes on
};

// Docker divides lines of a program that are longer. Other writers leave the line's end out.
bool is_partial_record(std::string_view member, std::string_view text) {
  constexpr std::size_t kRecordBytes = std::size_t{16} << 10;
  return member == "log" && text.size() >= kRecordBytes && !text.ends_with('\n');
}

std::optional<JsonLine> json_line_of(std::string_view line) {
  if (!trimmed(line).starts_with('{')) return std::nullopt;
  const auto parsed = parse_json(trimmed(line));
  if (!parsed || !parsed.value().is_object()) return std::nullopt;
  for (const std::string_view member : kTextMembers) {
    const auto found = parsed.value().find(member);
    if (found == parsed.value().end() || !found->is_string()) continue;
    JsonLine own;
    own.text = found->get<std::string>();
    own.is_partial = is_partial_record(member, own.text);
    if (own.text.ends_with('\n')) own.text.pop_back();
    const auto stream = parsed.value().find("stream");
    if (stream != parsed.value().end() && stream->is_string()) {
      own.stream = stream->get<std::string>();
    }
    return own;
  }
  return std::nullopt;
}

}  // namespace

bool has_json_lines(std::string_view head) {
  Lines lines(head);
  while (const auto line = lines.next()) {
    if (!trimmed(*line).empty()) return json_line_of(*line).has_value();
  }
  return false;
}

std::string text_of_json_lines(std::string_view bytes) {
  std::string text;
  std::map<std::string, std::string> begun;  // lines by stream, without their end
  Lines lines(bytes);
  while (const auto line = lines.next()) {
    const auto own = json_line_of(*line);
    if (!own) {
      text += std::string(*line) + '\n';
      continue;
    }
    std::string& whole = begun[own->stream];
    whole += own->text;
    if (own->is_partial) continue;
    text += whole + '\n';
    whole.clear();
  }
  for (const auto& [stream, rest] : begun) text += rest.empty() ? "" : rest + '\n';
  return text;
}

}  // namespace lsmlab::stores
