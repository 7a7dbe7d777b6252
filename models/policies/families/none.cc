// No merging: every flush stays an SSTable of its own. It writes least and costs reads most of all
// policies.
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
  return make_family<NoneOptions, None>(
      "none", "never merges: the fewest bytes written, the most sorted runs",
      "lower bound of writing, upper bound of reading");
}

}  // namespace lsmlab
