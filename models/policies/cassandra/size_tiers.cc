#include "models/policies/cassandra/size_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/tree/run_files.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kThresholdMax = 1'000'000;

// Whether bytes > times * sum / count.
bool is_above(std::uint64_t bytes, const Decimal& times, Uint128 sum, std::uint64_t count) {
  return Uint128{bytes} * count * times.denominator() > sum * times.numerator();
}

bool is_below(std::uint64_t bytes, const Decimal& times, Uint128 sum, std::uint64_t count) {
  return Uint128{bytes} * count * times.denominator() < sum * times.numerator();
}

void sort_by_size(SizeTier& sstables) {
  std::sort(sstables.begin(), sstables.end(), [](const SizedSstable& a, const SizedSstable& b) {
    return std::tie(a.bytes, a.position) < std::tie(b.bytes, b.position);
  });
}

SizeTier first_of(const SizeTier& tier, std::uint64_t count) {
  const auto taken = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(tier.size(), count));
  return {tier.begin(), tier.begin() + taken};
}

std::uint64_t average_of(const SizeTier& tier) {
  Uint128 sum = 0;
  for (const SizedSstable& one : tier) sum += one.bytes;
  return static_cast<std::uint64_t>(sum / tier.size());
}

}  // namespace

void SizeTierOptions::declare(OptionTable& table) {
  table.count("min_threshold", min_threshold, {2, kThresholdMax}, "SSTables",
              "a tier of this many SSTables of similar size is merged; more: fewer rewrites, but "
              "more SSTables for a read to visit");
  table.count("max_threshold", max_threshold, {2, kThresholdMax}, "SSTables",
              "largest number of SSTables in a merge of a tier");
  table.bytes("min_sstable_size", min_sstable_size, {0, kFlushedBytesMax},
              "all SSTables smaller than this are of one tier; more: small flushes merge sooner");
  table.decimal("bucket_low", bucket_low, "0", "1",
                "an SSTable joins a tier only if it is larger than this many times the tier's "
                "average; below 1; less: tiers of more different sizes");
  table.decimal("bucket_high", bucket_high, "1", "1000",
                "an SSTable joins a tier only if it is smaller than this many times the tier's "
                "average; above 1; more: tiers of more different sizes");
}

std::vector<std::string> SizeTierOptions::validate() const {
  std::vector<std::string> faults;
  if (min_threshold > max_threshold) {
    faults.push_back(
        fmt::format("min_threshold={} is above max_threshold={}", min_threshold, max_threshold));
  }
  if (!(bucket_low < Decimal(1, 1))) {
    faults.push_back(fmt::format("bucket_low={} must be below 1", bucket_low.text()));
  }
  if (!(Decimal(1, 1) < bucket_high)) {
    faults.push_back(fmt::format("bucket_high={} must be above 1", bucket_high.text()));
  }
  return faults;
}

SizeTier sized(const std::vector<Sstable>& sstables) {
  SizeTier sizes;
  for (const Sstable& one : sstables) sizes.push_back({one.run->bytes().value(), sizes.size()});
  return sizes;
}

std::vector<SizeTier> cassandra_tiers(SizeTier sstables, const SizeTierOptions& options) {
  sort_by_size(sstables);
  const std::uint64_t small = options.min_sstable_size.value();
  std::vector<SizeTier> tiers;
  std::uint64_t average = 0;  // of the last tier
  for (const SizedSstable& one : sstables) {
    const bool fits = !tiers.empty() && ((is_above(one.bytes, options.bucket_low, average, 1) &&
                                          is_below(one.bytes, options.bucket_high, average, 1)) ||
                                         (one.bytes < small && average < small));
    if (!fits) {
      tiers.push_back({one});
      average = one.bytes;
      continue;
    }
    const std::size_t count = tiers.back().size();
    average = static_cast<std::uint64_t>((Uint128{average} * count + one.bytes) / (count + 1));
    tiers.back().push_back(one);
  }
  return tiers;
}

std::vector<SizeTier> scylla_tiers(SizeTier sstables, const SizeTierOptions& options,
                                   bool groups_small) {
  sort_by_size(sstables);
  const std::uint64_t small = groups_small ? options.min_sstable_size.value() : 0;
  std::vector<SizeTier> tiers;
  Uint128 sum = 0;  // of the last tier
  for (const SizedSstable& one : sstables) {
    const std::size_t count = tiers.empty() ? 0 : tiers.back().size();
    const bool is_similar = count > 0 && is_above(one.bytes, options.bucket_low, sum, count) &&
                            is_below(one.bytes, options.bucket_high, sum, count);
    const bool are_small = count > 0 && one.bytes < small && sum < Uint128{small} * count;
    const bool keeps_smallest =
        one.bytes < small || (count > 0 && is_above(tiers.back().front().bytes, options.bucket_low,
                                                    sum + one.bytes, count + 1));
    if ((is_similar || are_small) && keeps_smallest) {
      tiers.back().push_back(one);
      sum += one.bytes;
    } else {
      tiers.push_back({one});
      sum = one.bytes;
    }
  }
  return tiers;
}

SizeTier cassandra_choice(const std::vector<SizeTier>& tiers, const SizeTierOptions& options,
                          bool is_read) {
  SizeTier best;
  for (const SizeTier& tier : tiers) {
    SizeTier cut = first_of(tier, options.max_threshold);
    if (cut.size() < options.min_threshold) continue;
    const auto rank = [is_read](const SizeTier& of) {
      return std::pair(is_read ? of.size() : 0, average_of(of));
    };
    if (best.empty() || rank(cut) > rank(best)) best = std::move(cut);
  }
  return best;
}

SizeTier scylla_choice(const std::vector<SizeTier>& tiers, const SizeTierOptions& options,
                       std::uint64_t min_threshold) {
  SizeTier best;
  for (const SizeTier& tier : tiers) {
    if (tier.size() < min_threshold) continue;
    SizeTier cut = first_of(tier, options.max_threshold);
    if (cut.size() > best.size()) best = std::move(cut);
  }
  return best;
}

std::vector<Sstable> members_of(const SizeTier& tier, const std::vector<Sstable>& sstables) {
  std::vector<std::size_t> positions;
  for (const SizedSstable& one : tier) positions.push_back(one.position);
  std::sort(positions.begin(), positions.end());
  std::vector<Sstable> members;
  for (const std::size_t position : positions) members.push_back(sstables[position]);
  return members;
}

std::vector<Sstable> cassandra_tier_to_merge(const TreeView& tree,
                                             const std::vector<Sstable>& sstables,
                                             const SizeTierOptions& options) {
  const std::vector<SizeTier> tiers = cassandra_tiers(sized(sstables), options);
  return members_of(cassandra_choice(tiers, options, tree.measured().lookups > 0), sstables);
}

}  // namespace lsmlab
