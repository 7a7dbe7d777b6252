// Includes Catch2 2 (Debian 12) or 3 (newer systems).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

// Catch2's CHECK would hide the code's own CHECK, which is for bugs. Tests use REQUIRE.
#undef CHECK
