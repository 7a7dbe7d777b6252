#include "models/sizes/filter_chance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr std::size_t kLineBits = kFilterLineBytes * 8;
constexpr unsigned kProbesMax = 30;
// The computation takes a line that is this close to full as full, so that overfull filters cost no
// time.
constexpr double kFullRate = 1 - 1e-12;
// Leaves out numbers of keys that are less likely than the likeliest one by this factor.
constexpr double kTailWeight = 1e-18;

// Sets one more random bit.
void throw_bit(std::vector<double>& bits_set) {
  for (std::size_t set = kLineBits; set > 0; --set) {
    const double again = static_cast<double>(set) / kLineBits;
    const double fresh = static_cast<double>(kLineBits - set + 1) / kLineBits;
    bits_set[set] = bits_set[set] * again + bits_set[set - 1] * fresh;
  }
  bits_set[0] = 0;
}

double rate_of(const std::vector<double>& bits_set, unsigned probes) {
  double rate = 0;
  for (std::size_t set = 1; set <= kLineBits; ++set) {
    double all_set = bits_set[set];
    for (unsigned i = 0; i < probes; ++i) all_set *= static_cast<double>(set) / kLineBits;
    rate += all_set;
  }
  return rate;
}

}  // namespace

unsigned filter_probes(const SstableFormat& format) {
  const std::uint64_t probes = std::uint64_t{format.filter_millibits_per_key} * 69 / 100'000;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(probes, 1, kProbesMax));
}

double FilterModel::line_rate(unsigned probes, std::uint64_t keys) {
  lines_.resize(std::max<std::size_t>(lines_.size(), probes + 1));
  Line& line = lines_[probes];
  if (line.rates.empty()) {
    line.bits_set.assign(kLineBits + 1, 0);
    line.bits_set[0] = 1;
    line.rates.push_back(0);
  }
  while (line.rates.size() <= keys && line.rates.back() < kFullRate) {
    for (unsigned i = 0; i < probes; ++i) throw_bit(line.bits_set);
    line.rates.push_back(rate_of(line.bits_set, probes));
  }
  return keys < line.rates.size() ? line.rates[keys] : 1;
}

double FilterModel::false_positive_rate(const SstableFormat& format, std::uint64_t entries) {
  CHECK(entries >= 1);
  const std::uint64_t lines = filter_lines(format, entries);
  if (lines == 0) return 1;
  const unsigned probes = filter_probes(format);
  if (lines == 1) return line_rate(probes, entries);
  // Binomial weights relative to the weight of the mean, computed outwards from there: P(j+1) /
  // P(j) = (entries - j) / (j + 1) / (lines - 1).
  const std::uint64_t mean = entries / lines;
  const auto others = static_cast<double>(lines - 1);
  double weights = 1;
  double sum = line_rate(probes, mean);
  double weight = 1;
  for (std::uint64_t j = mean; j < entries && weight > kTailWeight; ++j) {
    weight *= static_cast<double>(entries - j) / static_cast<double>(j + 1) / others;
    weights += weight;
    sum += weight * line_rate(probes, j + 1);
  }
  weight = 1;
  for (std::uint64_t j = mean; j > 0 && weight > kTailWeight; --j) {
    weight *= static_cast<double>(j) / static_cast<double>(entries - j + 1) * others;
    weights += weight;
    sum += weight * line_rate(probes, j - 1);
  }
  return std::min(1.0, sum / weights);
}

std::uint64_t draw_bound(double rate) {
  CHECK(rate >= 0);
  if (rate >= 1) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::ldexp(rate, 64));
}

}  // namespace lsmlab
