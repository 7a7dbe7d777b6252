#include "models/machine/flash_wear.h"

#include <fmt/format.h>

#include <utility>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// File numbers beyond those of SSTables, which count up from 1.
constexpr std::uint64_t kFirstLog = std::uint64_t{1} << 62;
constexpr FileId kOtherData(~std::uint64_t{0});

}  // namespace

FlashWearMeter::FlashWearMeter(FlashFiles files, const FlashGeometry& geometry)
    : files_(std::move(files)), geometry_(geometry) {}

Result<FlashWearMeter> FlashWearMeter::create(const DeviceModel& model) {
  const FlashGeometry geometry = model.flash.geometry();
  FlashTranslation device = BOOST_OUTCOME_TRYX(FlashTranslation::create(geometry));
  FlashFilesOptions options;
  options.is_trimming = model.flash.trims;
  FlashWearMeter meter(FlashFiles(std::move(device), options), geometry);
  const Uint128 filled = Uint128{geometry.capacity.value()} * model.flash.filled.numerator() /
                         model.flash.filled.denominator();
  if (filled > 0) {
    BOOST_OUTCOME_TRYV(meter.files_.write(kOtherData, Bytes(static_cast<std::uint64_t>(filled))));
  }
  meter.at_begin_ = meter.files_.device().counters();
  return meter;
}

Result<void> FlashWearMeter::write(FileId file, Bytes bytes) {
  const Result<void> written = files_.write(file, bytes);
  if (written) return written;
  return in_context("flash_capacity: the drive is full", written.error());
}

void FlashWearMeter::remove(FileId file) {
  const Result<void> removed = files_.remove(file);
  CHECK(removed.has_value());
}

Result<void> FlashWearMeter::add_log(Bytes bytes) {
  return write(FileId(kFirstLog + logs_added_++), bytes);
}

void FlashWearMeter::remove_log() {
  CHECK(logs_removed_ < logs_added_);
  remove(FileId(kFirstLog + logs_removed_++));
}

FlashFigures FlashWearMeter::figures(std::uint64_t nanoseconds) const {
  const FlashCounters counters = files_.device().counters() - at_begin_;
  FlashFigures figures;
  const std::uint64_t page = geometry_.page_bytes.value();
  figures.host_bytes_written = Uint128{counters.host_pages} * page;
  figures.flash_bytes_written = Uint128{counters.flash_pages()} * page;
  figures.write_amplification = counters.write_amplification();
  figures.erased_blocks = counters.erased_blocks;
  figures.erases_max = files_.device().wear().erases_max;
  figures.uniform_write_amplification = greedy_write_amplification(geometry_.spare_share());
  if (nanoseconds == 0 || counters.host_pages == 0) return figures;
  figures.is_extrapolated = counters.host_pages < geometry_.logical_pages();
  const double bytes_per_second =
      static_cast<double>(figures.host_bytes_written) * 1e9 / static_cast<double>(nanoseconds);
  const FlashLifetime lifetime = flash_lifetime(
      geometry_, bytes_per_second,
      figures.is_extrapolated ? figures.uniform_write_amplification : figures.write_amplification);
  figures.drive_writes_per_day = lifetime.drive_writes_per_day;
  figures.years = lifetime.years;
  return figures;
}

}  // namespace lsmlab
