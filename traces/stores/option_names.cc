#include "traces/stores/option_names.h"

#include "models/base/foreign_options.h"

namespace lsmlab::stores {

OurOption our_option(StoreSystem system, std::string_view option, std::string_view family) {
  const std::size_t dot = option.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? option : option.substr(dot + 1);
  for (const ForeignOption& row : foreign_options()) {
    if (row.name != name || row.systems.find(name_of(system)) == std::string_view::npos) continue;
    for (std::size_t i = 0; i < row.place_count(); ++i) {
      const ForeignPlace& place = row.places[i];
      if (place.owner != kEveryPolicy && !place.is_of_family(family)) continue;
      return {place.option, row.value == ForeignValue::kBytes};
    }
  }
  return {name, false};
}

}  // namespace lsmlab::stores
