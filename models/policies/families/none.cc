// No merging: every flush stays an SSTable of its own. The lower end of writing and the upper end
// of reading.
#include "models/policies/stack_policy.h"

namespace lsmlab {
namespace {

struct NoneOptions {
  void declare(OptionTable& /*table*/) {}
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class None final : public StackPolicy {
 public:
  explicit None(const NoneOptions& /*options*/)
      : StackPolicy(FlushMode::kEager, PlanReason::kMemtableFull) {}
  [[nodiscard]] StackDecision decide(const StackView& /*stack*/) const override {
    return StackDecision::none();
  }
};

}  // namespace

PolicyFamily none_family() {
  return make_family<NoneOptions, None>("none", "never merge", "the trivial bound");
}

}  // namespace lsmlab
