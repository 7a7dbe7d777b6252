#include "engine/calibration/measure/cpu_table.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab::engine {

double CpuTable::Measured::nanoseconds() const {
  return info_of(row.work).figure == RoundsFigure::kMean ? times.mean() : times.median();
}

void CpuTable::note(CpuWork work, const Sample& sample) {
  auto found = std::find_if(measured_.begin(), measured_.end(),
                            [&](const Measured& measured) { return measured.row.work == work; });
  if (found == measured_.end()) found = measured_.insert(found, Measured{});
  Measured& at = *found;
  at.times.add(sample.nanoseconds);
  // Every round does the same work, so its counts hardly differ.
  at.row = {};
  at.row.work = work;
  at.row.entries = sample.entries;
  at.row.tables = sample.tables;
  at.row.blocks = sample.blocks;
  at.row.kib = sample.kib;
  at.walls.add(sample.wall_ns);
  at.slow.add(sample.slow_ns);
  at.others_busy.add(sample.others_busy);
  at.core_waits.add(sample.core_wait_ns);
  at.one_core.add(sample.one_core);
}

void CpuTable::note_ratio(CpuWork work, Sample sample, const Sample& alone) {
  CHECK(info_of(work).in_turn_with.has_value());
  sample.nanoseconds /= std::max(alone.nanoseconds, 1.0);
  sample.wall_ns /= std::max(alone.wall_ns, 1.0);
  sample.core_wait_ns /= std::max(alone.wall_ns, 1.0);
  note(work, sample);
}

std::vector<CpuRow> CpuTable::rows() const {
  std::vector<CpuRow> rows;
  for (const Measured& measured : measured_) {
    CpuRow row = measured.row;
    row.nanoseconds = measured.nanoseconds();
    row.spread = measured.times.spread();
    row.wall_ns = measured.walls.median();
    row.slow_ns = measured.slow.median();
    row.others_busy = measured.others_busy.mean();
    row.core_wait_ns = measured.core_waits.median();
    row.one_core = measured.one_core.median();
    if (const auto other = info_of(row.work).in_turn_with) {
      const Measured& alone = measured_of(*other);
      row.nanoseconds *= alone.nanoseconds();
      row.wall_ns *= alone.walls.median();
      row.core_wait_ns *= alone.walls.median();
    }
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [](const CpuRow& a, const CpuRow& b) { return a.work < b.work; });
  return rows;
}

const CpuTable::Measured& CpuTable::measured_of(CpuWork work) const {
  const auto found =
      std::find_if(measured_.begin(), measured_.end(),
                   [&](const Measured& measured) { return measured.row.work == work; });
  CHECK(found != measured_.end());
  return *found;
}

}  // namespace lsmlab::engine
