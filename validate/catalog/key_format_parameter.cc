#include "validate/catalog/key_format_parameter.h"

#include <fmt/format.h>

namespace lsmlab {

Result<std::optional<KeyFormat>> take_key_format(Spec& spec) {
  std::optional<KeyFormat> format;
  for (const auto& [name, value] : spec.parameters) {
    if (name != kKeyFormatParameter) continue;
    const Result<KeyFormat> parsed = KeyFormat::parse(value);
    if (!parsed)
      return in_context(fmt::format("workload '{}': {}", spec.name, name), parsed.error());
    format = parsed.value();
  }
  std::erase_if(spec.parameters,
                [](const auto& parameter) { return parameter.first == kKeyFormatParameter; });
  return format;
}

OptionInfo key_format_option() {
  OptionTable table;
  std::string format = KeyFormat().name();
  table.text(kKeyFormatParameter, format,
             "the text of keys: binary, hex:DIGITS, decimal:DIGITS or user (YCSB's). RocksDB and "
             "LevelDB store the bytes that neighbours share once, so it decides sizes with their "
             "table_format");
  return table.describe().front();
}

}  // namespace lsmlab
