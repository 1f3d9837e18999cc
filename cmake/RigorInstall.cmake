# After installation `find_package(rigor)` offers rigor::rigor, rigor::extend for plugins, and rigor::io and rigor::lab where zstd, fmt and pugixml are found.

include(CMakePackageConfigHelpers)
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rigor")

install(TARGETS rigor rigor_extend EXPORT rigorTargets)
install(TARGETS rigor_io rigor_lab EXPORT rigorIoTargets)
if(TARGET rigor_cli)
  install(TARGETS rigor_cli)
endif()
if(TARGET rigor_cli AND TARGET rigor_mpi)
  install(TARGETS rigor_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/rigor")
endif()
if(TARGET rigor_cli AND TARGET rigor_dart)
  install(TARGETS rigor_dart LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/rigor")
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/include")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/scenes")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenes" DESTINATION "${CMAKE_INSTALL_DATADIR}/rigor")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" TYPE DOC)

install(EXPORT rigorTargets NAMESPACE rigor:: DESTINATION "${config_dir}")
install(EXPORT rigorIoTargets NAMESPACE rigor:: DESTINATION "${config_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/rigorConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/rigorConfig.cmake" INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/rigorConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/generated/rigorConfig.cmake" "${PROJECT_BINARY_DIR}/generated/rigorConfigVersion.cmake"
  DESTINATION "${config_dir}")
