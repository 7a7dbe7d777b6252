// The floor: the least write amplification that an eager, stable schedule of depth k can reach for
// given flush sizes (merge-policies paper, Section 3). Such a schedule is a binary search tree over
// the flushes whose right-going depth (stack depth) is below k; flush t is written as often as its
// left-going depth (merge depth) plus one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "models/base/units.h"

namespace lsmlab {

/// Bytes written by the best schedule of `flushes` flushes of one byte: there are C(d+k, k-1)
/// places of merge depth d with stack depth below k, and the cheapest are filled. For flushes of s
/// bytes, s times this. REQUIRES: k >= 1.
[[nodiscard]] Uint128 uniform_floor(std::uint64_t flushes, std::uint64_t k);

/// Most flushes that optimal_bytes_written takes: its memory is 8 bytes times their square.
inline constexpr std::size_t kFloorFlushesMax = 5000;
/// Most steps, k n^2 / 2: some seconds.
inline constexpr std::uint64_t kFloorStepsMax = 1'500'000'000;

/// Bytes written by the best schedule for these sizes: dynamic program, O(k n^2) time.
/// Nothing where there are more than kFloorFlushesMax, where it would take more than
/// kFloorStepsMax, where their sum times their number passes 2^62, or where `should_stop` (asked
/// often; may be empty) says so.
[[nodiscard]] std::optional<Uint128> optimal_bytes_written(
    std::span<const std::uint64_t> flush_bytes, std::uint64_t k,
    const std::function<bool()>& should_stop = {});

/// The paper's bound (1) without its factor 1 + O(1/k): k n^(1/k) / c_k with c_k = (k+1) /
/// (k!)^(1/k), rounded to nine significant digits so that it is the same on every machine.
[[nodiscard]] double worst_case_bound(std::uint64_t flushes, std::uint64_t k);

}  // namespace lsmlab
