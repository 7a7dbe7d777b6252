// Catch2 2 (Debian 12) and 3 (newer systems) by one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

// Catch2's CHECK is the assertion of tests; the rooms' own is for bugs. Tests say REQUIRE.
#undef CHECK
