#include "validate/results/results_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "models/accounting/figures.h"
#include "validate/results/json_values.h"
#include "validate/results/result_figure.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string field_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted_text = "\"";
  for (const char c : text) {
    quoted_text += c;
    if (c == '"') quoted_text += c;
  }
  return quoted_text + '"';
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "";
  std::string text = plain_text(value);  // numbers of more than 64 bits in full
  text.pop_back();                       // the newline
  if (text.starts_with('"')) text = value.get<std::string>();
  return text;
}

// The head of an element's column: "latency.put", "by_level[2]", "totals".
std::string instance_path(const FigureGroup& group, const std::string& name, std::size_t place) {
  if (group.shape == GroupShape::kList) return fmt::format("{}[{}]", group.path, place);
  return name.empty() ? group.path : fmt::format("{}.{}", group.path, name);
}

class CsvTable {
 public:
  void set(std::size_t row, const std::string& column, const Json& value) {
    const auto [at, is_new] = places_.emplace(column, columns_.size());
    if (is_new) columns_.push_back({column, {}});
    std::vector<std::string>& fields = columns_[at->second].fields;
    if (fields.size() <= row) fields.resize(row + 1);
    fields[row] = value_text(value);
  }

  [[nodiscard]] std::string text(std::size_t rows) const {
    std::string text;
    for (const Column& column : columns_) add(column.name, &column == &columns_.front(), text);
    text += '\n';
    for (std::size_t row = 0; row < rows; ++row) {
      for (const Column& column : columns_) {
        add(row < column.fields.size() ? column.fields[row] : "", &column == &columns_.front(),
            text);
      }
      text += '\n';
    }
    return text;
  }

 private:
  struct Column {
    std::string name;
    std::vector<std::string> fields;
  };

  static void add(const std::string& field, bool is_first, std::string& text) {
    if (!is_first) text += ',';
    text += field_text(field);
  }

  std::vector<Column> columns_;
  std::map<std::string, std::size_t> places_;
};

std::string workload_of(const Json& result) {
  std::string text = result["workload"]["name"].get<std::string>();
  const char* separator = ":";
  for (const auto& [name, value] : result["workload"]["parameters"].items()) {
    if (value.is_null()) continue;
    text += separator + name + "=" + value_text(value);
    separator = ",";
  }
  return text;
}

void add_group(const FigureGroup& group, std::span<const Json> results, CsvTable& table) {
  for (std::size_t row = 0; row < results.size(); ++row) {
    std::size_t place = 0;
    for_each_instance(group, results[row], [&](const std::string& name, const Json& object) {
      const std::string path = instance_path(group, name, place++);
      for (const Figure& figure : group.figures) {
        const std::string column =
            group.shape == GroupShape::kValues ? path : fmt::format("{}.{}", path, figure.name);
        table.set(row, column, member_of(object, figure.name));
      }
    });
  }
}

}  // namespace

std::string results_csv(std::span<const Json> results) {
  if (results.empty()) return {};
  CsvTable table;
  for (std::size_t row = 0; row < results.size(); ++row) {
    const Json& result = results[row];
    table.set(row, "policy", result["policy"]["label"]);
    table.set(row, "workload", workload_of(result));
    table.set(row, "seed", member_of(result, "seed"));
    table.set(row, "complete", result.value("complete", true));
  }
  for (const FigureGroup& group : figure_groups()) {
    if (group.shape == GroupShape::kColumns || group.path == "run") continue;
    add_group(group, results, table);
  }
  return table.text(results.size());
}

}  // namespace lsmlab
