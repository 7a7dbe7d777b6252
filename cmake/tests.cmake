# The tests of X.cc are in X_test.cc in the same folder; each room has one test program. CTest runs each test case
# separately, so a failure has a name.
if(Catch2_VERSION VERSION_LESS 3)
  add_library(lsmlab_test_main STATIC testing/test_main.cc)
  target_link_libraries(lsmlab_test_main PUBLIC Catch2::Catch2)
  target_compile_options(lsmlab_test_main PRIVATE -Og)
else()
  add_library(lsmlab_test_main INTERFACE)
  target_link_libraries(lsmlab_test_main INTERFACE Catch2::Catch2WithMain)
endif()
include(Catch)

file(MAKE_DIRECTORY "${LSMLAB_INCLUDE_ROOTS}/testing")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/testing" "${LSMLAB_INCLUDE_ROOTS}/testing/testing" SYMBOLIC)
# Oracles see models only.
file(GLOB oracle_sources CONFIGURE_DEPENDS testing/oracles/*.cc)
list(FILTER oracle_sources EXCLUDE REGEX "_test\\.cc$")
add_library(lsmlab_testing STATIC ${oracle_sources})
target_include_directories(lsmlab_testing PUBLIC "${LSMLAB_INCLUDE_ROOTS}/testing")
target_link_libraries(lsmlab_testing PUBLIC lsmlab_test_main PRIVATE lsmlab_models lsmlab_flags)

# The disk that fails on command, for tests of the engine and of code that uses it.
file(GLOB engine_testing_sources CONFIGURE_DEPENDS testing/engine/*.cc)
list(FILTER engine_testing_sources EXCLUDE REGEX "_test\\.cc$")
add_library(lsmlab_engine_testing STATIC ${engine_testing_sources})
target_include_directories(lsmlab_engine_testing PUBLIC "${LSMLAB_INCLUDE_ROOTS}/testing")
target_link_libraries(lsmlab_engine_testing PUBLIC lsmlab_engine PRIVATE lsmlab_flags)

# Tests of the binary only run it.
add_library(lsmlab_cli INTERFACE)
target_link_libraries(lsmlab_cli INTERFACE nlohmann_json::nlohmann_json fmt::fmt Boost::headers)

set(LSMLAB_ROOMS_BELOW_traces lsmlab_models)
set(LSMLAB_ROOMS_BELOW_sim lsmlab_traces lsmlab_models)
set(LSMLAB_ROOMS_BELOW_engine lsmlab_traces lsmlab_models)
set(LSMLAB_ROOMS_BELOW_validate lsmlab_sim lsmlab_engine lsmlab_traces lsmlab_models)
# Tests of the test helpers, and of the agreement between two rooms.
set(LSMLAB_FURTHER_TESTS_OF_models testing/oracles/*_test.cc)
set(LSMLAB_FURTHER_TESTS_OF_engine testing/engine/*_test.cc)
set(LSMLAB_FURTHER_TESTS_OF_validate testing/agreement/*_test.cc)

function(lsmlab_tests room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${room}/*_test.cc)
  if(LSMLAB_FURTHER_TESTS_OF_${room})
    file(GLOB further CONFIGURE_DEPENDS ${LSMLAB_FURTHER_TESTS_OF_${room}})
    list(APPEND sources ${further})
  endif()
  add_executable(${room}_tests ${sources})
  # Tests see all of their own room and of those below.
  target_link_libraries(${room}_tests PRIVATE lsmlab_${room} ${LSMLAB_ROOMS_BELOW_${room}} lsmlab_testing lsmlab_flags)
  target_precompile_headers(${room}_tests PRIVATE ${LSMLAB_PRECOMPILED} "${CMAKE_SOURCE_DIR}/testing/catch.h")
  # Optimised for build time. Each file has a namespace of its own (X_test), because helpers in many files have the same
  # short names, and many files are compiled as one.
  target_compile_options(${room}_tests PRIVATE -Og)
  target_compile_definitions(${room}_tests PRIVATE LSMLAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(room STREQUAL "engine" OR room STREQUAL "validate")
    target_link_libraries(${room}_tests PRIVATE lsmlab_engine_testing)
    foreach(foreign rocksdb leveldb)
      if(TARGET ${foreign})
        target_link_libraries(${room}_tests PRIVATE ${foreign})
      endif()
    endforeach()
  endif()
  # Only tests that run the binary wait for it.
  if(room STREQUAL "cli" OR room STREQUAL "validate")
    target_compile_definitions(${room}_tests PRIVATE LSMLAB_BINARY="$<TARGET_FILE:lsmlab>")
    add_dependencies(${room}_tests lsmlab)
  endif()
  # Without this, a test whose name CTest alters (a semicolon splits it) would pass without running.
  catch_discover_tests(${room}_tests TEST_PREFIX "${room}: " EXTRA_ARGS --warn NoTests PROPERTIES TIMEOUT 600 ${ARGN})
endfunction()

foreach(room models traces sim engine validate)
  lsmlab_tests(${room})
endforeach()
# Started first: they include the longest test, which waits for timed calibrations of the disk.
lsmlab_tests(cli COST 100)

include(cmake/fuzz.cmake)
