// The presets of configs/, compiled in by the build.
#pragma once

#include <span>

namespace lsmlab {

struct EmbeddedConfig {
  const char* kind;  // the directory: policies, workloads
  const char* name;
  const char* json;
};

[[nodiscard]] std::span<const EmbeddedConfig> embedded_configs();

}  // namespace lsmlab
