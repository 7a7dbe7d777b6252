#include "validate/results/phase_table.h"

#include <fmt/format.h>

#include <algorithm>

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

struct PhaseColumns {
  std::size_t policy_width = 0;
  bool has_clients = false;
};

// Whether some part of a run has other clients than another, or than the result names.
bool has_own_clients(const Json& result) {
  const auto parts = result.find("phases");
  const auto clients = result.find("clients");
  if (parts == result.end() || clients == result.end()) return false;
  const Json of_run = clients->value("clients", Json());
  return std::any_of(parts->begin(), parts->end(), [&](const Json& part) {
    const Json own = part.value("clients", Json());
    return own.is_number() && own != of_run;
  });
}

std::string row_of(const std::string& policy, const std::string& name, const Json& part,
                   const PhaseColumns& columns) {
  const std::string clients =
      columns.has_clients ? fmt::format(" {:>7}", number_text(part, "clients", 0)) : "";
  return fmt::format("{:<{}} {:<14} {:>12} {:>9} {:>9} {:>11} {:>7} {:>12} {:>10}{}\n", policy,
                     columns.policy_width, name, number_text(part, "operations", 0),
                     number_text(part, "flushes", 0), number_text(part, "merges", 0),
                     number_text(part, "write", 3), number_text(part, "write_flushed", 3),
                     bytes_of(part, "user_bytes"), bytes_of(part, "file_bytes"), clients);
}

}  // namespace

std::string phase_table(std::span<const Json> results, std::size_t width) {
  const PhaseColumns columns{width, std::any_of(results.begin(), results.end(), has_own_clients)};
  std::string rows;
  for (const Json& result : results) {
    const auto parts = result.find("phases");
    if (parts == result.end()) continue;
    const auto label = result.at("policy").at("label").get<std::string>();
    for (const Json& part : *parts) rows += row_of(label, part.value("name", ""), part, columns);
    const auto last = result.find("at_last_operation");
    if (last != result.end()) rows += row_of(label, "up to here", *last, columns);
  }
  if (rows.empty()) return "";
  return fmt::format("\n{:<{}} {:<14} {:>12} {:>9} {:>9} {:>11} {:>7} {:>12} {:>10}{}\n", "policy",
                     width, "phase", "operations", "flushes", "merges", "write ampl.", "W-Amp",
                     "user bytes", "on disk", columns.has_clients ? " clients" : "") +
         rows;
}

}  // namespace lsmlab
