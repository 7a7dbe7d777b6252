// XXH3 of 128 bits: names of runs, and checksums of what is kept of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/error.h"

struct XXH3_state_s;

namespace lsmlab {

class Digest {
 public:
  Digest();
  void add(std::string_view bytes);
  /// Of all that was added: 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

[[nodiscard]] std::string digest_of_text(std::string_view text);

}  // namespace lsmlab
