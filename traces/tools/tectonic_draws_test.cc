#include "traces/tools/tectonic_draws.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::tools::tectonic_draws_test {
namespace {

using Json = nlohmann::ordered_json;

bool is_near(double value, double expected) {
  return std::abs(value - expected) <= 1e-5 * std::abs(expected);
}

std::string draw_fault(const std::string& text) {
  const auto draw = read_draw("here", Json::parse(text));
  return draw ? "" : draw.error().message;
}

std::uint64_t keys_of(const std::vector<KeyClass>& classes) {
  std::uint64_t keys = 0;
  for (const KeyClass& each : classes) keys += each.keys;
  return keys;
}

std::uint64_t weight_of(const std::vector<KeyClass>& classes) {
  std::uint64_t weight = 0;
  for (const KeyClass& each : classes) weight += each.weight;
  return weight;
}

// The share of operations that ask for the first `keys` keys, if they end where a class ends.
double weight_of_first(const std::vector<KeyClass>& classes, std::uint64_t keys) {
  std::uint64_t weight = 0;
  for (const KeyClass& each : classes) {
    if (keys < each.keys) break;
    keys -= each.keys;
    weight += each.weight;
  }
  return static_cast<double>(weight) / double{kClassWeightSum};
}

}  // namespace

// Expected values: the C library's erf and gamma, sums, and numeric integration.
TEST_CASE("Distributions of Tectonic have their textbook shares and means") {
  const std::tuple<Draw, double, double> cases[] = {
      {{DrawKind::kUniform, 2, 4}, 2.5, 0.25},
      {{DrawKind::kNormal, 0.5, 0.1}, 0.7, 0.9772498680518208},
      {{DrawKind::kNormal, 0, 1}, -1.5, 0.06680720126885809},
      {{DrawKind::kLogNormal, 1, 0.5}, 3, 0.5781741008028732},
      {{DrawKind::kBeta, 0.1, 5}, 1e-6, 0.3072883749995282},
      {{DrawKind::kBeta, 5, 0.1}, 0.3, 7.722213162195915e-05},
      {{DrawKind::kBeta, 2, 3}, 0.3, 0.3483},
      {{DrawKind::kBeta, 2, 3}, 0.7, 0.9163},
      {{DrawKind::kPoisson, 3.5, 0}, 4, 0.7254449533096046},
      {{DrawKind::kWeibull, 3, 1.5}, 2, 0.41977020402532716},
      {{DrawKind::kPareto, 2, 2.5}, 5, 0.8988071148746118},
      {{DrawKind::kExponential, 4, 0}, 0.3, 0.6988057880877978},
      {{DrawKind::kZipf, 1000, 0.99}, 10, 0.3824719122247293},
      {{DrawKind::kZipf, 1000, 0.99}, 500, 0.9043047185226225}};
  for (const auto& [draw, at, share] : cases) {
    INFO(static_cast<int>(draw.kind) << " below " << at << ": " << draw.share_below(at));
    REQUIRE(is_near(draw.share_below(at), share));
  }
  REQUIRE(is_near(Draw{DrawKind::kWeibull, 3, 1.5}.mean() / 2.708235878852801, 1));
  REQUIRE(is_near(Draw{DrawKind::kZipf, 1000, 0.99}.mean(), 137.27021291311875));
  REQUIRE(is_near(Draw{DrawKind::kNormal, 5, 2}.quantile(0.9772498680518208, 1000), 9));
  REQUIRE(Draw{DrawKind::kNormal, -5, 1}.quantile(0.5, 1000) == 0);
}

TEST_CASE("Classes of a selection follow its shares, from the oldest or the newest key on") {
  constexpr std::uint64_t kKeys = 1'000'000;
  const Draw old{DrawKind::kBeta, 0.1, 5};
  const auto classes = classes_of_selection(old, kKeys, false);
  REQUIRE(keys_of(classes) == kKeys);
  REQUIRE(weight_of(classes) == kClassWeightSum);
  REQUIRE(classes.size() <= 256);
  REQUIRE(classes[0].keys == 1);
  REQUIRE(is_near(weight_of_first(classes, 1), 0.3072883749995282));
  REQUIRE(is_near(weight_of_first(classes, kKeys / 64), old.share_below(1.0 / 64)));
  // The mirror image of the distribution has the mirror image of the classes.
  const Draw young{DrawKind::kBeta, 5, 0.1};
  const auto newest = classes_of_selection(young, kKeys, true);
  REQUIRE(newest[0].keys == 1);
  REQUIRE(std::abs(weight_of_first(newest, 1) - weight_of_first(classes, 1)) < 1e-8);
  // A narrow peak inside one of the first parts is found.
  const Draw peak{DrawKind::kPoisson, 1e6, 0};
  std::uint64_t begin = 0;
  double inside = 0;
  for (const KeyClass& each : classes_of_selection(peak, kKeys, false)) {
    const double middle = (static_cast<double>(begin) + static_cast<double>(each.keys) / 2) / kKeys;
    if (std::abs(middle - 1.0 / 3) < 1.5e-3) inside += static_cast<double>(each.weight);
    begin += each.keys;
  }
  REQUIRE(inside / double{kClassWeightSum} > 0.99);
}

TEST_CASE("A drawn number is scaled to a place among the keys as in Tectonic") {
  const std::tuple<Draw, double, double> cases[] = {
      {{DrawKind::kUniform, 3, 7}, 0.3, 0.3},
      {{DrawKind::kNormal, 70, 5}, 2.0 / 3, 0.8413447460685429},
      {{DrawKind::kBeta, 2, 3}, 0.3, 0.3483},
      {{DrawKind::kExponential, 9, 0}, 0.5, 0.9179150013761012},
      {{DrawKind::kLogNormal, 0, 1}, std::exp(-3.0), 0.5},
      {{DrawKind::kWeibull, 3, 1.5}, 2 / (3 * std::pow(std::log(100.0), 1 / 1.5)), 0.419770204},
      {{DrawKind::kPareto, 2, 2.5}, 3 / (2 * (std::pow(100.0, 0.4) - 1)), 0.898807115},
      {{DrawKind::kZipf, 2, 1}, 0.5, 2.0 / 3},
      {{DrawKind::kLatest, 2, 1}, 0.5, 1.0 / 3}};
  for (const auto& [draw, share, expected] : cases) {
    INFO(static_cast<int>(draw.kind) << ": " << share_of_first_keys(draw, share));
    REQUIRE(is_near(share_of_first_keys(draw, share), expected));
  }
  // Numbers of poisson are the places 0, 1/3, 2/3 and so on; the last key takes those from 1 on.
  const auto poisson = classes_of_selection({DrawKind::kPoisson, 1, 0}, 100, false);
  REQUIRE(is_near(weight_of_first(poisson, 1), 0.36787944));
  REQUIRE(is_near(weight_of_first(poisson, 34), 0.73575888));
  REQUIRE(is_near(weight_of_first(poisson, 99), 0.91969860));
  const auto zipf = classes_of_selection({DrawKind::kZipf, 1000, 0.99}, 1000, false);
  REQUIRE(is_near(weight_of_first(zipf, 10), 0.3824719122247293));
  const auto latest = classes_of_selection({DrawKind::kLatest, 1000, 0.99}, 1000, true);
  REQUIRE(is_near(weight_of_first(latest, 10), 0.3824719122247293));
  // As a number: n less a rank of zipf.
  REQUIRE(is_near(Draw{DrawKind::kLatest, 1000, 0.99}.share_below(499), 1 - 0.9043047185226225));
  REQUIRE(is_near(Draw{DrawKind::kLatest, 1000, 0.99}.mean(), 1000 - 137.27021291311875));
}

TEST_CASE("Distributions that make no sense are refused with their place") {
  REQUIRE(draw_fault(R"({"unifrm": {}})")
              .find("here: unknown member 'unifrm'; did you mean "
                    "'uniform'?") == 0);
  REQUIRE(draw_fault(R"({"normal": {"mean": 1}})") == "here.normal.std_dev: expected a number");
  REQUIRE(draw_fault(R"({"normal": {"mean": 1, "std_dev": 0}})") ==
          "here.normal: expected std_dev above 0");
  REQUIRE(draw_fault(R"({"uniform": {"min": 1, "max": 1}})") ==
          "here.uniform: expected min below max");
  REQUIRE(draw_fault(R"({"zipf": {"n": 3, "s": 1}, "beta": {"alpha": 1, "beta": 1}})") ==
          "here: expected one distribution");
  REQUIRE(draw_fault("7") == "here: expected a JSON object");
  REQUIRE(draw_fault(R"({"pareto": {"scale": 1, "shape": 3}})").empty());
}

}  // namespace lsmlab::tools::tectonic_draws_test
