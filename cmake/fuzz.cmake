# Fuzzing: every testing/fuzz/NAME_fuzz.cc is a libFuzzer target. With LSMLAB_FUZZ (Clang) libFuzzer drives
# the program NAME_fuzz. Without it, NAME_fuzz runs the same function over mutations of the target's seeds, and CTest
# runs a few thousand of them.
option(LSMLAB_FUZZ "Build the fuzz targets with libFuzzer (Clang)" OFF)

file(GLOB fuzz_sources CONFIGURE_DEPENDS testing/fuzz/*_fuzz.cc)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(fuzz "${source}" NAME_WE)
  set(room engine)
  if(fuzz MATCHES "^(import|stores|tools|trace)_fuzz$")
    set(room traces)
  endif()
  add_executable(${fuzz} "${source}")
  target_link_libraries(${fuzz} PRIVATE lsmlab_${room} lsmlab_flags)
  target_include_directories(${fuzz} PRIVATE "${LSMLAB_INCLUDE_ROOTS}/testing")
  if(room STREQUAL "engine")
    target_link_libraries(${fuzz} PRIVATE lsmlab_engine_testing)
  endif()
  if(LSMLAB_FUZZ)
    # Build everything with -fsanitize=fuzzer-no-link (LSMLAB_SANITIZE), or libFuzzer sees coverage of this file only.
    target_compile_options(${fuzz} PRIVATE -fsanitize=fuzzer)
    target_link_options(${fuzz} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${fuzz} PRIVATE testing/fuzz/replay_main.cc)
    add_test(NAME "${room}: ${fuzz} on mutated seeds" COMMAND ${fuzz} 5000)
    set_tests_properties("${room}: ${fuzz} on mutated seeds" PROPERTIES TIMEOUT 600)
  endif()
endforeach()
