#include "traces/tools/tectonic_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/base/portable_math.h"
#include "models/base/suggest.h"
#include "traces/tools/tectonic_draws.h"

namespace lsmlab::tools {
namespace {

using TextJson = nlohmann::ordered_json;

constexpr std::size_t kLengthsMax = 128;
constexpr double kTextBytesMax = 4'294'967'295;
constexpr std::size_t kTextDepthMax = 16;

// At most kLengthsMax lengths with the same mean: neighbours join.
std::vector<TextLength> few_lengths(const std::map<std::uint64_t, double>& shares) {
  std::vector<TextLength> lengths;
  if (shares.size() <= kLengthsMax) {
    for (const auto& [bytes, share] : shares) lengths.push_back({bytes, share});
    return lengths;
  }
  double sum = 0;    // of the shares so far
  double share = 0;  // of the length that is being made
  double bytes = 0;  // its share times its size
  double lost = 0;   // by rounding, taken along so that the mean stays
  for (const auto& [length, own] : shares) {
    sum += own;
    share += own;
    bytes += own * static_cast<double>(length);
    const bool is_last = length == shares.rbegin()->first;
    const double part = static_cast<double>(lengths.size() + 1) / double{kLengthsMax};
    if (share <= 0 || (sum < part && !is_last)) continue;
    const double exact = std::max(0.0, (bytes + lost) / share);
    const double whole = std::floor(exact + 0.5);
    lost = (exact - whole) * share;
    lengths.push_back({static_cast<std::uint64_t>(whole), share});
    share = bytes = 0;
  }
  return lengths;
}

// Tectonic cuts a drawn length to a whole number; negative ones count as 0.
std::vector<TextLength> drawn_lengths(const Draw& draw) {
  std::map<std::uint64_t, double> shares;
  constexpr double kTail = 1e-6;
  const double low = std::floor(draw.quantile(kTail, kTextBytesMax));
  const double high = std::floor(draw.quantile(1 - kTail, kTextBytesMax));
  constexpr double kWholeMax = 1024;
  if (high - low <= kWholeMax) {
    // Numbers of one whole number each: below the next one, which is its own with zipf and poisson.
    const bool has_whole = draw.kind == DrawKind::kZipf || draw.kind == DrawKind::kLatest ||
                           draw.kind == DrawKind::kPoisson;
    double before = 0;
    for (double length = low; length <= high; ++length) {
      const double upto = length == high ? 1 : draw.share_below(has_whole ? length : length + 1);
      if (upto > before) shares[static_cast<std::uint64_t>(length)] = upto - before;
      before = std::max(before, upto);
    }
    return few_lengths(shares);
  }
  constexpr int kQuantiles = 512;
  for (int q = 0; q < kQuantiles; ++q) {
    const double at = std::floor(draw.quantile((q + 0.5) / kQuantiles, kTextBytesMax));
    shares[static_cast<std::uint64_t>(at)] += 1.0 / kQuantiles;
  }
  return few_lengths(shares);
}

std::optional<SizeDistribution> closed_form(const Draw& draw) {
  if (draw.kind == DrawKind::kUniform) {
    const double min = std::floor(draw.a);
    const double max = std::ceil(draw.b) - 1;
    if (draw.a != min || draw.b != max + 1 || min < 0 || max < min) return std::nullopt;
    return SizeDistribution::uniform(static_cast<std::uint64_t>(min),
                                     static_cast<std::uint64_t>(max));
  }
  if (draw.kind != DrawKind::kLogNormal || draw.b > 5) return std::nullopt;
  const double mean = draw.mean();
  if (mean < 16 || mean > kTextBytesMax) return std::nullopt;
  SizeDistribution sizes;
  sizes.kind = SizeKind::kLognormal;
  // lsmlab rounds to the nearest size, Tectonic downwards, which is half a byte less.
  sizes.size = static_cast<std::uint64_t>(mean);
  sizes.sigma = Decimal::parse(fmt::format("{:.6f}", draw.b));
  return sizes;
}

Result<TextExpression> text_of_length(const std::string& place, const NumberExpression& number) {
  TextExpression text;
  if (number.draw) {
    text.lengths = drawn_lengths(*number.draw);
    text.closed = closed_form(*number.draw);
    return text;
  }
  if (!(number.constant >= 0 && number.constant <= kTextBytesMax)) {
    return input_error(fmt::format("{}: expected a number from 0 to {}", place, kTextBytesMax));
  }
  text.lengths = {{static_cast<std::uint64_t>(number.constant), 1}};
  return text;
}

Result<TextExpression> uniform_text(const std::string& place, const TextJson& json,
                                    unsigned characters) {
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, {"len", "character_set"}));
  const TextJson* len = spec_member(json, "len");
  if (len == nullptr) return input_error(place + ": has no \"len\"");
  if (const TextJson* set = spec_member(json, "character_set")) {
    characters = BOOST_OUTCOME_TRYX(read_character_set(place + ".character_set", *set)).value();
  }
  const NumberExpression number = BOOST_OUTCOME_TRYX(read_number_expression(place + ".len", *len));
  TextExpression text = BOOST_OUTCOME_TRYX(text_of_length(place + ".len", number));
  text.repeat_chance = 0;
  for (const TextLength& length : text.lengths) {
    text.repeat_chance += length.share * length.share *
                          portable_exp(-static_cast<double>(length.bytes) *
                                       portable_log(static_cast<double>(characters)));
  }
  return text;
}

Result<TextExpression> read_nested(const std::string& place, const TextJson& json,
                                   unsigned characters, std::size_t depth);

Result<TextExpression> weighted_text(const std::string& place, const TextJson& json,
                                     std::size_t depth) {
  if (!json.is_array() || json.empty()) {
    return input_error(place + ": expected a list of {\"weight\", \"value\"}");
  }
  std::map<std::uint64_t, double> shares;
  double weights = 0;
  double repeats = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string here = fmt::format("{}[{}]", place, i);
    BOOST_OUTCOME_TRYV(check_spec_members(here, json[i], {"weight", "value"}));
    const TextJson* weight = spec_member(json[i], "weight");
    const TextJson* value = spec_member(json[i], "value");
    if (weight == nullptr || value == nullptr) {
      return input_error(here + ": expected \"weight\" and \"value\"");
    }
    const double own = weight->is_number() ? weight->get<double>() : -1;
    if (!(own >= 0 && own <= 1e12)) {
      return input_error(here + ".weight: expected a number from 0 on");
    }
    const TextExpression text =
        BOOST_OUTCOME_TRYX(read_nested(here + ".value", *value, kCharactersDefault, depth + 1));
    for (const TextLength& length : text.lengths) shares[length.bytes] += own * length.share;
    weights += own;
    repeats += own * own * text.repeat_chance;
  }
  if (weights <= 0) return input_error(place + ": all weights are 0");
  for (auto& [bytes, share] : shares) share /= weights;
  TextExpression mixed;
  mixed.lengths = few_lengths(shares);
  mixed.repeat_chance = repeats / (weights * weights);
  return mixed;
}

Result<TextExpression> segmented_text(const std::string& place, const TextJson& json,
                                      std::size_t depth) {
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, {"separator", "segments"}));
  const TextJson* separator = spec_member(json, "separator");
  const TextJson* segments = spec_member(json, "segments");
  if (separator == nullptr || !separator->is_string()) {
    return input_error(place + ".separator: expected a text");
  }
  if (segments == nullptr || !segments->is_array()) {
    return input_error(place + ".segments: expected a list of texts");
  }
  const std::string between = separator->get<std::string>();
  TextExpression whole;
  std::map<std::uint64_t, double> shares{{0, 1.0}};
  bool is_constant_so_far = true;
  for (std::size_t i = 0; i < segments->size(); ++i) {
    const TextJson& segment = (*segments)[i];
    const TextExpression text = BOOST_OUTCOME_TRYX(read_nested(
        fmt::format("{}.segments[{}]", place, i), segment, kCharactersDefault, depth + 1));
    const std::uint64_t separated = i + 1 < segments->size() ? between.size() : 0;
    std::map<std::uint64_t, double> longer;
    for (const auto& [bytes, share] : shares) {
      for (const TextLength& length : text.lengths) {
        longer[bytes + length.bytes + separated] += share * length.share;
      }
    }
    shares.clear();
    for (const TextLength& length : few_lengths(longer)) shares[length.bytes] += length.share;
    whole.repeat_chance *= text.repeat_chance;
    if (is_constant_so_far) whole.first_constant += text.first_constant;
    is_constant_so_far = is_constant_so_far && segment.is_string();
    if (is_constant_so_far && separated > 0) whole.first_constant += between;
  }
  whole.lengths = few_lengths(shares);
  return whole;
}

Result<TextExpression> hot_range_text(const std::string& place, const TextJson& json) {
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, {"len", "amount", "probability"}));
  double numbers[3] = {};
  std::size_t i = 0;
  for (const char* name : {"len", "amount", "probability"}) {
    const TextJson* value = spec_member(json, name);
    const double number = value != nullptr && value->is_number() ? value->get<double>() : -1;
    const double max = i == 2 ? 1 : kTextBytesMax;
    if (!(number >= 0 && number <= max)) {
      return input_error(fmt::format("{}.{}: expected a number from 0 to {}", place, name, max));
    }
    numbers[i++] = number;
  }
  const auto [len, amount, probability] = numbers;
  if (amount < 1 && probability > 0) {
    return input_error(place + ".amount: expected at least one hot range");
  }
  TextExpression text;
  text.lengths = {{static_cast<std::uint64_t>(len), 1}};
  const double anywhere = portable_exp(-len * portable_log(double{kCharactersDefault}));
  text.repeat_chance = (1 - probability) * (1 - probability) * anywhere;
  if (probability > 0) {
    text.repeat_chance += probability * probability * std::max(anywhere, 1 / amount);
  }
  return text;
}

Result<TextExpression> read_nested(const std::string& place, const TextJson& json,
                                   unsigned characters, std::size_t depth) {
  if (depth > kTextDepthMax) return input_error(place + ": nested too deeply");
  if (json.is_string()) {
    TextExpression text;
    text.first_constant = json.get<std::string>();
    text.lengths = {{text.first_constant.size(), 1}};
    return text;
  }
  BOOST_OUTCOME_TRYV(
      check_spec_members(place, json, {"uniform", "weighted", "segmented", "hot_range"}));
  if (json.size() != 1) return input_error(place + ": expected one expression of a text");
  const std::string name = json.begin().key();
  const TextJson& inner = json.begin().value();
  const std::string here = place + "." + name;
  if (name == "uniform") return uniform_text(here, inner, characters);
  if (name == "weighted") return weighted_text(here, inner, depth);
  if (name == "segmented") return segmented_text(here, inner, depth);
  return hot_range_text(here, inner);
}

}  // namespace

Result<TextExpression> read_text_expression(const std::string& place, const TextJson& json,
                                            unsigned characters) {
  return read_nested(place, json, characters, 0);
}

Result<std::optional<unsigned>> read_character_set(const std::string& place, const TextJson& json) {
  if (json.is_null()) return std::optional<unsigned>();
  const std::string name = json.is_string() ? json.get<std::string>() : json.dump();
  if (name == "alphanumeric") return std::optional(62U);
  if (name == "alphabetic") return std::optional(52U);
  if (name == "numeric") return std::optional(10U);
  const std::vector<std::string> names{"alphanumeric", "alphabetic", "numeric"};
  return input_error(fmt::format("{}: unknown character set{}", place, suggestion(name, names)));
}

SizeDistribution sizes_of_texts(
    const std::vector<std::pair<const TextExpression*, std::uint64_t>>& texts) {
  std::map<std::uint64_t, double> shares;
  double count = 0;
  std::optional<SizeDistribution> closed;
  bool is_closed = true;
  for (const auto& [text, number] : texts) {
    if (number == 0) continue;
    count += static_cast<double>(number);
    for (const TextLength& length : text->lengths) {
      shares[length.bytes] += static_cast<double>(number) * length.share;
    }
    is_closed = is_closed && text->closed && (!closed || closed->text() == text->closed->text());
    closed = text->closed;
  }
  if (is_closed && closed) return *closed;
  for (auto& [bytes, share] : shares) share /= count;
  const std::vector<TextLength> lengths = few_lengths(shares);
  if (lengths.size() == 1) return SizeDistribution::constant(lengths[0].bytes);
  SizeDistribution sizes;
  sizes.kind = SizeKind::kDiscrete;
  constexpr double kWeights = 1'000'000;
  for (const TextLength& length : lengths) {
    const auto weight = static_cast<std::uint64_t>(length.share * kWeights + 0.5);
    if (weight > 0) sizes.sizes.push_back({length.bytes, weight});
  }
  return sizes;
}

Result<SizeDistribution> sizes_of_number(const std::string& place, const NumberExpression& number) {
  const TextExpression text = BOOST_OUTCOME_TRYX(text_of_length(place, number));
  return sizes_of_texts({{&text, 1}});
}

}  // namespace lsmlab::tools
