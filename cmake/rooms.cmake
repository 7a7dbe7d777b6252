# A room is a library target whose headers can be seen only by targets that depend on it: every room has an include
# root of its own (a directory holding one link, ROOM -> source directory), so an include against the arrows of
# docs/design does not build.

set(LSMLAB_INCLUDE_ROOTS "${CMAKE_BINARY_DIR}/include-roots")

# lsmlab_room(NAME SOURCES ... ROOMS ... LIBRARIES ...): defines target lsmlab_NAME. A room without sources is an
# interface target, so that its place and its arrows are fixed before it has code.
function(lsmlab_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  set(root "${LSMLAB_INCLUDE_ROOTS}/${name}")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${name}" "${root}/${name}" SYMBOLIC)
  list(TRANSFORM ROOM_ROOMS PREPEND lsmlab_)
  if(ROOM_SOURCES)
    list(TRANSFORM ROOM_SOURCES PREPEND "${CMAKE_SOURCE_DIR}/${name}/")
    add_library(lsmlab_${name} STATIC ${ROOM_SOURCES})
    target_include_directories(lsmlab_${name} PUBLIC "${root}")
    target_link_libraries(lsmlab_${name} PUBLIC ${ROOM_ROOMS} ${ROOM_LIBRARIES} PRIVATE lsmlab_flags)
  else()
    add_library(lsmlab_${name} INTERFACE)
    target_include_directories(lsmlab_${name} INTERFACE "${root}")
    target_link_libraries(lsmlab_${name} INTERFACE ${ROOM_ROOMS} ${ROOM_LIBRARIES})
  endif()
endfunction()

# Sets NAME_sources to the library's files of a room's folder: all but tests and benchmarks.
function(lsmlab_room_sources name)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}/${name}" "${CMAKE_SOURCE_DIR}/${name}/*.cc")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|benchmark\\.cc$")
  list(SORT sources)
  # Where files are compiled several as one, an include that one of them misses may come with another before it. In the
  # other order some of these show; all of them do in presets quick and debug, which compile file by file.
  if(LSMLAB_SANITIZE)
    list(REVERSE sources)
  endif()
  set(${name}_sources ${sources} PARENT_SCOPE)
endfunction()

# Writes OUTPUT, a list of the functions `PolicyFamily NAME_family()`, one for each models/policies/NAME.cc: adding a
# policy is adding that file. The order is by name, so that listings are stable.
function(lsmlab_policy_families output)
  set(declarations "")
  set(calls "")
  foreach(source IN LISTS ARGN)
    get_filename_component(stem "${source}" NAME_WE)
    string(APPEND declarations "PolicyFamily ${stem}_family();\n")
    string(APPEND calls "  families.push_back(${stem}_family());\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT [[
#include "models/registry.h"

namespace lsmlab {
@declarations@
std::vector<PolicyFamily> make_policy_families() {
  std::vector<PolicyFamily> families;
@calls@  return families;
}
}  // namespace lsmlab
]])
endfunction()

# Writes OUTPUT, a translation unit that holds every configs/KIND/NAME.json, so that the binary needs no files.
function(lsmlab_embed_configs output)
  set(rows "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    get_filename_component(stem "${source}" NAME_WE)
    get_filename_component(directory "${source}" DIRECTORY)
    get_filename_component(kind "${directory}" NAME)
    string(APPEND rows "    {\"${kind}\", \"${stem}\", R\"lsmlab_json(${text})lsmlab_json\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT [[
#include "validate/embedded_configs.h"

namespace lsmlab {
std::span<const EmbeddedConfig> embedded_configs() {
  static constexpr EmbeddedConfig kConfigs[] = {
@rows@  };
  return kConfigs;
}
}  // namespace lsmlab
]])
endfunction()
