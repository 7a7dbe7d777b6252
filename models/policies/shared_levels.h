// Policies whose plans may share a target level.
#pragma once

namespace lsmlab {

/// Several plans of such a policy may have one target level at a time if no key lies between the
/// inputs of two of them (models/execution/plan_schedule.h). REQUIRES: Policy::pick() wants no plan
/// whose keys overlap those of a running one with the same target level; it knows the running ones
/// by their busy files. All other policies have one running plan for each target level.
class SharesTargetLevels {
 public:
  SharesTargetLevels() = default;
  SharesTargetLevels(const SharesTargetLevels&) = delete;
  SharesTargetLevels& operator=(const SharesTargetLevels&) = delete;
  virtual ~SharesTargetLevels() = default;
};

}  // namespace lsmlab
