#include "traces/tools/ycsb_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab::tools {
namespace {

// Properties that decide operations, with YCSB's defaults.
constexpr std::pair<std::string_view, std::string_view> kProperties[] = {
    {"recordcount", "0"},
    {"operationcount", "0"},
    {"insertcount", ""},
    {"fieldcount", "10"},
    {"fieldlength", "100"},
    {"fieldlengthdistribution", "constant"},
    {"readproportion", "0.95"},
    {"updateproportion", "0.05"},
    {"insertproportion", "0"},
    {"scanproportion", "0"},
    {"readmodifywriteproportion", "0"},
    {"requestdistribution", "uniform"},
    {"minscanlength", "1"},
    {"maxscanlength", "1000"},
    {"scanlengthdistribution", "uniform"},
    {"insertorder", "hashed"},
    {"insertstart", "0"},
    {"zeropadding", "1"},
    {"hotspotdatafraction", "0.2"},
    {"hotspotopnfraction", "0.8"},
    {"maxexecutiontime", "0"}};

constexpr std::uint64_t kCountMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kHashedKeyBytes = 24;  // "user" and up to 20 digits
constexpr std::size_t kPrefixBytes = 4;        // "user"

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_known(std::string_view name) {
  return std::any_of(std::begin(kProperties), std::end(kProperties),
                     [&](const auto& property) { return property.first == name; });
}

class Properties {
 public:
  [[nodiscard]] Result<void> read(std::string_view text) {
    for (std::size_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view one = trimmed(text.substr(0, end));
      text.remove_prefix(std::min(text.size(), end + 1));
      if (one.empty() || one[0] == '#' || one[0] == '!') continue;
      const std::size_t separator = one.find_first_of("=:");
      if (separator == std::string_view::npos || separator == 0) {
        return input_error(
            fmt::format("line {}: '{}' is no property; expected name=value", line, excerpt(one)));
      }
      BOOST_OUTCOME_TRYV(
          add(trimmed(one.substr(0, separator)), trimmed(one.substr(separator + 1))));
    }
    return success();
  }

  [[nodiscard]] std::string text(std::string_view name) const {
    if (const auto found = given_.find(name); found != given_.end()) return found->second;
    for (const auto& [known, standard] : kProperties) {
      if (known == name) return std::string(standard);
    }
    return {};
  }
  [[nodiscard]] bool is_given(std::string_view name) const { return given_.count(name) > 0; }

  [[nodiscard]] Error fault(std::string_view name, std::string_view expected) const {
    const std::string value = text(name);
    return option_error({{std::string(name), value, std::string(expected), false, "",
                          fmt::format("{}={}: expected {}", name, excerpt(value), expected)}});
  }
  [[nodiscard]] Result<std::uint64_t> count(std::string_view name, std::uint64_t min,
                                            std::uint64_t max = kCountMax) const {
    const Result<std::uint64_t> number = parse_count(text(name));
    if (number && number.value() >= min && number.value() <= max) return number;
    return fault(name, fmt::format("a whole number from {} to {}", min, max));
  }
  [[nodiscard]] Result<Decimal> share(std::string_view name) const {
    const std::optional<Decimal> number = Decimal::parse(text(name));
    if (number && number->as_double() <= 1) return *number;
    return fault(name, "a number from 0 to 1");
  }
  [[nodiscard]] std::vector<std::string> ignored() const { return ignored_; }
  void replace(std::string_view name, std::string_view value) {
    given_.insert_or_assign(std::string(name), std::string(value));
  }

 private:
  [[nodiscard]] Result<void> add(std::string_view name, std::string_view value) {
    if (is_known(name)) {
      given_.insert_or_assign(std::string(name), std::string(value));
      return success();
    }
    // Other properties belong to the store, to measurements or to other workloads. A misspelt one
    // would be lost among them.
    std::vector<std::string> names;
    for (const auto& [known, standard] : kProperties) names.emplace_back(known);
    const std::string spelling(name);
    const std::optional<std::string> nearest = nearest_name(spelling, names);
    if (nearest) {
      return option_error({{spelling, std::string(value), "a property of YCSB", true, *nearest,
                            fmt::format("YCSB's core workload has no property '{}'; did you mean "
                                        "'{}'?",
                                        excerpt(spelling), *nearest)}});
    }
    ignored_.push_back(fmt::format("{}={}", excerpt(name), excerpt(value)));
    return success();
  }

  std::map<std::string, std::string, std::less<>> given_;
  std::vector<std::string> ignored_;
};

// The keys that reads, updates and scans ask for.
Result<AccessKeys> requested_keys(const Properties& properties, std::uint64_t keys_max) {
  AccessKeys keys;
  const std::string name = properties.text("requestdistribution");
  if (name == "uniform") return keys;
  if (name == "sequential") {
    keys.kind = AccessKeyKind::kSequential;
    return keys;
  }
  if (name == "zipfian" || name == "latest") {
    keys.kind = name == "zipfian" ? AccessKeyKind::kZipfian : AccessKeyKind::kLatest;
    return keys;
  }
  if (name != "hotspot") {
    return properties.fault("requestdistribution",
                            "uniform, zipfian, latest, sequential or hotspot");
  }
  const auto parts = [](const Decimal& share) {
    return share.numerator() * (kClassWeightSum / share.denominator());
  };
  const std::uint64_t data = parts(BOOST_OUTCOME_TRYX(properties.share("hotspotdatafraction")));
  const std::uint64_t requests = parts(BOOST_OUTCOME_TRYX(properties.share("hotspotopnfraction")));
  if (data == 0 || data == kClassWeightSum) return keys;  // one set of keys, all as popular
  keys.kind = AccessKeyKind::kClasses;
  keys.classes = key_classes_of_shares(
      {{data, requests}, {kClassWeightSum - data, kClassWeightSum - requests}}, keys_max);
  return keys;
}

Result<ActionCounts> action_mix_of(const Properties& properties, std::uint64_t operations) {
  constexpr std::pair<std::string_view, Action> kShares[] = {
      {"readproportion", Action::kGetPresent},
      {"updateproportion", Action::kUpdate},
      {"insertproportion", Action::kInsert},
      {"scanproportion", Action::kScan},
      {"readmodifywriteproportion", Action::kReadModifyWrite}};
  PerAction<Decimal> weights{{Decimal(0, 1), Decimal(0, 1), Decimal(0, 1), Decimal(0, 1),
                              Decimal(0, 1), Decimal(0, 1), Decimal(0, 1)}};
  for (const auto& [name, action] : kShares) {
    weights[action] = BOOST_OUTCOME_TRYX(properties.share(name));
  }
  return divide_actions(operations, weights, std::nullopt);
}

Result<std::uint64_t> key_bytes_of(const Properties& properties, std::uint64_t last_number) {
  if (properties.text("insertorder") == "hashed") return kHashedKeyBytes;
  const std::uint64_t padding = BOOST_OUTCOME_TRYX(properties.count("zeropadding", 1, 1000));
  const std::uint64_t digits = std::to_string(last_number).size();
  return kPrefixBytes + std::max(padding, digits);
}

Result<std::uint64_t> value_bytes_of(const Properties& properties) {
  if (properties.text("fieldlengthdistribution") != "constant") {
    return properties.fault("fieldlengthdistribution", "constant; lsmlab knows no other");
  }
  const std::uint64_t fields = BOOST_OUTCOME_TRYX(properties.count("fieldcount", 1, 10'000));
  const std::uint64_t bytes = BOOST_OUTCOME_TRYX(properties.count("fieldlength", 0, 400'000));
  return fields * bytes;
}

Result<void> take_scans(const Properties& properties, Phase& phase) {
  if (phase.actions[Action::kScan] == 0) return success();
  if (properties.text("scanlengthdistribution") != "uniform") {
    return properties.fault("scanlengthdistribution", "uniform; lsmlab knows no other");
  }
  constexpr std::uint64_t kLengthMax = 4'294'967'295;
  const std::uint64_t min = BOOST_OUTCOME_TRYX(properties.count("minscanlength", 1, kLengthMax));
  const std::uint64_t max = BOOST_OUTCOME_TRYX(properties.count("maxscanlength", min, kLengthMax));
  phase.scan_entries = SizeDistribution::uniform(min, max);
  return success();
}

Result<OperationWorkload> workload_of(const Properties& properties) {
  const std::uint64_t records = BOOST_OUTCOME_TRYX(properties.count("recordcount", 1));
  const std::uint64_t operations = BOOST_OUTCOME_TRYX(properties.count("operationcount", 0));
  const std::string order = properties.text("insertorder");
  if (order != "hashed" && order != "ordered") {
    return properties.fault("insertorder", "hashed or ordered");
  }
  for (const std::string_view name : {"insertstart", "maxexecutiontime"}) {
    if (properties.text(name) != "0") return properties.fault(name, "0; lsmlab knows no other");
  }
  if (properties.is_given("insertcount") &&
      properties.text("insertcount") != properties.text("recordcount")) {
    return properties.fault("insertcount", "that of recordcount; lsmlab loads all records");
  }
  OperationWorkload workload;
  Phase load;
  load.actions[Action::kInsert] = records;
  load.insert_keys.kind = order == "hashed" ? InsertKeyKind::kUniform : InsertKeyKind::kSequential;
  load.value_bytes = SizeDistribution::constant(BOOST_OUTCOME_TRYX(value_bytes_of(properties)));
  workload.phases.push_back(load);
  std::uint64_t keys = records;
  if (operations > 0) {
    Phase mix = load;
    mix.actions = BOOST_OUTCOME_TRYX(action_mix_of(properties, operations));
    keys += mix.actions[Action::kInsert];
    mix.lookup_keys = BOOST_OUTCOME_TRYX(requested_keys(properties, keys));
    mix.update_keys = mix.lookup_keys;
    BOOST_OUTCOME_TRYV(take_scans(properties, mix));
    workload.phases.push_back(std::move(mix));
  }
  workload.key_bytes =
      SizeDistribution::constant(BOOST_OUTCOME_TRYX(key_bytes_of(properties, keys - 1)));
  return workload;
}

Result<YcsbWorkload> made_of(const Properties& properties) {
  YcsbWorkload made;
  made.workload = BOOST_OUTCOME_TRYX(workload_of(properties));
  made.ignored = properties.ignored();
  const std::vector<std::string> faults = made.workload.validate();
  if (!faults.empty()) return input_error(faults.front());
  return made;
}

}  // namespace

Result<YcsbWorkload> read_ycsb_properties(std::string_view text) {
  Properties properties;
  BOOST_OUTCOME_TRYV(properties.read(text));
  return made_of(properties);
}

Result<YcsbWorkload> read_ycsb_line(const YcsbLine& line, const std::vector<YcsbText>& files) {
  Properties properties;
  for (const YcsbText& file : files) {
    if (auto read = properties.read(file.text); !read) {
      return in_context(file.place, read.error());
    }
  }
  BOOST_OUTCOME_TRYV(properties.read(line.properties));
  if (line.only_loads) properties.replace("operationcount", "0");
  YcsbWorkload made = BOOST_OUTCOME_TRYX(made_of(properties));
  made.ignored.insert(made.ignored.end(), line.other_words.begin(), line.other_words.end());
  return made;
}

}  // namespace lsmlab::tools
