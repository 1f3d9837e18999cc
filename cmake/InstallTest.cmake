# cmake -DBUILD=DIR -DSOURCE=DIR -DWORK=DIR -DCXX=COMPILER -DTESTS=PROGRAM -P InstallTest.cmake
# Installs the build tree to a temporary prefix, builds and runs tests/install with what find_package(rigor) finds there, and loads the
# plugins of examples/plugin, one of them into the conformance tests.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/install" -B "${WORK}/build" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/falling")
set(height "${output}")
run("${WORK}/prefix/bin/rigor" --version)

# The example of the page for game developers, as it is shown there.
run("${CMAKE_COMMAND}" -S "${SOURCE}/examples/bounce" -B "${WORK}/bounce" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}")
run("${CMAKE_COMMAND}" --build "${WORK}/bounce")
run("${WORK}/bounce/bounce")

# The plugin of the page on writing a method, by the CMake that stands there.
file(READ "${SOURCE}/docs/write-a-method.md" page)
string(REGEX MATCH "```cmake\n([^`]*)```" block "${page}")
file(WRITE "${WORK}/page/CMakeLists.txt" "${CMAKE_MATCH_1}")
file(COPY "${SOURCE}/examples/plugin/integrator.cpp" DESTINATION "${WORK}/page")
run("${CMAKE_COMMAND}" -S "${WORK}/page" -B "${WORK}/page/build" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}")
run("${CMAKE_COMMAND}" --build "${WORK}/page/build")
run("${WORK}/prefix/bin/rigor" methods heun --plugin "${WORK}/page/build/integrator.so")

# Methods of somebody else's: built against the installed headers, loaded by the installed program.
run("${CMAKE_COMMAND}" -E copy_directory "${SOURCE}/examples/plugin" "${WORK}/plugins")
run("${CMAKE_COMMAND}" -S "${WORK}/plugins" -B "${WORK}/plugins/build" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${CXX}")
run("${CMAKE_COMMAND}" --build "${WORK}/plugins/build")
set(plugins)
foreach(name integrator solver joint shape)
  list(APPEND plugins --plugin "${WORK}/plugins/build/${name}.so")
endforeach()
run("${WORK}/prefix/bin/rigor" methods heun ${plugins})
run("${WORK}/prefix/bin/rigor" run "${WORK}/plugins/slide.json" --quiet --json ${plugins})
if(TESTS)
  run("${CMAKE_COMMAND}" -E env "RIGOR_TEST_PLUGIN=${WORK}/plugins/build/solver.so"
    "${TESTS}" "--gtest_filter=*ontactSolver*symmetric_sweeps*")
  if(NOT output MATCHES "PASSED  . [1-9]")
    message(FATAL_ERROR "the conformance tests do not know the plugin's solver:\n${output}")
  endif()
endif()
file(REMOVE_RECURSE "${WORK}")
message("${height}")
