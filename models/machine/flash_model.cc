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
                       "of a flash drive, as its host sees it: what the store writes is followed "
                       "into the flash; without it the flash is not modelled");
  table.decimal("flash_over_provisioning", shape.over_provisioning, "0.001", "10",
                "spare flash as a share of the capacity; more: less is written again");
  table.bytes("flash_page", shape.page_bytes, {512, 1 << 20},
              "of flash, which is written as a whole");
  table.count("flash_block_pages", shape.pages_per_block, {1, 4'194'304}, "pages",
              "erased together; more: files share a block with more that outlive them");
  table.count("flash_erase_cycles", shape.erase_cycles, {1, 1'000'000}, "erasures",
              "that a block endures");
  table.flag("flash_trims", trims, "the drive is told of removed files");
  table.decimal("flash_filled", filled, "0", "0.99",
                "share of the capacity that other data takes, which nobody rewrites");
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
    faults.emplace_back("flash_*: nothing without flash_capacity, the capacity of the drive");
    return;
  }
  const std::vector<std::string> own = geometry().validate();
  faults.insert(faults.end(), own.begin(), own.end());
  constexpr std::uint64_t kFlashPagesMax = std::uint64_t{1} << 28;
  const std::uint64_t pages = capacity->value() / shape.page_bytes.value();
  if (!own.empty() || pages <= kFlashPagesMax) return;
  faults.push_back(fmt::format(
      "flash_capacity={} has {} pages, some {} GiB of memory; at most {}, or a larger flash_page",
      capacity->value(), pages, pages >> 27, kFlashPagesMax));
}

std::vector<CalibrationRow> FlashModel::calibration() {
  return {{{"flash_capacity", "flash_over_provisioning", "flash_page", "flash_block_pages",
            "flash_erase_cycles", "flash_trims", "flash_filled"},
           ""}};
}

}  // namespace lsmlab
