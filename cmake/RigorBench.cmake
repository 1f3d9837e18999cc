find_package(benchmark QUIET)
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
if(NOT benchmark_FOUND)
  message(STATUS "No benchmarks: Google Benchmark was not found (Debian: libbenchmark-dev)")
  return()
endif()
if(NOT bench_sources)
  return()
endif()

add_executable(rigor_bench ${bench_sources})
target_include_directories(rigor_bench PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(rigor_bench PRIVATE RIGOR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(rigor_bench PRIVATE
  rigor_options rigor_peers rigor_lab rigor_io rigor Eigen3::Eigen hwy::hwy TBB::tbb fmt::fmt
  benchmark::benchmark benchmark::benchmark_main)

# Contact problems under every cone solver, and under those of Siconos where it is installed.
add_executable(rigor_contact_profile "${PROJECT_SOURCE_DIR}/bench/profile/contact_profile.cpp")
target_include_directories(rigor_contact_profile PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(rigor_contact_profile PRIVATE rigor_options rigor_lab rigor_io rigor fmt::fmt)
include(RigorSiconos)
rigor_use_siconos(rigor_contact_profile)
