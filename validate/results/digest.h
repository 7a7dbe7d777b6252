// A 128-bit XXH3 hash. It names kept runs, and is the checksum of their files.
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
  /// The hash of all bytes added so far, as 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

[[nodiscard]] std::string digest_of_text(std::string_view text);

}  // namespace lsmlab
