# Siconos' numerics: an oracle for contact problems, for tests and benchmarks only. Defines rigor_use_siconos(target), which does nothing where it is missing.
find_path(SICONOS_INCLUDE_DIR fc3d_compute_error.h PATH_SUFFIXES siconos/numerics siconos)
find_path(SICONOS_CONFIG_DIR SiconosConfig.h PATH_SUFFIXES siconos)
find_path(SUITESPARSE_INCLUDE_DIR cs.h PATH_SUFFIXES suitesparse)
find_library(SICONOS_NUMERICS_LIBRARY siconos_numerics)
mark_as_advanced(SICONOS_INCLUDE_DIR SICONOS_CONFIG_DIR SUITESPARSE_INCLUDE_DIR SICONOS_NUMERICS_LIBRARY)

function(rigor_use_siconos target)
  if(SICONOS_INCLUDE_DIR AND SICONOS_CONFIG_DIR AND SUITESPARSE_INCLUDE_DIR AND SICONOS_NUMERICS_LIBRARY)
    target_include_directories(${target} SYSTEM PRIVATE ${SICONOS_INCLUDE_DIR} ${SICONOS_CONFIG_DIR} ${SUITESPARSE_INCLUDE_DIR})
    target_link_libraries(${target} PRIVATE ${SICONOS_NUMERICS_LIBRARY})
    target_compile_definitions(${target} PRIVATE RIGOR_HAVE_SICONOS=1)
  endif()
endfunction()
