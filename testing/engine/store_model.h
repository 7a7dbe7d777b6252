// A model of what a store must hold: every attempted batch in order, and how many of them were
// acknowledged and are durable. After a crash a store holds the state after some number of batches,
// which includes all durable ones, and no batch in part.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/check.h"

namespace lsmlab::engine::testing {

using StoreState = std::map<std::string, std::string>;

/// A pair without a value is a removal.
using ModelBatch = std::vector<std::pair<std::string, std::optional<std::string>>>;

class StoreModel {
 public:
  enum class Kept {
    kDurable,       // batches that survive a power cut
    kAcknowledged,  // batches that an open store has, or one whose process was killed
  };

  /// Call before a write.
  void attempt(ModelBatch batch) {
    apply(batch, newest_);
    later_.push_back(std::move(batch));
    ++attempted_;
  }
  /// Call when all attempted writes have succeeded.
  void acknowledge() { acknowledged_ = attempted_; }
  /// Call when all acknowledged writes are durable.
  void make_durable() {
    for (; durable_ < acknowledged_; ++durable_) {
      apply(later_.front(), durable_state_);
      later_.pop_front();
    }
  }

  /// The state after all attempted batches.
  [[nodiscard]] const StoreState& newest() const { return newest_; }
  [[nodiscard]] std::uint64_t attempted() const { return attempted_; }

  /// The smallest number of batches that makes this state, at least those that must be there;
  /// nullopt if there is none.
  [[nodiscard]] std::optional<std::uint64_t> batches_of(const StoreState& found, Kept kept) const {
    const std::uint64_t least = kept == Kept::kDurable ? durable_ : acknowledged_;
    StoreState state = durable_state_;
    std::uint64_t batches = durable_;
    for (auto batch = later_.begin();; ++batch, ++batches) {
      if (batches >= least && state == found) return batches;
      if (batch == later_.end()) return std::nullopt;
      apply(*batch, state);
    }
  }

  /// Call when the store durably holds this many batches and continues from there.
  void continue_from(std::uint64_t batches) {
    CHECK(batches >= durable_ && batches <= attempted_);
    later_.resize(batches - durable_);
    acknowledged_ = attempted_ = batches;
    make_durable();
    newest_ = durable_state_;
  }

 private:
  static void apply(const ModelBatch& batch, StoreState& state) {
    for (const auto& [key, value] : batch) {
      if (value) {
        state[key] = *value;
      } else {
        state.erase(key);
      }
    }
  }

  StoreState durable_state_;
  StoreState newest_;
  std::deque<ModelBatch> later_;  // batches after the durable ones
  std::uint64_t durable_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t attempted_ = 0;
};

}  // namespace lsmlab::engine::testing
