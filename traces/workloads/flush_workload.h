// Workloads at resolution flush: a sequence of memtable flushes, each given by its size in bytes.
// The same options and seed give the same sizes on any machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/spec.h"

namespace lsmlab {

enum class FlushSizeDistribution { kConstant, kUniform, kExponential, kLognormal, kFile };

struct FlushWorkloadOptions {
  std::optional<std::uint64_t> count;
  std::optional<Bytes> size;
  FlushSizeDistribution distribution = FlushSizeDistribution::kConstant;
  std::optional<Decimal> spread;  // uniform
  std::optional<Decimal> sigma;   // lognormal
  std::string path;               // file
  std::optional<bool> repeat;     // file
  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// Returns the sizes in order. One user, one thread.
class FlushSizeSource {
 public:
  virtual ~FlushSizeSource() = default;
  /// Fills the whole span with the next sizes, each at least 1.
  virtual void fill(std::span<std::uint64_t> sizes) = 0;
};

class FlushWorkload {
 public:
  /// Errors: unknown or bad parameters (all are named); a file of sizes that cannot be read, is
  /// malformed or has too few sizes; more than 2^63 bytes in total, if that is known beforehand.
  [[nodiscard]] static Result<FlushWorkload> make(const Parameters& parameters);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const ResolvedOptions& options() const { return resolved_; }
  /// True if all flushes have the same size.
  [[nodiscard]] bool is_uniform() const {
    return options_.distribution == FlushSizeDistribution::kConstant;
  }
  /// The mean size of a flush, rounded down: of the distribution, or of the sizes of a file.
  [[nodiscard]] Bytes mean_bytes() const;
  /// A source that starts at the first flush.
  [[nodiscard]] std::unique_ptr<FlushSizeSource> open(std::uint64_t seed) const;

 private:
  FlushWorkloadOptions options_;
  ResolvedOptions resolved_;
  std::uint64_t count_ = 0;
  std::shared_ptr<const std::vector<std::uint64_t>> recorded_;
};

/// Name, options and their meaning, for listings.
struct WorkloadFamily {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
};
[[nodiscard]] std::vector<WorkloadFamily> workload_families();

}  // namespace lsmlab
