// The operations of one group of a Tectonic spec, as they are written there.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "models/base/error.h"
#include "traces/tools/tectonic_draws.h"
#include "traces/tools/tectonic_texts.h"

namespace lsmlab::tools {

struct TectonicOperation {
  std::string place;
  std::uint64_t count = 0;
  bool has_drawn_count = false;  // the count is the mean of a distribution
  std::optional<TextExpression> key = {};
  std::string key_text = {};  // the expression of the key as JSON
  std::optional<TextExpression> value = {};
  Draw selection = {};  // uniform if none is given
  NumberExpression selectivity = {};
  std::optional<NumberExpression> scan_length = {};  // in place of the selectivity
  bool is_start_end = false;  // range_format: from one key to another; otherwise a number of keys

  [[nodiscard]] bool is_uniform() const {
    return selection.kind == DrawKind::kUniform;  // scaled to all keys
  }
};

struct TectonicSorted {
  double displaced = 0;  // k: number of inserts
  double distance = 0;   // l: number of inserts
};

struct TectonicGroup {
  std::string place;
  std::map<std::string, TectonicOperation, std::less<>> operations;  // by the schema's name
  std::optional<TectonicSorted> sorted = {};

  /// Null if the group has none, or none of that kind.
  [[nodiscard]] const TectonicOperation* find(std::string_view name) const;
  [[nodiscard]] std::uint64_t count(std::string_view name) const;
};

/// What operations take that do not say it: from the spec, the section or the group.
struct TectonicDefaults {
  unsigned characters = kCharactersDefault;
  const nlohmann::ordered_json* key = nullptr;
  const nlohmann::ordered_json* value = nullptr;
  std::map<std::string, Draw, std::less<>> selections = {};  // by the schema's name of operations
};

/// Takes "character_set", "defaults" and "default_distributions" of a spec, a section or a group.
/// The JSON must outlive the defaults. Errors: see tectonic_spec.h.
[[nodiscard]] Result<void> take_tectonic_defaults(const std::string& place,
                                                  const nlohmann::ordered_json& json,
                                                  TectonicDefaults& defaults);
/// `defaults`: of the section. Errors: see tectonic_spec.h.
[[nodiscard]] Result<TectonicGroup> read_tectonic_group(const std::string& place,
                                                        const nlohmann::ordered_json& json,
                                                        TectonicDefaults defaults);

}  // namespace lsmlab::tools
