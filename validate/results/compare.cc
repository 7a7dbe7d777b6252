#include "validate/results/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "models/accounting/figures.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWalBytes = "wal_bytes_written";
constexpr const char* kManifestBytes = "manifest_bytes_written";

// The leaves of a JSON tree and their paths, in the tree's order.
class Leaves {
 public:
  void add(const std::string& path, const Json& json) {
    if (json.is_object()) {
      for (const auto& [key, value] : json.items())
        add(path.empty() ? key : path + "." + key, value);
    } else if (json.is_array()) {
      for (std::size_t i = 0; i < json.size(); ++i) add(fmt::format("{}[{}]", path, i), json[i]);
    } else if (places_.try_emplace(path, leaves_.size()).second) {
      leaves_.emplace_back(path, json);
    }
  }
  [[nodiscard]] const Json* find(const std::string& path) const {
    const auto found = places_.find(path);
    return found == places_.end() ? nullptr : &leaves_[found->second].second;
  }
  [[nodiscard]] const std::vector<std::pair<std::string, Json>>& in_order() const {
    return leaves_;
  }

 private:
  std::vector<std::pair<std::string, Json>> leaves_;
  std::map<std::string, std::size_t> places_;
};

Leaves leaves_of(const Json& result, std::initializer_list<const char*> members) {
  Leaves leaves;
  for (const char* member : members) {
    if (result.contains(member)) leaves.add(member, result[member]);
  }
  return leaves;
}

// The paths of the first in its order, then the paths that only the second has.
std::vector<std::string> joined_paths(const Leaves& a, const Leaves& b) {
  std::vector<std::string> paths;
  for (const auto& [path, value] : a.in_order()) paths.push_back(path);
  for (const auto& [path, value] : b.in_order()) {
    if (a.find(path) == nullptr) paths.push_back(path);
  }
  return paths;
}

std::optional<FigureValue> value_of(const Json* json) {
  if (json == nullptr || !json->is_number()) return std::nullopt;
  FigureValue value{json->get<double>(), std::nullopt};
  constexpr std::uint64_t kWholeMax = std::numeric_limits<std::int64_t>::max();
  const bool is_small = json->is_number_integer() &&
                        (!json->is_number_unsigned() || json->get<std::uint64_t>() <= kWholeMax);
  if (is_small) value.whole = json->get<std::int64_t>();
  return value;
}

bool is_whole(const FigureDifference& figure) {
  return figure.a && figure.b && figure.a->whole && figure.b->whole;
}

// |b - a|. REQUIRES: both are whole numbers.
std::uint64_t distance_of(const FigureDifference& figure) {
  const auto a = static_cast<std::uint64_t>(*figure.a->whole);
  const auto b = static_cast<std::uint64_t>(*figure.b->whole);
  return *figure.b->whole >= *figure.a->whole ? b - a : a - b;
}

FigureDifference difference_of(const std::string& path, const Json* a, const Json* b) {
  FigureDifference figure{path, value_of(a), value_of(b), 0, 0};
  if (!figure.a || !figure.b) return figure;
  figure.absolute = figure.b->number - figure.a->number;
  if (is_whole(figure)) {
    figure.absolute = std::copysign(static_cast<double>(distance_of(figure)),
                                    *figure.b->whole < *figure.a->whole ? -1.0 : 1.0);
  }
  if (figure.absolute == 0) return figure;
  figure.relative = figure.a->number == 0
                        ? std::copysign(std::numeric_limits<double>::infinity(), figure.absolute)
                        : figure.absolute / std::fabs(figure.a->number);
  return figure;
}

bool is_beyond(const FigureDifference& figure, const Decimal& tolerance) {
  if (!figure.a || !figure.b) return true;
  if (!is_whole(figure)) return std::fabs(figure.relative) > tolerance.as_double();
  const std::int64_t a = *figure.a->whole;
  const auto size =
      a < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
  return !tolerance.times_is_at_least(size, distance_of(figure));
}

std::string value_text(const std::optional<FigureValue>& value) {
  if (!value) return "-";
  return value->whole ? std::to_string(*value->whole) : fmt::format("{:.6g}", value->number);
}

std::string absolute_text(const FigureDifference& figure) {
  if (!figure.a || !figure.b) return "-";
  if (!is_whole(figure)) return fmt::format("{:.6g}", figure.absolute);
  return (figure.absolute < 0 ? "-" : "") + std::to_string(distance_of(figure));
}

std::string label_of(const Json& result) {
  const Json& policy = result["policy"];
  const std::string name = policy.contains("label") && policy["label"].is_string()
                               ? policy["label"].get<std::string>()
                               : "(unnamed policy)";
  const bool has_source = result.contains("source") && result["source"].is_string();
  return has_source ? name + " (" + result["source"].get<std::string>() + ")" : name;
}

struct ComparedMember {
  std::string name;
  Comparing comparing;
};

// The members of a result that hold figures to compare: first those that are always compared, then
// those that both results must have. Each part is in the order of a result.
std::vector<ComparedMember> compared_members() {
  std::vector<ComparedMember> members;
  for (const FigureGroup& group : figure_groups()) {
    if (group.comparing == Comparing::kNo) continue;
    const std::string name = group.path.substr(0, group.path.find('.'));
    const bool is_known = std::any_of(members.begin(), members.end(),
                                      [&](const ComparedMember& m) { return m.name == name; });
    if (!is_known) members.push_back({name, group.comparing});
  }
  std::stable_partition(members.begin(), members.end(), [](const ComparedMember& member) {
    return member.comparing == Comparing::kAlways;
  });
  return members;
}

bool counts(const Json& result, const char* bytes) {
  const Json* const totals = result.contains("totals") ? &result.at("totals") : nullptr;
  if (totals == nullptr || !totals->is_object() || !totals->contains(bytes)) return false;
  const auto value = value_of(&totals->at(bytes));
  return value && value->number > 0;
}

// A simulation writes no manifest, and a run may leave out its log.
bool both_count(const Json& a, const Json& b, std::string_view path) {
  const bool has_wal = counts(a, kWalBytes) == counts(b, kWalBytes);
  const bool has_manifest = counts(a, kManifestBytes) == counts(b, kManifestBytes);
  if (path == fmt::format("totals.{}", kWalBytes)) return has_wal;
  if (path == fmt::format("totals.{}", kManifestBytes)) return has_manifest;
  if (path == "amplification.write_total") return has_wal && has_manifest;
  return true;
}

// The clients of a part are no outcome, and older results do not name them.
bool is_input(std::string_view path) {
  return path.starts_with("phases[") && path.ends_with("].clients");
}

}  // namespace

ResultComparison compare_results(const Json& a, const Json& b) {
  ResultComparison comparison;
  comparison.title = label_of(a) + "  ->  " + label_of(b);
  const auto inputs = {"source",     "policy", "workload", "device",  "mode",
                       "resolution", "cells",  "seed",     "complete"};
  const Leaves inputs_a = leaves_of(a, inputs);
  const Leaves inputs_b = leaves_of(b, inputs);
  for (const std::string& path : joined_paths(inputs_a, inputs_b)) {
    const Json* left = inputs_a.find(path);
    const Json* right = inputs_b.find(path);
    const std::string left_text = left == nullptr ? "-" : left->dump();
    const std::string right_text = right == nullptr ? "-" : right->dump();
    if (left_text != right_text) {
      comparison.differing_inputs.push_back(
          fmt::format("{}: {} -> {}", path, left_text, right_text));
    }
  }
  std::vector<std::string> uncounted;
  Leaves figures_a;
  Leaves figures_b;
  for (const ComparedMember& member : compared_members()) {
    const bool both = a.contains(member.name) && b.contains(member.name);
    if (member.comparing == Comparing::kWhereBothHave && !both) continue;
    if (a.contains(member.name)) figures_a.add(member.name, a.at(member.name));
    if (b.contains(member.name)) figures_b.add(member.name, b.at(member.name));
  }
  for (const std::string& path : joined_paths(figures_a, figures_b)) {
    const Json* left = figures_a.find(path);
    const Json* right = figures_b.find(path);
    if (is_place(path) || is_input(path) || (!value_of(left) && !value_of(right))) continue;
    if (!both_count(a, b, path)) {
      uncounted.push_back(path);
      continue;
    }
    comparison.figures.push_back(difference_of(path, left, right));
  }
  if (!uncounted.empty()) {
    comparison.differing_inputs.push_back(fmt::format(
        "not compared, as one of the two does not count it: {}", fmt::join(uncounted, ", ")));
  }
  return comparison;
}

bool is_within(const ResultComparison& comparison, const Decimal& tolerance) {
  return !comparison.figures.empty() &&
         std::none_of(comparison.figures.begin(), comparison.figures.end(),
                      [&](const FigureDifference& figure) { return is_beyond(figure, tolerance); });
}

std::string comparison_text(const ResultComparison& comparison,
                            const std::optional<Decimal>& tolerance) {
  std::string text = comparison.title + "\n";
  for (const std::string& input : comparison.differing_inputs) text += "  " + input + "\n";
  text += fmt::format("  {:<32} {:>24} {:>24} {:>16} {:>10}\n", "figure", "A", "B", "B - A",
                      "relative");
  for (const FigureDifference& figure : comparison.figures) {
    const bool both = figure.a && figure.b;
    const bool is_marked = tolerance && is_beyond(figure, *tolerance);
    text += fmt::format("  {:<32} {:>24} {:>24} {:>16} {:>10}{}\n", figure.figure,
                        value_text(figure.a), value_text(figure.b), absolute_text(figure),
                        both ? fmt::format("{:+.3f}%", figure.relative * 100) : "-",
                        is_marked ? "  <- beyond the tolerance" : "");
  }
  return text;
}

}  // namespace lsmlab
