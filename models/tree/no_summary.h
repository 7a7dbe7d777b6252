// The summary of a CowSequence that keeps none.
#pragma once

namespace lsmlab {

struct NoSummary {
  struct Extremes {
    void add(const Extremes& /*other*/) {}
  };
  void add(const NoSummary& /*other*/) {}
  [[nodiscard]] bool subtract(const NoSummary& /*part*/) { return true; }
  [[nodiscard]] static Extremes extremes() { return {}; }
  void set_extremes(const Extremes& /*extremes*/) {}
};

}  // namespace lsmlab
