#include "validate/catalog/operation_rate_parameter.h"

#include <fmt/format.h>

#include <string>

namespace lsmlab {

Result<std::optional<OperationRate>> take_operation_rate(Spec& spec) {
  std::optional<OperationRate> rate;
  for (const auto& [name, value] : spec.parameters) {
    if (name != kOperationRateParameter) continue;
    const Result<OperationRate> parsed = OperationRate::parse(value);
    if (!parsed) {
      return in_context(fmt::format("workload '{}': {}", spec.name, name), parsed.error());
    }
    rate = parsed.value();
  }
  std::erase_if(spec.parameters,
                [](const auto& parameter) { return parameter.first == kOperationRateParameter; });
  return rate;
}

OptionInfo operation_rate_option() {
  return {kOperationRateParameter, "-", "number", "operations/s",
          "how many operations a second the workload stands for: a policy's parameter that counts "
          "operations or writes may then be a time (ttl=30d, gc_grace=10d)"};
}

}  // namespace lsmlab
