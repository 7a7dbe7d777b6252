# Tests stand beside the code they test, X_test.cc beside X.cc; one program per room. CTest runs each test case on its
# own, so that a failure is named.
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

# The disk that fails on command; tests of the engine and of what stands on it share it.
file(GLOB engine_testing_sources CONFIGURE_DEPENDS testing/engine/*.cc)
list(FILTER engine_testing_sources EXCLUDE REGEX "_test\\.cc$")
add_library(lsmlab_engine_testing STATIC ${engine_testing_sources})
target_include_directories(lsmlab_engine_testing PUBLIC "${LSMLAB_INCLUDE_ROOTS}/testing")
target_link_libraries(lsmlab_engine_testing PUBLIC lsmlab_engine PRIVATE lsmlab_flags)

# Tests of the binary see it from outside only.
add_library(lsmlab_cli INTERFACE)
target_link_libraries(lsmlab_cli INTERFACE nlohmann_json::nlohmann_json)

set(LSMLAB_ROOMS_BELOW_traces lsmlab_models)
set(LSMLAB_ROOMS_BELOW_sim lsmlab_traces lsmlab_models)
set(LSMLAB_ROOMS_BELOW_engine lsmlab_traces lsmlab_models)
set(LSMLAB_ROOMS_BELOW_validate lsmlab_sim lsmlab_engine lsmlab_traces lsmlab_models)
# Tests of what tests stand on, and of two rooms' agreement.
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
  # Tests see whole rooms: their own and those below.
  target_link_libraries(${room}_tests PRIVATE lsmlab_${room} ${LSMLAB_ROOMS_BELOW_${room}} lsmlab_testing lsmlab_flags)
  target_precompile_headers(${room}_tests PRIVATE "${CMAKE_SOURCE_DIR}/testing/catch.h")
  # File by file, as tests' helpers have the same short names in many files; and quick to build rather than to run.
  set_target_properties(${room}_tests PROPERTIES UNITY_BUILD OFF)
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
  # A name that CTest does not hand on as it is (a semicolon splits it) would otherwise pass unrun.
  catch_discover_tests(${room}_tests TEST_PREFIX "${room}: " EXTRA_ARGS --warn NoTests PROPERTIES TIMEOUT 600 ${ARGN})
endfunction()

foreach(room models traces sim engine validate)
  lsmlab_tests(${room})
endforeach()
# Begun first: the longest test is among them, and waits for the disk's calibrations by the clock.
lsmlab_tests(cli COST 100)

include(cmake/fuzz.cmake)
