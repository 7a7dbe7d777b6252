// The main program of every test binary, where Catch2 2 does not bring one.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
