# Every tests/fuzz/NAME.cpp is a libFuzzer program fuzz_NAME; seeds may lie in tests/fuzz/corpus/NAME/.

file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
add_custom_target(rigor_fuzz)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name "${source}" NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" name "${name}")
  add_executable(fuzz_${name} "${source}")
  target_include_directories(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(fuzz_${name} PRIVATE
    rigor_options rigor_io rigor nlohmann_json::nlohmann_json fmt::fmt zstd::libzstd_shared)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(rigor_fuzz fuzz_${name})
endforeach()
