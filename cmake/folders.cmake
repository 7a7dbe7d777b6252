# A folder is a library target; only targets that depend on it can include its headers. Every folder has its own include
# root: a directory with links to the folder's headers, without those of its subfolders. An include that CMakeLists.txt
# does not allow therefore does not build. scripts/check-arrows tries every pair of folders.

set(LSMLAB_INCLUDE_ROOTS "${CMAKE_BINARY_DIR}/include-roots")

# The headers that most files include, compiled once; without them parsing takes half of the build. Only unity builds have
# them: presets quick and debug compile each file with its own includes, and find those that are missing.
if(CMAKE_UNITY_BUILD)
  set(LSMLAB_PRECOMPILED
    <algorithm> <array> <atomic> <bit> <chrono> <cmath> <cstdint> <cstring> <deque> <filesystem> <fstream> <functional>
    <limits> <map> <memory> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map>
    <utility> <variant> <vector>
    <boost/outcome/basic_result.hpp> <boost/outcome/policy/terminate.hpp> <boost/outcome/try.hpp>
    <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
endif()

# Targets whose work is done once a run: what asks, reads, prints and reports. Optimised for build time.
set(LSMLAB_COLD lsmlab lsmlab_traces_stores lsmlab_traces_tools lsmlab_traces_importers lsmlab_validate_results
  lsmlab_validate_catalog lsmlab_validate_runs lsmlab_validate_stores lsmlab_validate_judge lsmlab_validate_report
  lsmlab_validate_cases lsmlab_validate_systems lsmlab_validate_advise lsmlab_validate_report_results
  lsmlab_validate_report_validation)
if(LSMLAB_SANITIZE)
  set(LSMLAB_COLD_OPTION -O0)
else()
  set(LSMLAB_COLD_OPTION $<$<CONFIG:RelWithDebInfo>:-O1>)
endif()

# Defines the targets that compile them, with these libraries: after all options that change code. Code without
# optimisation cannot use what was compiled with it.
function(lsmlab_define_precompiled)
  if(CMAKE_UNITY_BUILD)
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/precompiled.cc" CONTENT "")
    foreach(kind "" _cold)
      add_library(lsmlab_precompiled${kind} STATIC "${CMAKE_BINARY_DIR}/generated/precompiled.cc")
      target_precompile_headers(lsmlab_precompiled${kind} PRIVATE ${LSMLAB_PRECOMPILED})
      target_link_libraries(lsmlab_precompiled${kind} PRIVATE ${ARGN})
    endforeach()
    target_compile_options(lsmlab_precompiled_cold PRIVATE ${LSMLAB_COLD_OPTION})
  endif()
endfunction()

# Sets how a target is compiled: with the precompiled headers, and hot or cold.
function(lsmlab_precompile target)
  set(kind "")
  if(target IN_LIST LSMLAB_COLD)
    set(kind _cold)
    target_compile_options(${target} PRIVATE ${LSMLAB_COLD_OPTION})
  endif()
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${target} REUSE_FROM lsmlab_precompiled${kind})
    if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

# lsmlab_folder(FOLDER SEES ... LIBRARIES ... SOURCES ...): defines target lsmlab_ROOM_NAME for the folder ROOM/NAME,
# from all its sources except tests, benchmarks and those in EXCEPT. It sees the folders in SEES and all that they see.
# SOURCES are additional sources, with their full path. LINKS are folders that it must link but may not include.
function(lsmlab_folder folder)
  cmake_parse_arguments(FOLDER "" "" "SEES;LINKS;LIBRARIES;SOURCES;EXCEPT" ${ARGN})
  lsmlab_target(target ${folder})
  lsmlab_include_root(root ${folder})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cc")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|benchmark\\.cc$")
  foreach(except IN LISTS FOLDER_EXCEPT)
    list(REMOVE_ITEM sources "${CMAKE_SOURCE_DIR}/${folder}/${except}")
  endforeach()
  list(SORT sources)
  # In a unity build, a missing include can go unnoticed because an earlier file has it. The reverse order finds some of
  # these; presets quick and debug, which compile file by file, find all.
  if(LSMLAB_SANITIZE)
    list(REVERSE sources)
  endif()
  list(APPEND sources ${FOLDER_SOURCES})
  set(sees "")
  foreach(seen IN LISTS FOLDER_SEES)
    lsmlab_target(seen_target ${seen})
    list(APPEND sees ${seen_target})
  endforeach()
  set(links "")
  foreach(linked IN LISTS FOLDER_LINKS)
    lsmlab_target(linked_target ${linked})
    list(APPEND links "$<LINK_ONLY:${linked_target}>")
  endforeach()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "${root}")
    target_link_libraries(${target} PUBLIC ${sees} ${FOLDER_LIBRARIES} PRIVATE lsmlab_flags INTERFACE ${links})
    lsmlab_precompile(${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${root}")
    target_link_libraries(${target} INTERFACE ${sees} ${FOLDER_LIBRARIES} ${links})
  endif()
  string(REGEX MATCH "^[^/]+" room "${folder}")
  set_property(GLOBAL APPEND PROPERTY LSMLAB_TARGETS_OF_${room} ${target})
  set_property(GLOBAL APPEND PROPERTY LSMLAB_FOLDERS ${folder})
endfunction()

# lsmlab_room(ROOM): defines lsmlab_ROOM, which sees every folder of the room, for programs and tests.
function(lsmlab_room room)
  get_property(targets GLOBAL PROPERTY LSMLAB_TARGETS_OF_${room})
  add_library(lsmlab_${room} INTERFACE)
  target_link_libraries(lsmlab_${room} INTERFACE ${targets})
endfunction()

function(lsmlab_target result folder)
  string(REPLACE "/" "_" name "${folder}")
  set(${result} "lsmlab_${name}" PARENT_SCOPE)
endfunction()

# Makes the folder's include root anew and sets RESULT to it.
function(lsmlab_include_root result folder)
  string(REPLACE "/" "-" name "${folder}")
  set(root "${LSMLAB_INCLUDE_ROOTS}/${name}")
  file(REMOVE_RECURSE "${root}")
  file(MAKE_DIRECTORY "${root}/${folder}")
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}/${folder}" "${CMAKE_SOURCE_DIR}/${folder}/*.h")
  foreach(header IN LISTS headers)
    file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${folder}/${header}" "${root}/${folder}/${header}" SYMBOLIC)
  endforeach()
  set(${result} "${root}" PARENT_SCOPE)
endfunction()

# lsmlab_collect(OUTPUT HEADER NAMESPACE TYPE SUFFIX FUNCTION FOLDER): writes OUTPUT, which defines `std::vector<TYPE>
# FUNCTION()`. It calls `TYPE NAME_SUFFIX()` for each FOLDER/NAME.cc, so adding such a file adds a row. HEADER
# declares FUNCTION. Rows are sorted by name, so listings are stable.
function(lsmlab_collect output header namespace type suffix function folder)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cc")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(SORT sources)
  set(declarations "")
  set(calls "")
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    string(APPEND declarations "${type} ${stem}_${suffix}();\n")
    string(APPEND calls "  rows.push_back(${stem}_${suffix}());\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT [[
#include "@header@"

namespace @namespace@ {
@declarations@
std::vector<@type@> @function@() {
  std::vector<@type@> rows;
@calls@  return rows;
}
}  // namespace @namespace@
]])
endfunction()

# Writes OUTPUT, a translation unit with every configs/KIND/NAME.json, so the binary needs no files.
function(lsmlab_embed_configs output)
  set(rows "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    get_filename_component(stem "${source}" NAME_WLE)
    get_filename_component(directory "${source}" DIRECTORY)
    get_filename_component(kind "${directory}" NAME)
    string(APPEND rows "    {\"${kind}\", \"${stem}\", R\"lsmlab_json(${text})lsmlab_json\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT [[
#include "validate/catalog/embedded_configs.h"

namespace lsmlab {
std::span<const EmbeddedConfig> embedded_configs() {
  static constexpr EmbeddedConfig kConfigs[] = {
@rows@  };
  return kConfigs;
}
}  // namespace lsmlab
]])
endfunction()
