#include "traces/stores/json_lines.h"

#include <optional>

#include "models/base/json_parse.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// The member that holds the program's line, by the writer: Docker, most collectors, journald, Go's
// loggers, Google Cloud.
constexpr std::string_view kTextMembers[] = {"log", "message", "MESSAGE", "msg", "textPayload"};

std::optional<std::string> text_of_json_line(std::string_view line) {
  if (!trimmed(line).starts_with('{')) return std::nullopt;
  const auto parsed = parse_json(trimmed(line));
  if (!parsed || !parsed.value().is_object()) return std::nullopt;
  for (const std::string_view member : kTextMembers) {
    const auto found = parsed.value().find(member);
    if (found == parsed.value().end() || !found->is_string()) continue;
    std::string text = found->get<std::string>();
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  return std::nullopt;
}

}  // namespace

bool has_json_lines(std::string_view head) {
  Lines lines(head);
  while (const auto line = lines.next()) {
    if (!trimmed(*line).empty()) return text_of_json_line(*line).has_value();
  }
  return false;
}

std::string text_of_json_lines(std::string_view bytes) {
  std::string text;
  Lines lines(bytes);
  while (const auto line = lines.next()) {
    const auto own = text_of_json_line(*line);
    text += own ? *own : std::string(*line);
    text += '\n';
  }
  return text;
}

}  // namespace lsmlab::stores
