# One executable with every test but the fuzzers; each test is an entry of its own in ctest.

find_package(GTest QUIET)
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*.cpp")
list(FILTER test_sources EXCLUDE REGEX "/tests/(fuzz|install|extend)/")
if(NOT TARGET rigor_viewer)
  list(FILTER test_sources EXCLUDE REGEX "/tests/viewer/")
endif()
if(NOT GTest_FOUND)
  message(STATUS "No tests: GoogleTest was not found (Debian: libgtest-dev)")
  return()
endif()
if(NOT test_sources)
  message(STATUS "No tests: tests/ has no sources")
  return()
endif()

# rigor_quick_tests(TARGET LIBRARY...): with sanitizers, compiles the tests without optimization, which takes half the time. The
# libraries come first on the linker's line, so that inline functions which they share with the tests are taken from them, optimized.
function(rigor_quick_tests target)
  if(RIGOR_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
    list(TRANSFORM ARGN PREPEND "$<TARGET_FILE:" OUTPUT_VARIABLE files)
    list(TRANSFORM files APPEND ">")
    list(JOIN files " " files)
    target_link_options(${target} PRIVATE "SHELL:-Wl,--whole-archive ${files} -Wl,--no-whole-archive")
  endif()
endfunction()

add_executable(rigor_tests ${test_sources})
target_include_directories(rigor_tests PRIVATE
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
target_compile_definitions(rigor_tests PRIVATE RIGOR_VERSION="${PROJECT_VERSION}")
# Tests that read the sources or start the program include this header. On the command line of the compiler the folders would make
# every file of every checkout new to a compiler cache.
set(test_paths "#define RIGOR_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\"\n")
if(TARGET rigor_cli)
  string(APPEND test_paths "#define RIGOR_PROGRAM \"$<TARGET_FILE:rigor_cli>\"\n")
endif()
string(APPEND test_paths "#define RIGOR_PLUGIN_DIR \"${PROJECT_BINARY_DIR}/plugins\"\n")
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/generated/test_paths.h" CONTENT "#pragma once\n${test_paths}")
target_include_directories(rigor_tests PRIVATE "${PROJECT_BINARY_DIR}/generated")
target_link_libraries(rigor_tests PRIVATE
  rigor_options rigor_lab rigor_io rigor Eigen3::Eigen hwy::hwy TBB::tbb nlohmann_json::nlohmann_json fmt::fmt
  GTest::gmock GTest::gtest)
target_link_libraries(rigor_tests PRIVATE $<LINK_ONLY:rigor_peers>)  # headers of the engines are no business of tests
if(TARGET rigor_viewer)
  target_link_libraries(rigor_tests PRIVATE rigor_viewer)
endif()
if(TARGET rigor_cli)
  add_dependencies(rigor_tests rigor_cli)
endif()
rigor_precompile(rigor_tests <gtest/gtest.h> <filesystem> <fstream> <random> <regex>)
rigor_unity(rigor_tests ${RIGOR_UNITY_TESTS})
rigor_quick_tests(rigor_tests rigor rigor_io rigor_lab)

# Optional helpers; a test asks `#if RIGOR_HAVE_...`.
find_package(valijson QUIET)
if(TARGET valijson)
  target_link_libraries(rigor_tests PRIVATE valijson)
  target_compile_definitions(rigor_tests PRIVATE RIGOR_HAVE_VALIJSON=1)
endif()

find_package(fcl QUIET)
if(TARGET fcl)
  target_link_libraries(rigor_tests PRIVATE fcl)
  target_compile_definitions(rigor_tests PRIVATE RIGOR_HAVE_FCL=1)
endif()

include(RigorSiconos)
rigor_use_siconos(rigor_tests)

# The tests that ask another engine what it reads in a file.
if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
  target_include_directories(rigor_tests SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
  target_link_libraries(rigor_tests PRIVATE ${MUJOCO_LIBRARY})
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/models/mujoco_oracle_test.cpp"
    "${PROJECT_SOURCE_DIR}/tests/models/mujoco_rules_test.cpp" PROPERTIES
    COMPILE_DEFINITIONS RIGOR_HAVE_MUJOCO_ORACLE=1)
endif()

# urdfdom, the URDF reader of ROS. Tests compare with it; nothing else uses it.
find_path(URDFDOM_INCLUDE_DIR urdf_parser/urdf_parser.h)
find_library(URDFDOM_LIBRARY urdfdom_model)
mark_as_advanced(URDFDOM_INCLUDE_DIR URDFDOM_LIBRARY)
if(URDFDOM_INCLUDE_DIR AND URDFDOM_LIBRARY)
  target_link_libraries(rigor_tests PRIVATE ${URDFDOM_LIBRARY})
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/models/urdfdom_oracle_test.cpp" PROPERTIES
    COMPILE_DEFINITIONS RIGOR_HAVE_URDFDOM=1)
endif()

include(GoogleTest)
gtest_discover_tests(rigor_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${RIGOR_TEST_TIMEOUT}
  ENVIRONMENT OPENBLAS_NUM_THREADS=1)  # Siconos' small matrices are slower on many threads

# Extensions. Registration cannot be undone, so their tests are a program of their own. Plugins: the examples, and libraries that have
# to be refused.
file(GLOB plugin_sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/examples/plugin/*.cpp" "${PROJECT_SOURCE_DIR}/tests/extend/plugins/*.cpp")
set(plugin_targets)
foreach(source IN LISTS plugin_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_library(plugin_${name} MODULE "${source}")
  target_link_libraries(plugin_${name} PRIVATE rigor_options rigor_extend)
  set_target_properties(plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/plugins")
  list(APPEND plugin_targets plugin_${name})
endforeach()
file(GLOB extend_test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/extend/*.cpp")
add_executable(rigor_extend_tests ${extend_test_sources} "${PROJECT_SOURCE_DIR}/tests/main.cpp")
target_include_directories(rigor_extend_tests PRIVATE
  "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_BINARY_DIR}/generated")
target_link_libraries(rigor_extend_tests PRIVATE
  rigor_options rigor_io rigor nlohmann_json::nlohmann_json GTest::gmock GTest::gtest)
add_dependencies(rigor_extend_tests ${plugin_targets})
if(TARGET rigor_cli)
  add_dependencies(rigor_extend_tests rigor_cli)
endif()
add_dependencies(rigor_tests ${plugin_targets})
rigor_precompile(rigor_extend_tests)
rigor_unity(rigor_extend_tests)
rigor_quick_tests(rigor_extend_tests rigor rigor_io)
gtest_discover_tests(rigor_extend_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${RIGOR_TEST_TIMEOUT})

# The first C++ of a page, compiled and run as it stands there. (Semicolons and brackets mean something to CMake's lists, so the
# text is never treated as one.)
function(rigor_add_page_example page target test expression)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${page}")
  file(READ "${PROJECT_SOURCE_DIR}/${page}" text)
  string(FIND "${text}" "```cpp\n" begin)
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" length)
  string(SUBSTRING "${text}" 0 ${length} text)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/generated/${target}.cpp" CONTENT "${text}")
  add_executable(${target} "${PROJECT_BINARY_DIR}/generated/${target}.cpp")
  target_link_libraries(${target} PRIVATE rigor)
  add_dependencies(rigor_tests ${target})
  add_test(NAME ${test} COMMAND ${target})
  set_tests_properties(${test} PROPERTIES PASS_REGULAR_EXPRESSION "${expression}")
endfunction()
rigor_add_page_example(README.md readme_example Readme.Example
  "t = 1.50 s, height 1.9[0-9]* m, energy [0-9.]+ J")
# The box has 4 m to go of 10, the ball 1.5 m at 1 m/s but for the tolerance.
rigor_add_page_example(docs/queries.md queries_example Docs.QueriesExample
  "ray: crate at x = 2.5\ncast: ball after 0.40 of the way\noverlap: 1 bodies\ndistance: [0-9.]+ m\nthe ball lands in 1.50 s\ndown, crates only: nothing\ncrate on ground: 4 points")

# The lift rises by 120 times 15 mm.
rigor_add_page_example(docs/application.md application_example Docs.ApplicationExample
  "crate enters gate\nlift enters gate\n4 contact points\nthe ray hits crate at 2.50 m\nmy load, 42, height 2.25 m")

# √(2 g 1 m) but for the last step, and the wait for sleep.
rigor_add_page_example(docs/events.md events_example Docs.EventsExample
  "contact-begin: ball at 4.[34] m/s\nbody-asleep: ball\nit sleeps")

# F t / m
rigor_add_page_example(docs/batches.md batches_example Docs.BatchesExample
  "after 1 s: 0.50 m/s under 1 N, 50.00 m/s under 100 N")

# 10 m - 9.81 m/s² / 2 (1 s)² - half a step at the last speed, and the drag
rigor_add_page_example(docs/write-a-method.md write_a_method_example Docs.WriteAMethodExample
  "after 1 s: height 5.0[0-9] m")

# The programs of examples/. tests/docs/examples.py runs and draws them, tests/docs/code_blocks.py compares them with the pages that show them.
file(GLOB example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*/main.cpp")
foreach(source IN LISTS example_sources)
  get_filename_component(folder "${source}" DIRECTORY)
  get_filename_component(name "${folder}" NAME)
  add_executable(example_${name} "${source}")
  target_include_directories(example_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(example_${name} PRIVATE -Wno-missing-field-initializers "SHELL:-include ${PROJECT_SOURCE_DIR}/tests/docs/pictured.h")
  target_link_libraries(example_${name} PRIVATE rigor_options rigor_lab)
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
  add_dependencies(rigor_tests example_${name})
endforeach()
find_program(RIGOR_MKDOCS NAMES mkdocs)
find_program(RIGOR_DOXYGEN NAMES doxygen)
mark_as_advanced(RIGOR_MKDOCS RIGOR_DOXYGEN)
if(TARGET rigor_viewer AND TARGET rigor_cli AND NOT RIGOR_SANITIZE AND NOT RIGOR_BUILD_FUZZ)
  foreach(pages teaching reference)
    add_test(NAME Docs.CodeBlocks.${pages} COMMAND /usr/bin/python3 "${PROJECT_SOURCE_DIR}/tests/docs/code_blocks.py"
      "$<TARGET_FILE:rigor_cli>" "${PROJECT_BINARY_DIR}/examples" "${PROJECT_BINARY_DIR}/python" --${pages})
    set_tests_properties(Docs.CodeBlocks.${pages} PROPERTIES TIMEOUT 600)
  endforeach()
  add_test(NAME Docs.Examples COMMAND /usr/bin/python3 "${PROJECT_SOURCE_DIR}/tests/docs/examples.py"
    "$<TARGET_FILE:rigor_cli>" "${PROJECT_BINARY_DIR}/examples" "${PROJECT_BINARY_DIR}/plugins")
  set_tests_properties(Docs.Examples PROPERTIES TIMEOUT 300)
  if(RIGOR_MKDOCS AND RIGOR_DOXYGEN)
    add_test(NAME Docs.Site COMMAND /usr/bin/python3 "${PROJECT_SOURCE_DIR}/scripts/site.py"
      --program "$<TARGET_FILE:rigor_cli>" --out "${PROJECT_BINARY_DIR}/site")
    set_tests_properties(Docs.Site PROPERTIES TIMEOUT 600 PASS_REGULAR_EXPRESSION "no dead link")
  else()
    message(STATUS "The documentation site is not tested: MkDocs or doxygen was not found (Debian: mkdocs mkdocs-material doxygen)")
  endif()
endif()

# The examples' integrator and solver in the conformance tests.
foreach(plugin integrator:heun solver:symmetric_sweeps)
  string(REPLACE ":" ";" plugin "${plugin}")
  list(GET plugin 0 file)
  list(GET plugin 1 name)
  add_test(NAME Plugin.Conformance.${name} COMMAND rigor_tests "--gtest_filter=*${name}*")
  set_tests_properties(Plugin.Conformance.${name} PROPERTIES
    ENVIRONMENT "RIGOR_TEST_PLUGIN=${PROJECT_BINARY_DIR}/plugins/${file}.so"
    FAIL_REGULAR_EXPRESSION "Running 0 tests" TIMEOUT ${RIGOR_TEST_TIMEOUT})
endforeach()

# Somebody else's program on the installed library. Not with sanitizers, which that program would have to link as well.
if(TARGET rigor_cli AND NOT RIGOR_SANITIZE AND NOT RIGOR_BUILD_FUZZ)
  add_test(NAME Install.FindPackage COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}"
    "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DWORK=${PROJECT_BINARY_DIR}/install_test" "-DCXX=${CMAKE_CXX_COMPILER}" "-DTESTS=$<TARGET_FILE:rigor_tests>"
    -P "${PROJECT_SOURCE_DIR}/cmake/InstallTest.cmake")
  # 10 m - 9.81 m/s² / 2 (1 s)², to rounding at any order from two on
  set_tests_properties(Install.FindPackage PROPERTIES PASS_REGULAR_EXPRESSION "height 5.095 m" TIMEOUT 300)
endif()

# The scripts notice new packages.
add_test(NAME Scripts.NewPackages COMMAND "${PROJECT_SOURCE_DIR}/tests/project/new_packages.sh")
# What `./test --ci` makes of the results of sanitizers.
add_test(NAME Scripts.Tiers COMMAND "${PROJECT_SOURCE_DIR}/tests/project/ci_tiers.sh")
set_tests_properties(Scripts.Tiers PROPERTIES TIMEOUT ${RIGOR_TEST_TIMEOUT})

# Groups of sources that sanitizer builds compile as one file.
if(RIGOR_PYTHON)
  add_test(NAME Scripts.Unity COMMAND "${PROJECT_SOURCE_DIR}/tests/project/unity.sh" "${CMAKE_CXX_COMPILER}")
endif()
