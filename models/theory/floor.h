// The floor, or lower bound: the least write amplification that an eager, stable schedule of depth
// k can have for given flush sizes (merge-policies paper, Section 3). Such a schedule is a binary
// search tree over the flushes. The right-going depth of a node (stack depth) is below k. A flush t
// is written as often as its left-going depth (merge depth) plus one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "models/base/units.h"

namespace lsmlab {

/// The bytes that the best schedule writes for `flushes` flushes of one byte; for flushes of s
/// bytes, multiply by s. There are C(d+k, k-1) positions of merge depth d with stack depth below k,
/// and the best schedule fills the cheapest ones. REQUIRES: k >= 1.
[[nodiscard]] Uint128 uniform_floor(std::uint64_t flushes, std::uint64_t k);

/// The largest number of flushes for optimal_bytes_written(): its memory is 8 bytes times their
/// square.
inline constexpr std::size_t kFloorFlushesMax = 5000;
/// The largest number of steps, k n^2 / 2; these take some seconds.
inline constexpr std::uint64_t kFloorStepsMax = 1'500'000'000;

/// The bytes that the best schedule writes for these sizes, by a dynamic program in O(k n^2) time.
/// Nothing if there are more than kFloorFlushesMax flushes, if it would take more than
/// kFloorStepsMax steps, if the sum of sizes times their number exceeds 2^62, or if `should_stop`
/// (called often; may be empty) returns true.
[[nodiscard]] std::optional<Uint128> optimal_bytes_written(
    std::span<const std::uint64_t> flush_bytes, std::uint64_t k,
    const std::function<bool()>& should_stop = {});

/// The paper's bound (1) without its factor 1 + O(1/k): k n^(1/k) / c_k with c_k = (k+1) /
/// (k!)^(1/k). It is rounded to nine significant digits, so that it is the same on every machine.
[[nodiscard]] double worst_case_bound(std::uint64_t flushes, std::uint64_t k);

}  // namespace lsmlab
