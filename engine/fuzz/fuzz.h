// What a fuzz target shares with replay_main.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lsmlab::engine {

/// Inputs to start mutations from. A target may leave it out.
[[gnu::weak]] std::vector<std::string> fuzz_seeds();

}  // namespace lsmlab::engine
