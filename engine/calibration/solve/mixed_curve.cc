#include "engine/calibration/solve/mixed_curve.h"

#include <algorithm>

#include "engine/calibration/solve/figures.h"

namespace lsmlab::engine {
namespace {

// What DeviceModel::validate() accepts beside the two other bandwidths.
Bytes in_proportion(Bytes mixed, const DeviceModel& model) {
  const auto [least, most] =
      std::minmax(model.channel.read_bandwidth, model.channel.write_bandwidth);
  return std::clamp(mixed, Bytes(least.value() / 64 + 1), Bytes(4 * most.value()));
}

}  // namespace

MixedCurveRows mixed_curve_rows(std::span<const DiskRow> rows, Bytes request_bytes) {
  return {stream_rows(rows, DiskWork::kMixed25, request_bytes),
          stream_rows(rows, DiskWork::kMixed50, request_bytes),
          stream_rows(rows, DiskWork::kMixed75, request_bytes)};
}

void derive_mixed_curve(const MixedCurveRows& rows, DeviceModel& model) {
  model.mixed.bandwidth_25 = in_proportion(bandwidth_of(rows.reads_25, model), model);
  model.mixed.bandwidth_50 = in_proportion(bandwidth_of(rows.reads_50, model), model);
  model.mixed.bandwidth_75 = in_proportion(bandwidth_of(rows.reads_75, model), model);
}

void raise_mixed_curve(double factor, DeviceModel& model) {
  for (Bytes* mixed :
       {&model.mixed.bandwidth_25, &model.mixed.bandwidth_50, &model.mixed.bandwidth_75}) {
    if (mixed->value() == 0) continue;  // not measured
    const Bytes raised(whole(static_cast<double>(mixed->value()) * factor));
    *mixed = in_proportion(raised, model);
  }
}

}  // namespace lsmlab::engine
