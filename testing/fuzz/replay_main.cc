// A fuzz target without libFuzzer (testing/fuzz_main.h).
#include "testing/fuzz/fuzz.h"
#include "testing/fuzz_main.h"

int main(int count, char** arguments) {
  return lsmlab::testing::fuzz_main(count, arguments, lsmlab::testing::fuzz_seeds());
}
