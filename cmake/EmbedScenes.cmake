# cmake -DLIST=FILE -DOUTPUT=FILE -P EmbedScenes.cmake
# Writes a C++ source that holds the bytes of every file named in LIST, one path per line. Bytes, not string literals:
# there is no limit on their length, and nothing to escape.

file(STRINGS "${LIST}" paths)
set(arrays "")
set(entries "")
set(count 0)
foreach(path IN LISTS paths)
  if(path STREQUAL "")
    continue()
  endif()
  get_filename_component(name "${path}" NAME)
  string(REGEX REPLACE "\\.json$" "" name "${name}")
  file(READ "${path}" bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  # The closing zero keeps the array of an empty file legal; it is not part of the text.
  string(APPEND arrays "const char text_${count}[] = {\n${bytes}'\\0'};\n")
  string(APPEND entries "    {\"${name}\", {text_${count}, ${length}}},\n")
  math(EXPR count "${count} + 1")
endforeach()

set(source "// Generated from scenes/*.json.\n#include \"io/builtin_scenes.h\"\n\nnamespace rigor {\n")
if(count EQUAL 0)
  string(APPEND source "\nstd::span<const BuiltinScene> builtin_scenes() { return {}; }\n")
else()
  string(APPEND source "namespace {\n${arrays}const BuiltinScene scenes[] = {\n${entries}};\n}  // namespace\n\n"
    "std::span<const BuiltinScene> builtin_scenes() { return scenes; }\n")
endif()
string(APPEND source "\n}  // namespace rigor\n")
file(WRITE "${OUTPUT}" "${source}")
