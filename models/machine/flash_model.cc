#include "models/machine/flash_model.h"

#include <fmt/format.h>

namespace lsmlab {

FlashGeometry FlashModel::geometry() const {
  FlashGeometry geometry = shape;
  geometry.capacity = capacity.value();
  return geometry;
}

void FlashModel::declare(OptionTable& table) {
  table.optional_bytes("flash_capacity", capacity, {4096, std::uint64_t{1} << 50},
                       "capacity of a flash drive, as its host sees it: lsmlab then simulates what "
                       "the drive writes to flash; without it flash is not modelled");
  table.decimal("flash_over_provisioning", shape.over_provisioning, "0.001", "10",
                "spare flash as a share of the capacity; more: garbage collection rewrites less");
  table.bytes("flash_page", shape.page_bytes, {512, 1 << 20},
              "size of a flash page, which the drive writes as a whole");
  table.count("flash_block_pages", shape.pages_per_block, {1, 4'194'304}, "pages",
              "pages of a block, which the drive erases as a whole; more: a block mixes more files "
              "of different lifetimes");
  table.count("flash_erase_cycles", shape.erase_cycles, {1, 1'000'000}, "erasures",
              "erasures that a block endures");
  table.flag("flash_trims", trims, "whether the drive is told of removed files (TRIM)");
  table.decimal("flash_filled", filled, "0", "0.99",
                "share of the capacity with other data, which is never rewritten");
}

namespace {

bool is_usual(const FlashModel& flash) {
  const FlashModel usual;
  return flash.shape.page_bytes == usual.shape.page_bytes &&
         flash.shape.pages_per_block == usual.shape.pages_per_block &&
         flash.shape.erase_cycles == usual.shape.erase_cycles &&
         flash.shape.over_provisioning.as_double() == usual.shape.over_provisioning.as_double() &&
         flash.trims == usual.trims && flash.filled.numerator() == 0;
}

}  // namespace

void FlashModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  if (!capacity) {
    if (is_usual(*this)) return;
    faults.emplace_back(
        "flash_* parameters have no effect without flash_capacity, the capacity of the drive");
    return;
  }
  const std::vector<std::string> own = geometry().validate();
  faults.insert(faults.end(), own.begin(), own.end());
  constexpr std::uint64_t kFlashPagesMax = std::uint64_t{1} << 28;
  const std::uint64_t pages = capacity->value() / shape.page_bytes.value();
  if (!own.empty() || pages <= kFlashPagesMax) return;
  faults.push_back(
      fmt::format("flash_capacity={} has {} pages, for which the simulator needs some {} GiB of "
                  "memory; at most {} pages are possible: choose a larger flash_page",
                  capacity->value(), pages, pages >> 27, kFlashPagesMax));
}

std::vector<CalibrationRow> FlashModel::calibration() {
  return {{{"flash_capacity", "flash_over_provisioning", "flash_page", "flash_block_pages",
            "flash_erase_cycles", "flash_trims", "flash_filled"},
           ""}};
}

}  // namespace lsmlab
