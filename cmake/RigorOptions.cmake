# How the project's own code is compiled: rigor_options, linked privately by every target of ours and by nobody else's.

add_library(rigor_options INTERFACE)
target_compile_features(rigor_options INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)

# Results must not depend on whether a compiler finds a fused multiply-add. math-errno changes no result, only whether
# sqrt() must also set errno, which keeps it from being a single instruction.
target_compile_options(rigor_options INTERFACE -ffp-contract=off -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Where a source file is compiled for a machine with fused multiply-add (Highway's targets), GCC 12's straight-line
  # vectoriser emits vfmaddsub in spite of -ffp-contract=off. It also makes scalar vector algebra slower.
  target_compile_options(rigor_options INTERFACE -fno-tree-slp-vectorize)
endif()

target_compile_options(rigor_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wextra-semi)
if(RIGOR_WERROR)
  target_compile_options(rigor_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These follow the data flow after inlining and err on correct code, most of all inside Eigen: shown, but not fatal.
  target_compile_options(rigor_options INTERFACE
    -Wduplicated-cond -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread
    -Wno-error=maybe-uninitialized -Wno-error=restrict -Wno-error=free-nonheap-object)
  if(RIGOR_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(rigor_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(rigor_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# Sanitizers instrument everything that is compiled here, our own and not.
set(sanitize "${RIGOR_SANITIZE}")
if(RIGOR_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "RIGOR_BUILD_FUZZ needs clang: configure with the preset `fuzz`")
  endif()
  set(sanitize "fuzzer-no-link,address,undefined,float-cast-overflow")
endif()
if(sanitize)
  add_compile_options(-fsanitize=${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Highway compiles a kernel once for each instruction set. Results are the same for all of them, and instrumented kernels
  # take minutes each, so sanitizers see one instruction set only: SSE4, since without vector instructions Highway emulates each
  # operation by a loop over an array, whose instrumented code takes more than ten times as long to compile.
  add_compile_definitions(HWY_COMPILE_ONLY_STATIC)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-msse4.2 -mpclmul -maes)
  endif()
  if(RIGOR_SANITIZE MATCHES "address.*undefined" OR RIGOR_FUZZ_LIBRARIES)
    # These four instrument every access to memory and cost a third of the compile time. AddressSanitizer sees null pointers and
    # objects that are too small as well; the fuzzers of the preset `fuzz` are compiled with all checks.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_link_options(-fsanitize=${sanitize})
endif()

# ccache, when there is one. A precompiled header is only reusable when it may differ in time stamps and macros.
find_program(RIGOR_CCACHE ccache)
mark_as_advanced(RIGOR_CCACHE)
if(RIGOR_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};${RIGOR_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(rigor_options INTERFACE -fpch-preprocess)
  else()
    target_compile_options(rigor_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

# For sources in groups (rigor_unity).
find_program(RIGOR_PYTHON python3)
mark_as_advanced(RIGOR_PYTHON)
