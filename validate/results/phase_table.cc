#include "validate/results/phase_table.h"

#include <fmt/format.h>

#include "models/base/quantity_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string number_text(const Json& part, const char* member, int digits) {
  const auto found = part.find(member);
  if (found == part.end() || !found->is_number()) return "-";
  return fmt::format("{:.{}f}", found->get<double>(), digits);
}

std::string bytes_of(const Json& part, const char* member) {
  const auto found = part.find(member);
  if (found == part.end() || !found->is_number()) return "-";
  return bytes_text(static_cast<std::uint64_t>(found->get<double>()));
}

std::string row_of(const std::string& policy, const std::string& name, const Json& part,
                   std::size_t width) {
  return fmt::format("{:<{}} {:<14} {:>12} {:>9} {:>9} {:>11} {:>7} {:>12} {:>10}\n", policy, width,
                     name, number_text(part, "operations", 0), number_text(part, "flushes", 0),
                     number_text(part, "merges", 0), number_text(part, "write", 3),
                     number_text(part, "write_flushed", 3), bytes_of(part, "user_bytes"),
                     bytes_of(part, "file_bytes"));
}

}  // namespace

std::string phase_table(std::span<const Json> results, std::size_t width) {
  std::string rows;
  for (const Json& result : results) {
    const auto parts = result.find("phases");
    if (parts == result.end()) continue;
    const auto label = result.at("policy").at("label").get<std::string>();
    for (const Json& part : *parts) rows += row_of(label, part.value("name", ""), part, width);
    const auto last = result.find("at_last_operation");
    if (last != result.end()) rows += row_of(label, "up to here", *last, width);
  }
  if (rows.empty()) return "";
  return fmt::format("\n{:<{}} {:<14} {:>12} {:>9} {:>9} {:>11} {:>7} {:>12} {:>10}\n", "policy",
                     width, "phase", "operations", "flushes", "merges", "write ampl.", "W-Amp",
                     "user bytes", "on disk") +
         rows;
}

}  // namespace lsmlab
