// The interface between a fuzz target and replay_main.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lsmlab::testing {

/// Inputs to mutate; every target has some.
[[nodiscard]] std::vector<std::string> fuzz_seeds();

}  // namespace lsmlab::testing
