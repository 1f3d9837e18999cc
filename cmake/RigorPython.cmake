# Whether the Python module can be built. It is a shared library that holds the static ones, so they have to be position-independent;
# with hidden symbols that costs nothing, because calls within the library stay direct.

set(RIGOR_HAVE_PYTHON OFF)
if(RIGOR_BUILD_PYTHON AND NOT RIGOR_SANITIZE AND NOT RIGOR_BUILD_FUZZ)
  # The interpreter of the system: Debian installs pybind11 and numpy for it and for no other.
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Python interpreter that the module is built for")
  find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
  find_package(pybind11 2.10 CONFIG QUIET)
  if(Python3_FOUND AND pybind11_FOUND)
    execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import numpy" RESULT_VARIABLE no_numpy OUTPUT_QUIET ERROR_QUIET)
    if(no_numpy EQUAL 0)
      set(RIGOR_HAVE_PYTHON ON)
    endif()
  endif()
  if(NOT RIGOR_HAVE_PYTHON)
    message(STATUS "No Python module: pybind11 or numpy was not found (Debian: pybind11-dev python3-dev python3-numpy)")
  endif()
endif()

# rigor_python_part(TARGET...): libraries that become a part of the module.
function(rigor_python_part)
  if(RIGOR_HAVE_PYTHON)
    set_target_properties(${ARGN} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
endfunction()
