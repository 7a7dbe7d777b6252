#include "validate/results/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "validate/results/time_json.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// The values of a tree by their paths, in the tree's order.
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

// The paths of both, in the order of the first, then what only the second has.
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

// |b - a|, of whole numbers.
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

std::optional<double> figure_at(const Json& result, const char* object, const char* member) {
  if (!result.contains(object) || !result[object].is_object()) return std::nullopt;
  const Json& members = result[object];
  if (!members.contains(member) || !members[member].is_number()) return std::nullopt;
  return members[member].get<double>();
}

std::string figure_text(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string rate_text(const std::optional<double>& per_second) {
  if (!per_second) return "-";
  if (*per_second >= 1e6) return fmt::format("{:.1f}M", *per_second / 1e6);
  if (*per_second >= 1e3) return fmt::format("{:.0f}k", *per_second / 1e3);
  return fmt::format("{:.0f}", *per_second);
}

// "flushes:count=1000,size=4194304": what applies, as a SPEC.
std::string workload_text(const Json& workload) {
  std::string text = workload["name"].get<std::string>();
  const char* separator = ":";
  for (const auto& [name, value] : workload["parameters"].items()) {
    if (value.is_null()) continue;
    text += separator + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    separator = ",";
  }
  return text;
}

std::string summary_row(const Json& result, std::size_t width) {
  const bool complete = !result.contains("complete") || result["complete"] != false;
  const bool is_bounded = result.contains("floor") && result["floor"].is_object() &&
                          result["floor"].value("k_is_policy_bound", false);
  const auto bound = is_bounded ? figure_at(result, "floor", "k") : std::nullopt;
  return fmt::format("{:<{}} {:>4} {:>13} {:>12} {:>10} {:>9} {:>8} {:>9} {:>9}{}\n",
                     result["policy"]["label"].get<std::string>(), width,
                     figure_text(bound, "{:.0f}"),
                     figure_text(figure_at(result, "totals", "flushes"), "{:.0f}"),
                     figure_text(figure_at(result, "amplification", "write_flushed"), "{:.3f}"),
                     figure_text(figure_at(result, "floor", "ratio"), "{:.4f}"),
                     figure_text(figure_at(result, "amplification", "read_mean"), "{:.3f}"),
                     figure_text(figure_at(result, "amplification", "read_max"), "{:.0f}"),
                     figure_text(figure_at(result, "amplification", "space_transient"), "{:.3f}"),
                     rate_text(figure_at(result, "run", "flushes_per_second")),
                     complete ? "" : "  (stopped early)");
}

bool knows_keys(const Json& result) { return result.contains("operations"); }

std::string summary_header(const Json& result, std::size_t width) {
  if (!knows_keys(result)) {
    return fmt::format("{:<{}} {:>4} {:>13} {:>12} {:>10} {:>9} {:>8} {:>9} {:>9}\n", "policy",
                       width, "k", "flushes", "write ampl.", "x floor", "runs mean", "runs max",
                       "transient", "flushes/s");
  }
  return fmt::format(
      "{:<{}} {:>9} {:>11} {:>9} {:>8} {:>8} {:>9} {:>8} {:>7} {:>10} {:>11} {:>12}\n", "policy",
      width, "flushes", "write ampl.", "merges", "moves", "links", "runs mean", "runs max", "space",
      "tombstones", "blocks/get", "operations/s");
}

std::string key_summary_row(const Json& result, std::size_t width) {
  const bool complete = !result.contains("complete") || result["complete"] != false;
  const auto whole = [&](const char* object, const char* member) {
    return figure_text(figure_at(result, object, member), "{:.0f}");
  };
  return fmt::format(
      "{:<{}} {:>9} {:>11} {:>9} {:>8} {:>8} {:>9} {:>8} {:>7} {:>10} {:>11} {:>12}{}\n",
      result["policy"]["label"].get<std::string>(), width, whole("totals", "flushes"),
      figure_text(figure_at(result, "amplification", "write"), "{:.3f}"), whole("totals", "merges"),
      whole("totals", "moves"), whole("totals", "links"),
      figure_text(figure_at(result, "amplification", "read_mean"), "{:.3f}"),
      whole("amplification", "read_max"),
      figure_text(figure_at(result, "amplification", "space"), "{:.3f}"),
      whole("final", "tombstones"),
      figure_text(figure_at(result, "amplification", "read_blocks"), "{:.4f}"),
      rate_text(figure_at(result, "run", "operations_per_second")),
      complete ? "" : "  (stopped early)");
}

}  // namespace

ResultComparison compare_results(const Json& a, const Json& b) {
  ResultComparison comparison;
  comparison.title = label_of(a) + "  ->  " + label_of(b);
  const auto inputs = {"source", "policy",     "workload", "device",
                       "mode",   "resolution", "seed",     "complete"};
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
  const auto outputs = {"totals", "amplification", "floor", "merge_sizes", "reads", "final"};
  Leaves figures_a = leaves_of(a, outputs);
  Leaves figures_b = leaves_of(b, outputs);
  for (const char* timed : {"throughput", "latency"}) {
    if (!a.contains(timed) || !b.contains(timed)) continue;  // a run without a clock has none
    figures_a.add(timed, a.at(timed));
    figures_b.add(timed, b.at(timed));
  }
  for (const std::string& path : joined_paths(figures_a, figures_b)) {
    const Json* left = figures_a.find(path);
    const Json* right = figures_b.find(path);
    const bool is_index = path.ends_with(".level");
    if (is_index || (!value_of(left) && !value_of(right))) continue;
    comparison.figures.push_back(difference_of(path, left, right));
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

std::string summary_text(std::span<const Json> results) {
  std::size_t width = 6;
  bool is_one_workload = true;
  for (const Json& result : results) {
    width = std::max(width, result["policy"]["label"].get<std::string>().size());
    is_one_workload = is_one_workload && result["workload"] == results.front()["workload"];
  }
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_new = i == 0 || results[i]["workload"] != results[i - 1]["workload"];
    if (is_new && !is_one_workload) {
      text += (i == 0 ? "" : "\n") + workload_text(results[i]["workload"]) + "\n";
    }
    if (is_new) text += summary_header(results[i], width);
    text += knows_keys(results[i]) ? key_summary_row(results[i], width)
                                   : summary_row(results[i], width);
  }
  return text + time_table(results, width);
}

}  // namespace lsmlab
