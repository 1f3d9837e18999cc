# cmake -DBUILD=DIR -DSOURCE=DIR -DWORK=DIR -DCXX=COMPILER -P InstallTest.cmake
# Installs the build tree to a temporary prefix and builds and runs tests/install with what find_package(rigor) finds there.

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
message("${output}")
run("${WORK}/prefix/bin/rigor" --version)
file(REMOVE_RECURSE "${WORK}")
