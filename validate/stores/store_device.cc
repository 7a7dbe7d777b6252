#include "validate/stores/store_device.h"

#include <fmt/format.h>

#include "models/base/printable.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/device_file.h"
#include "validate/stores/what_if.h"

namespace lsmlab {

Result<StoreDevice> store_device(const stores::Store& store, const std::string& family) {
  const StoreCase asked = BOOST_OUTCOME_TRYX(store_policy(store, family));
  const std::optional<LoggedClock>& clock = asked.clock;
  if (!clock) {
    return input_error(
        "the files do not tell how long flushes and merges took; a LOG with events or a table "
        "of RocksDB's statistics with Comp(sec) and KeyIn does");
  }
  StoreDevice device;
  device.family = asked.reported.name;
  device.flush_entry_ns = clock->flush_entry_ns;
  device.merge_entry_ns = clock->merge_entry_ns;
  device.division_note = clock->division_note;
  const TableWrites writes = table_writes(store, device.family);
  device.write_ns = writes.write_ns;
  device.stalled_seconds = writes.stalled_seconds;
  std::string spec = clock->device;
  if (device.write_ns && !clock->write_ns) {
    spec += fmt::format(",cpu_put_ns={}", *device.write_ns);
  }
  const ConfiguredDevice made =
      BOOST_OUTCOME_TRYX(device_of_spec(BOOST_OUTCOME_TRYX(parse_spec(spec))));
  device.json = device_json_text(
      made.model, fmt::format("the machine of the store {}, column family {}: flushes {} ns and "
                              "merges {} ns an entry, device and processor together",
                              printable(store.path), printable(device.family),
                              device.flush_entry_ns, device.merge_entry_ns));
  return device;
}

std::string store_device_text(const StoreDevice& device) {
  std::string text = fmt::format(
      "the machine of column family {}\n"
      "  flushes      {:>8} ns for each entry\n"
      "  merges       {:>8} ns for each entry that they read{}\n",
      printable(device.family), device.flush_entry_ns, device.merge_entry_ns,
      device.division_note.empty() ? ", in one thread" : "");
  if (!device.division_note.empty()) text += fmt::format("  {}\n", device.division_note);
  if (device.write_ns) {
    text += fmt::format("  writes       {:>8} ns each, with what the clients did between them{}\n",
                        *device.write_ns,
                        device.stalled_seconds
                            ? fmt::format(" (without {:.1f} s of stalls)", *device.stalled_seconds)
                            : "");
  } else {
    text +=
        "  writes       unknown, as there is no \"Cumulative writes\": a preset's 1000 ns each\n";
  }
  return text +
         "device and processor are not told apart, so a changed size of entries changes no time\n";
}

}  // namespace lsmlab
