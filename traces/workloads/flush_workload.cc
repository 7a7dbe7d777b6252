#include "traces/workloads/flush_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/lognormal_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>

#include "traces/workloads/flush_sizes.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kCountDefault = 100'000;
constexpr std::uint64_t kSizeDefault = std::uint64_t{4} << 20;
// Random sizes stay below this, so that a rare extreme draw does not overflow.
constexpr double kDrawMax = 9.0e18;

class ConstantSource final : public FlushSizeSource {
 public:
  explicit ConstantSource(std::uint64_t size) : size_(size) {}
  void fill(std::span<std::uint64_t> sizes) override {
    std::fill(sizes.begin(), sizes.end(), size_);
  }

 private:
  std::uint64_t size_;
};

class RecordedSource final : public FlushSizeSource {
 public:
  explicit RecordedSource(std::shared_ptr<const std::vector<std::uint64_t>> recorded)
      : recorded_(std::move(recorded)) {}
  void fill(std::span<std::uint64_t> sizes) override {
    for (std::uint64_t& size : sizes) {
      size = (*recorded_)[next_];
      next_ = next_ + 1 == recorded_->size() ? 0 : next_ + 1;
    }
  }

 private:
  std::shared_ptr<const std::vector<std::uint64_t>> recorded_;
  std::size_t next_ = 0;
};

// Distributions of Boost.Random are the same on every machine; those of the standard library are
// not.
template <class Distribution>
class RandomSource final : public FlushSizeSource {
 public:
  RandomSource(Distribution distribution, double scale, std::uint64_t seed)
      : distribution_(distribution), scale_(scale), generator_(seed) {}
  void fill(std::span<std::uint64_t> sizes) override {
    for (std::uint64_t& size : sizes) {
      const double draw =
          std::clamp(static_cast<double>(distribution_(generator_)) * scale_, 1.0, kDrawMax);
      size = static_cast<std::uint64_t>(std::llround(draw));
    }
  }

 private:
  Distribution distribution_;
  double scale_;
  boost::random::mt19937_64 generator_;
};

class UniformSource final : public FlushSizeSource {
 public:
  UniformSource(std::uint64_t min, std::uint64_t max, std::uint64_t seed)
      : distribution_(min, max), generator_(seed) {}
  void fill(std::span<std::uint64_t> sizes) override {
    for (std::uint64_t& size : sizes) size = distribution_(generator_);
  }

 private:
  boost::random::uniform_int_distribution<std::uint64_t> distribution_;
  boost::random::mt19937_64 generator_;
};

}  // namespace

void FlushWorkloadOptions::declare(OptionTable& table) {
  table.optional_count("count", count, {1, std::uint64_t{1} << 62}, "flushes",
                       "number of flushes; default: 100,000, or with distribution=file as many as "
                       "the file holds");
  table.optional_bytes("size", size, {1, kFlushedBytesMax},
                       "size of a flush, or the mean if sizes vary; default: 4 MiB");
  table.choice<FlushSizeDistribution>("distribution", distribution,
                                      {{"constant", FlushSizeDistribution::kConstant},
                                       {"uniform", FlushSizeDistribution::kUniform},
                                       {"exponential", FlushSizeDistribution::kExponential},
                                       {"lognormal", FlushSizeDistribution::kLognormal},
                                       {"file", FlushSizeDistribution::kFile}},
                                      "distribution of flush sizes");
  table.optional_decimal("spread", spread, "0", "1",
                         "uniform: sizes from size*(1-spread) to size*(1+spread); default: 50%");
  table.optional_decimal("sigma", sigma, "0.000001", "5",
                         "lognormal: standard deviation of the size's logarithm; default: 0.5");
  table.text("path", path,
             "file: one size in bytes per line, # starts a comment; plain, gzip or zstd (a JSON "
             "workload can name a path that contains , or |)");
  table.optional_flag("repeat", repeat, "file: start again at the end of the file; default: false");
}

std::vector<std::string> FlushWorkloadOptions::validate() const {
  std::vector<std::string> faults;
  const auto refuse = [&faults](bool given, const char* name, const char* where) {
    if (given) faults.push_back(fmt::format("{} applies to distribution={} only", name, where));
  };
  const bool is_file = distribution == FlushSizeDistribution::kFile;
  refuse(spread && distribution != FlushSizeDistribution::kUniform, "spread", "uniform");
  refuse(sigma && distribution != FlushSizeDistribution::kLognormal, "sigma", "lognormal");
  refuse(!path.empty() && !is_file, "path", "file");
  refuse(repeat && !is_file, "repeat", "file");
  constexpr std::uint64_t kRandomSizeMax = kFlushedBytesMax / 2;  // twice the mean must fit
  if (size && size->value() > kRandomSizeMax && distribution != FlushSizeDistribution::kConstant) {
    faults.push_back("size: if sizes vary, the mean must be at most 2^62 bytes");
  }
  if (is_file && size)
    faults.push_back("size cannot be combined with distribution=file: the file has the sizes");
  if (is_file && path.empty()) faults.push_back("distribution=file needs path=FILE");
  if (repeat.value_or(false) && !count) faults.push_back("repeat=true needs count=N");
  if (distribution == FlushSizeDistribution::kConstant && count && size &&
      Uint128{*count} * size->value() > kFlushedBytesMax) {
    faults.push_back(fmt::format("count={} flushes of size={} bytes are more than 2^63 bytes",
                                 *count, size->value()));
  }
  return faults;
}

Result<FlushWorkload> FlushWorkload::make(const Parameters& parameters) {
  FlushWorkload workload;
  FlushWorkloadOptions& options = workload.options_;
  OptionTable table;
  options.declare(table);
  const auto named = [](const std::string& message) {
    return input_error(fmt::format("workload 'flushes': {}", message));
  };
  if (auto assigned = table.assign(parameters); !assigned) {
    return in_context("workload 'flushes'", assigned.error());
  }
  const bool is_file = options.distribution == FlushSizeDistribution::kFile;
  if (!is_file && !options.count) options.count = kCountDefault;
  if (!is_file && !options.size) options.size = Bytes(kSizeDefault);
  if (const auto faults = options.validate(); !faults.empty()) {
    return named(fmt::format("{}", fmt::join(faults, "; ")));
  }
  if (options.distribution == FlushSizeDistribution::kUniform && !options.spread) {
    options.spread = Decimal(1, 2);
  }
  if (options.distribution == FlushSizeDistribution::kLognormal && !options.sigma) {
    options.sigma = Decimal(1, 2);
  }
  if (is_file) {
    auto sizes = read_flush_sizes(options.path);
    if (!sizes) return in_context("workload 'flushes'", sizes.error());
    const std::uint64_t recorded = sizes.value().size();
    if (!options.count) options.count = recorded;
    if (!options.repeat) options.repeat = false;
    if (*options.count > recorded && !*options.repeat) {
      return named(
          fmt::format("{}: holds {} sizes, but count={}; repeat=true starts again at its end",
                      options.path, recorded, *options.count));
    }
    workload.recorded_ =
        std::make_shared<const std::vector<std::uint64_t>>(std::move(sizes).value());
  }
  workload.count_ = *options.count;
  workload.resolved_ = table.values();
  // The table refers to `options`, which moves with the workload, so only its values are kept.
  return workload;
}

Bytes FlushWorkload::mean_bytes() const {
  if (!recorded_) return *options_.size;
  // Of the whole file, and of what remains of it once it has been repeated.
  const std::uint64_t rounds = count_ / recorded_->size();
  const std::uint64_t rest = count_ % recorded_->size();
  Uint128 bytes = 0;
  for (std::size_t i = 0; i < recorded_->size(); ++i) {
    bytes += Uint128{(*recorded_)[i]} * (rounds + (i < rest ? 1 : 0));
  }
  return Bytes(static_cast<std::uint64_t>(bytes / count_));
}

std::unique_ptr<FlushSizeSource> FlushWorkload::open(std::uint64_t seed) const {
  const std::uint64_t size = options_.size ? options_.size->value() : 0;
  switch (options_.distribution) {
    case FlushSizeDistribution::kConstant:
      return std::make_unique<ConstantSource>(size);
    case FlushSizeDistribution::kUniform: {
      const auto half_width = static_cast<std::uint64_t>(
          Uint128{size} * options_.spread->numerator() / options_.spread->denominator());
      return std::make_unique<UniformSource>(std::max<std::uint64_t>(1, size - half_width),
                                             size + half_width, seed);
    }
    case FlushSizeDistribution::kExponential:
      return std::make_unique<RandomSource<boost::random::exponential_distribution<double>>>(
          boost::random::exponential_distribution<double>(1.0), static_cast<double>(size), seed);
    case FlushSizeDistribution::kLognormal: {
      const double sigma = options_.sigma->as_double();
      // exp(N(-sigma^2/2, sigma^2)) has a mean of 1.
      return std::make_unique<RandomSource<boost::random::lognormal_distribution<double>>>(
          boost::random::lognormal_distribution<double>(-sigma * sigma / 2, sigma),
          static_cast<double>(size), seed);
    }
    case FlushSizeDistribution::kFile:
      return std::make_unique<RecordedSource>(recorded_);
  }
  return nullptr;
}

std::vector<WorkloadFamily> workload_families() {
  FlushWorkloadOptions options;
  OptionTable table;
  options.declare(table);
  return {{"flushes",
           "memtable flushes of given sizes; a policy by key ranges takes their keys as unique and "
           "uniform",
           table.describe()}};
}

}  // namespace lsmlab
