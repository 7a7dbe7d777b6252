// A fuzz target without libFuzzer (testing/fuzz_main.h).
#include "testing/fuzz_main.h"
#include "traces/fuzz/fuzz.h"

int main(int count, char** arguments) {
  return lsmlab::testing::fuzz_main(count, arguments, lsmlab::fuzz_seeds());
}
