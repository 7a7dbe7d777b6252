#include "traces/tools/tectonic_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab::tools {
namespace {

using SpecJson = nlohmann::ordered_json;

double real_power(double base, double exponent) {
  return base <= 0 ? 0 : portable_exp(exponent * portable_log(base));
}

// The normal distribution's share below z: Marsaglia's series, whose terms are all positive.
double normal_share(double z) {
  constexpr double kFarthest = 8;  // beyond it a double has 0 or 1
  if (z <= -kFarthest) return 0;
  if (z >= kFarthest) return 1;
  const double at = z < 0 ? -z : z;
  double term = at;
  double sum = at;
  for (int i = 3; term > sum * 1e-17; i += 2) {
    term *= at * at / i;
    sum += term;
  }
  constexpr double kInverseRootOfTwoPi = 0.39894228040143267794;
  const double half = sum * portable_exp(-at * at / 2) * kInverseRootOfTwoPi;
  return z < 0 ? 0.5 - half : 0.5 + half;
}

// The integral of t^(a-1) (1-t)^(b-1) from 0 to x, for x up to 1/2, by a series of positive terms.
double beta_integral(double a, double b, double x) {
  if (x <= 0) return 0;
  double term = 1;
  double sum = 1;
  for (int n = 0; n < 100'000 && term > sum * 1e-17; ++n) {
    term *= (a + b + n) / (a + 1 + n) * x;
    sum += term;
  }
  return portable_exp(a * portable_log(x) + b * portable_log1p(-x)) * sum / a;
}

double beta_share(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double all = beta_integral(a, b, 0.5) + beta_integral(b, a, 0.5);
  return x <= 0.5 ? beta_integral(a, b, x) / all : 1 - beta_integral(b, a, 1 - x) / all;
}

// The sum of r^-s for r from 1 to `ranks`; far ranks by an integral.
double zipf_sum(double ranks, double s) {
  constexpr int kExact = 64;
  double sum = 0;
  for (int r = 1; r <= kExact && r <= ranks; ++r) sum += real_power(r, -s);
  if (ranks <= kExact) return sum;
  const double first = kExact + 0.5;
  const double ratio = portable_log((ranks + 0.5) / first);
  if (s == 1) return sum + ratio;
  return sum + real_power(first, 1 - s) * portable_expm1((1 - s) * ratio) / (1 - s);
}

// The share of ranks up to x.
double zipf_share(const Draw& draw, double x) {
  if (x < 1) return 0;
  return zipf_sum(std::floor(std::min(x, draw.a)), draw.b) / zipf_sum(std::floor(draw.a), draw.b);
}

double poisson_share(double lambda, double x) {
  if (x < 0) return 0;
  constexpr double kLambdaMax = 600;  // exp(-lambda) must not vanish
  if (lambda > kLambdaMax) return normal_share((std::floor(x) + 0.5 - lambda) / std::sqrt(lambda));
  double term = portable_exp(-lambda);
  double sum = term;
  const double last = std::min(std::floor(x), 4 * lambda + 100);
  for (double k = 1; k <= last; ++k) {
    term *= lambda / k;
    sum += term;
  }
  return std::min(1.0, sum);
}

// The gamma function of 1 + z, for z from 0 on: Stirling's series, after steps to where it is
// exact.
double gamma_above_one(double z) {
  constexpr double kExactFrom = 16;
  double x = 1 + z;
  double divisor = 1;
  for (; x < kExactFrom; ++x) divisor *= x;
  constexpr double kHalfLogOfTwoPi = 0.91893853320467274178;
  const double series = 1 / (12 * x) - 1 / (360 * x * x * x);
  return portable_exp((x - 0.5) * portable_log(x) - x + kHalfLogOfTwoPi + series) / divisor;
}

struct Form {
  const char* name;
  DrawKind kind;
  std::array<const char*, 2> parameters;  // the second may be null
};
constexpr Form kForms[] = {{"uniform", DrawKind::kUniform, {"min", "max"}},
                           {"normal", DrawKind::kNormal, {"mean", "std_dev"}},
                           {"beta", DrawKind::kBeta, {"alpha", "beta"}},
                           {"zipf", DrawKind::kZipf, {"n", "s"}},
                           {"latest", DrawKind::kLatest, {"n", "s"}},
                           {"exponential", DrawKind::kExponential, {"lambda", nullptr}},
                           {"log_normal", DrawKind::kLogNormal, {"mean", "std_dev"}},
                           {"poisson", DrawKind::kPoisson, {"lambda", nullptr}},
                           {"weibull", DrawKind::kWeibull, {"scale", "shape"}},
                           {"pareto", DrawKind::kPareto, {"scale", "shape"}}};

// What is wrong with the parameters; empty if nothing is. Bounds keep every sum within a double.
std::string fault_of_parameters(const Draw& draw) {
  const auto is_within = [](double x, double min, double max) { return x >= min && x <= max; };
  constexpr double kTiny = 1e-6;
  constexpr double kLarge = 1e12;
  switch (draw.kind) {
    case DrawKind::kUniform:
      return is_within(draw.a, -kLarge, kLarge) && is_within(draw.b, draw.a, kLarge) &&
                     draw.b > draw.a
                 ? ""
                 : "expected min below max";
    case DrawKind::kNormal:
      return is_within(draw.a, -kLarge, kLarge) && is_within(draw.b, 1e-12, kLarge)
                 ? ""
                 : "expected std_dev above 0";
    case DrawKind::kLogNormal:
      return is_within(draw.a, -300, 300) && is_within(draw.b, kTiny, 20)
                 ? ""
                 : "expected a mean from -300 to 300 and a std_dev from 0.000001 to 20";
    case DrawKind::kBeta:
      return is_within(draw.a, 0.001, 400) && is_within(draw.b, 0.001, 400)
                 ? ""
                 : "expected alpha and beta from 0.001 to 400";
    case DrawKind::kZipf:
    case DrawKind::kLatest:
      return is_within(draw.a, 1, kLarge) && is_within(draw.b, 0, 10)
                 ? ""
                 : "expected n from 1 on and s from 0 to 10";
    case DrawKind::kExponential:
    case DrawKind::kPoisson:
      return is_within(draw.a, 1e-9, 1e9) ? "" : "expected a lambda above 0";
    case DrawKind::kWeibull:
      return is_within(draw.a, 1e-9, kLarge) && is_within(draw.b, 0.05, 100)
                 ? ""
                 : "expected a scale above 0 and a shape from 0.05 to 100";
    case DrawKind::kPareto:
      return is_within(draw.a, 1e-9, kLarge) && draw.b > 1 && draw.b <= 100
                 ? ""
                 : "expected a scale above 0 and a shape above 1";
  }
  return "";
}

Result<double> real_member(const std::string& place, const SpecJson& json, const char* name) {
  const SpecJson* value = spec_member(json, name);
  if (value == nullptr || !value->is_number()) {
    return input_error(fmt::format("{}.{}: expected a number", place, name));
  }
  return value->get<double>();
}

// A class of keys, as ranks and as the share of operations that ask for it.
struct RankPart {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  double weight = 0;
  double unevenness = 0;
  friend bool operator<(const RankPart& a, const RankPart& b) {
    if (a.unevenness != b.unevenness) return a.unevenness < b.unevenness;
    return a.first > b.first;
  }
};

}  // namespace

double Draw::share_below(double x) const {
  switch (kind) {
    case DrawKind::kUniform:
      return std::clamp((x - a) / (b - a), 0.0, 1.0);
    case DrawKind::kNormal:
      return normal_share((x - a) / b);
    case DrawKind::kBeta:
      return beta_share(a, b, x);
    case DrawKind::kZipf:
      return zipf_share(*this, x);
    case DrawKind::kLatest:
      // n less a rank of zipf.
      return x < 0 ? 0 : 1 - zipf_share(*this, std::ceil(a - x) - 1);
    case DrawKind::kExponential:
      return x <= 0 ? 0 : -portable_expm1(-a * x);
    case DrawKind::kLogNormal:
      return x <= 0 ? 0 : normal_share((portable_log(x) - a) / b);
    case DrawKind::kPoisson:
      return poisson_share(a, x);
    case DrawKind::kWeibull:
      return x <= 0 ? 0 : -portable_expm1(-real_power(x / a, b));
    case DrawKind::kPareto:
      return x <= a ? 0 : 1 - real_power(a / x, b);
  }
  return 1;
}

double Draw::quantile(double share, double max) const {
  if (share_below(0) >= share) return 0;
  double low = 0;
  double high = max;
  for (int i = 0; i < 80 && high - low > 1e-9; ++i) {
    const double middle = low + (high - low) / 2;
    (share_below(middle) >= share ? high : low) = middle;
  }
  return high;
}

double Draw::mean() const {
  switch (kind) {
    case DrawKind::kUniform:
      return (a + b) / 2;
    case DrawKind::kNormal:
      return a;
    case DrawKind::kBeta:
      return a / (a + b);
    case DrawKind::kZipf:
      return zipf_sum(std::floor(a), b - 1) / zipf_sum(std::floor(a), b);
    case DrawKind::kLatest:
      return a - zipf_sum(std::floor(a), b - 1) / zipf_sum(std::floor(a), b);
    case DrawKind::kExponential:
      return 1 / a;
    case DrawKind::kLogNormal:
      return portable_exp(a + b * b / 2);
    case DrawKind::kPoisson:
      return a;
    case DrawKind::kWeibull:
      return a * gamma_above_one(1 / b);
    case DrawKind::kPareto:
      return b * a / (b - 1);
  }
  return 0;
}

Result<Draw> read_draw(const std::string& place, const SpecJson& json) {
  std::vector<std::string> names;
  for (const Form& form : kForms) names.emplace_back(form.name);
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, names));
  if (json.size() != 1) {
    return input_error(fmt::format("{}: expected one distribution", place));
  }
  const std::string name = json.begin().key();
  const SpecJson& parameters = json.begin().value();
  const Form& form = *std::find_if(std::begin(kForms), std::end(kForms),
                                   [&](const Form& each) { return each.name == name; });
  const std::string here = place + "." + name;
  std::vector<std::string> members{form.parameters[0]};
  if (form.parameters[1] != nullptr) members.emplace_back(form.parameters[1]);
  BOOST_OUTCOME_TRYV(check_spec_members(here, parameters, members));
  Draw draw{form.kind, 0, 0};
  draw.a = BOOST_OUTCOME_TRYX(real_member(here, parameters, form.parameters[0]));
  if (form.parameters[1] != nullptr) {
    draw.b = BOOST_OUTCOME_TRYX(real_member(here, parameters, form.parameters[1]));
  }
  const std::string fault = fault_of_parameters(draw);
  if (!fault.empty()) return input_error(fmt::format("{}: {}", here, fault));
  return draw;
}

Result<NumberExpression> read_number_expression(const std::string& place, const SpecJson& json) {
  NumberExpression number;
  if (json.is_number()) {
    number.constant = json.get<double>();
    return number;
  }
  if (!json.is_object()) {
    return input_error(fmt::format("{}: expected a number or a distribution", place));
  }
  number.draw = BOOST_OUTCOME_TRYX(read_draw(place, json));
  return number;
}

double share_of_first_keys(const Draw& selection, double share) {
  if (share <= 0) return 0;
  if (share >= 1) return 1;
  constexpr double kRounding = 1e-6;  // of products that should be whole
  const double a = selection.a;
  const double b = selection.b;
  switch (selection.kind) {
    case DrawKind::kUniform:
      return share;
    case DrawKind::kNormal:
      return selection.share_below(a + (2 * share - 1) * 3 * b);
    case DrawKind::kBeta:
      return selection.share_below(share);
    case DrawKind::kZipf: {
      // Rank r is the place (r - 1) / (n - 1).
      const double before = std::ceil(share * (std::floor(a) - 1) - kRounding);
      return selection.share_below(std::max(1.0, before));
    }
    case DrawKind::kLatest:
      // Rank r is the place (n - r) / n.
      return 1 - zipf_share(selection, std::floor(a * (1 - share) + kRounding));
    case DrawKind::kExponential:
      return selection.share_below(share * 5 / a);
    case DrawKind::kLogNormal:
      return selection.share_below(share * portable_exp(a + 3 * b));
    case DrawKind::kPoisson:
      return selection.share_below(std::ceil(3 * a * share - kRounding) - 1);
    case DrawKind::kWeibull: {
      constexpr double kLogOfHundred = 4.60517018598809136804;
      return selection.share_below(share * a * real_power(kLogOfHundred, 1 / b));
    }
    case DrawKind::kPareto:
      return selection.share_below(a + share * a * (real_power(100, 1 / b) - 1));
  }
  return share;
}

std::vector<KeyClass> classes_of_selection(const Draw& selection, std::uint64_t keys,
                                           bool is_newest_first) {
  CHECK(keys >= 1);
  constexpr std::uint64_t kFirstParts = 64;
  constexpr std::size_t kPartsMax = 256;
  constexpr double kEven = 1e-5;  // of all operations
  const auto below = [&](std::uint64_t rank) {
    const double share = static_cast<double>(rank) / static_cast<double>(keys);
    return is_newest_first ? 1 - share_of_first_keys(selection, 1 - share)
                           : share_of_first_keys(selection, share);
  };
  // Four quarters, because two halves of a peak in the middle look even.
  const auto part_of = [&](std::uint64_t first, std::uint64_t end) {
    RankPart part{first, end, below(end) - below(first), 0};
    const std::uint64_t width = end - first;
    if (width < 2) return part;
    double from = below(first);
    for (std::uint64_t q = 1; q <= 4; ++q) {
      const std::uint64_t at = first + width * q / 4;
      const double to = below(at);
      const double even = part.weight * static_cast<double>(at - (first + width * (q - 1) / 4)) /
                          static_cast<double>(width);
      part.unevenness += std::abs(to - from - even);
      from = to;
    }
    return part;
  };
  std::priority_queue<RankPart> parts;
  const std::uint64_t pieces = std::min(keys, kFirstParts);
  for (std::uint64_t p = 0; p < pieces; ++p) {
    parts.push(part_of(keys / pieces * p + std::min(p, keys % pieces),
                       keys / pieces * (p + 1) + std::min(p + 1, keys % pieces)));
  }
  while (parts.size() < kPartsMax && parts.top().unevenness > kEven) {
    const RankPart widest = parts.top();
    parts.pop();
    const std::uint64_t middle = widest.first + (widest.end - widest.first) / 2;
    parts.push(part_of(widest.first, middle));
    parts.push(part_of(middle, widest.end));
  }
  std::vector<RankPart> ordered;
  for (; !parts.empty(); parts.pop()) ordered.push_back(parts.top());
  std::sort(ordered.begin(), ordered.end(),
            [](const RankPart& a, const RankPart& b) { return a.first < b.first; });
  // Rounded running sums, so that the weights have the exact total.
  std::vector<KeyClass> classes;
  std::uint64_t given = 0;
  for (const RankPart& part : ordered) {
    const double upto = std::clamp(below(part.end), 0.0, 1.0) * double{kClassWeightSum};
    const auto whole = std::max(given, static_cast<std::uint64_t>(upto + 0.5));
    classes.push_back({part.end - part.first, whole - given});
    given = whole;
  }
  return classes;
}

Result<void> check_spec_members(const std::string& place, const SpecJson& json,
                                const std::vector<std::string>& members) {
  if (!json.is_object()) return input_error(fmt::format("{}: expected a JSON object", place));
  for (const auto& [member, value] : json.items()) {
    if (std::find(members.begin(), members.end(), member) != members.end()) continue;
    return input_error(fmt::format("{}: unknown member '{}'{}", place, excerpt(member),
                                   suggestion(member, members)));
  }
  return success();
}

const SpecJson* spec_member(const SpecJson& json, const std::string& name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace lsmlab::tools
