// The presets of configs/, which the build compiles into the binary.
#pragma once

#include <span>

namespace lsmlab {

struct EmbeddedConfig {
  const char* kind;  // the directory below configs/, such as policies or workloads
  const char* name;
  const char* json;
};

[[nodiscard]] std::span<const EmbeddedConfig> embedded_configs();

}  // namespace lsmlab
