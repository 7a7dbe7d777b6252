// What a store must hold: every batch that was tried, in order, and how many of them were
// acknowledged and are durable. After a crash a store holds what the first so many batches made of
// it, all durable ones among them: nothing else, and no batch in part.
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

/// Nothing for a value: a removal.
using ModelBatch = std::vector<std::pair<std::string, std::optional<std::string>>>;

class StoreModel {
 public:
  enum class Kept {
    kDurable,       // after a power cut
    kAcknowledged,  // while the store is open, and after its process was killed
  };

  /// A write is about to be tried.
  void attempt(ModelBatch batch) {
    apply(batch, newest_);
    later_.push_back(std::move(batch));
    ++attempted_;
  }
  /// All that was tried succeeded.
  void acknowledge() { acknowledged_ = attempted_; }
  /// All that was acknowledged survives a power cut.
  void make_durable() {
    for (; durable_ < acknowledged_; ++durable_) {
      apply(later_.front(), durable_state_);
      later_.pop_front();
    }
  }

  /// All batches that were tried.
  [[nodiscard]] const StoreState& newest() const { return newest_; }
  [[nodiscard]] std::uint64_t attempted() const { return attempted_; }

  /// The fewest batches that make this state, from those that must be there on; nothing where none
  /// do.
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

  /// The store holds so many batches, durably, and goes on from there.
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
  std::deque<ModelBatch> later_;  // than the durable ones
  std::uint64_t durable_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t attempted_ = 0;
};

}  // namespace lsmlab::engine::testing
