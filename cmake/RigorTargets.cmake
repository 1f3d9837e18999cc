# Helpers of the top CMakeLists.txt.

# rigor_sources(OUT BASE FOLDER...): all *.cpp below BASE/FOLDER. A folder that does not exist has none. A file that is
# added or removed later is noticed by the next build.
function(rigor_sources out base)
  set(patterns)
  foreach(folder IN LISTS ARGN)
    list(APPEND patterns "${PROJECT_SOURCE_DIR}/${base}/${folder}/*.cpp")
  endforeach()
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${patterns})
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# rigor_library(TARGET NAME SOURCES): a static library, known to users as rigor::NAME.
function(rigor_library target name sources)
  if(NOT sources)
    set(placeholder "${PROJECT_BINARY_DIR}/generated/${target}_empty.cpp")
    file(CONFIGURE OUTPUT "${placeholder}" CONTENT "// ${target} has no sources yet.\n")
    set(sources "${placeholder}")
  endif()
  add_library(${target} STATIC ${sources})
  if(NOT TARGET rigor::${name})
    add_library(rigor::${name} ALIAS ${target})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PRIVATE RIGOR_VERSION="${PROJECT_VERSION}")
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:rigor_options>)
endfunction()

# rigor_precompile(TARGET HEADER...): the standard headers that nearly every source includes anyway, and further ones.
function(rigor_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN}
    <algorithm> <array> <atomic> <cmath> <cstddef> <cstdint> <cstring> <functional> <initializer_list> <limits> <map>
    <memory> <numbers> <numeric> <optional> <span> <sstream> <stdexcept> <string> <string_view> <tuple> <type_traits>
    <unordered_map> <utility> <variant> <vector>)
endfunction()

# rigor_unity(TARGET [SIZE]): compiles the sources in groups of SIZE, of RIGOR_UNITY unless given, each as one file. Most of the time of
# a source goes into headers and into templates that others instantiate as well. A group whose names collide is compiled file by file.
function(rigor_unity target)
  set(size "${RIGOR_UNITY}")
  if(ARGN)
    list(GET ARGN 0 size)
  endif()
  if(NOT size OR NOT RIGOR_PYTHON OR NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
  execute_process(COMMAND "${RIGOR_PYTHON}" "${PROJECT_SOURCE_DIR}/scripts/unity_groups.py" ${size} ${sources}
    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${CMAKE_MATCH_1}")
  endforeach()
  # Without a compiler cache the second launcher is missing; an empty one would be an empty command.
  set(launcher "${PROJECT_SOURCE_DIR}/cmake/unity_compile" ${CMAKE_CXX_COMPILER_LAUNCHER})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP CXX_COMPILER_LAUNCHER "${launcher}")
endfunction()

# rigor_embed_scenes(OUT): the name of a generated source that holds the text of every scenes/*.json.
# Files called *.schema.json describe scenes and are none.
function(rigor_embed_scenes out)
  file(GLOB scenes CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scenes/*.json")
  list(FILTER scenes EXCLUDE REGEX "\\.schema\\.json$")
  list(SORT scenes)
  set(folder "${PROJECT_BINARY_DIR}/generated")
  list(JOIN scenes "\n" lines)
  # Rewritten only when the list changes, and a change of the list runs the command below again.
  file(CONFIGURE OUTPUT "${folder}/scenes.txt" CONTENT "${lines}\n" @ONLY)
  set(script "${PROJECT_SOURCE_DIR}/cmake/EmbedScenes.cmake")
  add_custom_command(
    OUTPUT "${folder}/builtin_scenes.cpp"
    COMMAND "${CMAKE_COMMAND}" "-DLIST=${folder}/scenes.txt" "-DOUTPUT=${folder}/builtin_scenes.cpp" -P "${script}"
    DEPENDS ${scenes} "${folder}/scenes.txt" "${script}"
    COMMENT "Embedding the built-in scenes"
    VERBATIM)
  set(${out} "${folder}/builtin_scenes.cpp" PARENT_SCOPE)
endfunction()

# With RIGOR_FUZZ_LIBRARIES: reduces lists of sources to those that read foreign bytes.
set(RIGOR_READERS "/lcp/contact_file|/io/(collada|csv_column|file_access|gltf|includes|inflate|json_parse|json_reader|mesh_file|obj|png|read_|recording_reader|\
scene_ranges|scene_reader|snapshot_|stl|xml_file)|/models/(armature|build_scene|contact_rules|couple_joints|gltf_|joined_capsules|joint_groups|ledger|link_pairs|load_model|massless|mjcf|mounts|robot_materials|shapes|start_motion|urdf)")
function(rigor_only_readers)
  if(RIGOR_FUZZ_LIBRARIES)
    foreach(sources IN LISTS ARGN)
      list(FILTER ${sources} INCLUDE REGEX "${RIGOR_READERS}")
      set(${sources} "${${sources}}" PARENT_SCOPE)
    endforeach()
  endif()
endfunction()

# The rest of a library then comes compiled. It stands behind the readers on the linker's line, so the linker takes nothing from it that a reader defines.
# Libraries that it needs itself follow it, since the linker reads the line once.
function(rigor_link_compiled target)
  if(NOT RIGOR_FUZZ_LIBRARIES)
    return()
  endif()
  foreach(library IN LISTS ARGN)
    if(NOT EXISTS "${RIGOR_FUZZ_LIBRARIES}/${library}")
      message(FATAL_ERROR "${RIGOR_FUZZ_LIBRARIES}/${library} does not exist; build it first: cmake --build --preset release --target rigor_io")
    endif()
    target_link_libraries(${target} PRIVATE "${RIGOR_FUZZ_LIBRARIES}/${library}")
  endforeach()
endfunction()
