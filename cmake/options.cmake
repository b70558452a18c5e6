# Every switch of the build, in one place.
option(WPERF_TESTS "build the unit and end-to-end tests" ON)
option(WPERF_FUZZ "build the fuzz targets (clang only)" OFF)
option(WPERF_BENCH "build the benchmarks" OFF)
option(WPERF_UNITY "compile the product's files in bunches: builds that are made whole" OFF)
option(WPERF_SIM "build the simulated machine and its workloads" ON)
option(WPERF_WARNINGS_FAIL "a warning ends the build; for packages, which meet compilers that we have not met, it need not" ON)
set(WPERF_SANITIZE "" CACHE STRING "sanitizers for every target, e.g. address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Only tests run sanitized builds, so they get just enough optimisation to be quick.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
set(without_optimisation -O0)
if(MSVC)
  set(without_optimisation -Od)
endif()
set(CMAKE_CXX_FLAGS_QUICK "${without_optimisation} -DNDEBUG")  # for builds in the tests that are run a few times
set(CMAKE_C_FLAGS_QUICK "${CMAKE_CXX_FLAGS_QUICK}")

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(WPERF_CCACHE ccache)
if(WPERF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness, ccache caches no file that was compiled with a precompiled header. Clones share the cache.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
               CCACHE_NOHASHDIR=1)
  if(MSVC)
    list(APPEND launcher CCACHE_COMPILERTYPE=clang-cl)
  elseif(WIN32)
    list(APPEND launcher CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=string:zig-${CMAKE_CXX_COMPILER_VERSION})
  endif()
  list(APPEND launcher ${WPERF_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Makes GCC free memory less often, which saves a tenth of its time.
  add_compile_options("SHELL:--param ggc-min-expand=200" "SHELL:--param ggc-min-heapsize=400000")
endif()

# Clang's -Wconversion includes sign conversions, GCC's does not: both compilers get GCC's meaning.
set(most_warnings -Wall -Wextra)
if(MSVC)
  # For clang-cl, -Wall means all warnings of clang. The definition prevents warnings about fopen() and getenv().
  set(most_warnings -W4 -utf-8 -D_CRT_SECURE_NO_WARNINGS)
endif()
add_compile_options(${most_warnings} -Wshadow -Wconversion -Wno-sign-conversion)
if(WPERF_WARNINGS_FAIL)
  add_compile_options(-Werror)
endif()
# Clang reports that libstdc++ 12's std::stable_sort uses a deprecated function. GCC reports such uses in the project's
# code.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT WIN32)
  add_compile_options(-Wno-deprecated-declarations)
endif()
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)

# The dynamic loader takes most of a short command's time. So the programs link few libraries, have few relocations, and
# leave out unused code. With the C++ library linked statically, `wperf --version --device sim` takes 0.9 ms instead of
# 1.3.
if(MSVC)
  add_compile_options(-Gw)
  add_link_options(-OPT:REF)
else()
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections)
endif()
if(NOT WIN32)
  add_compile_options(-fno-plt)
  add_link_options(-Wl,--as-needed -Wl,-O1 -Wl,--hash-style=gnu)
  if(NOT WPERF_SANITIZE)
    add_link_options(-static-libstdc++ -static-libgcc)
  endif()
endif()

if(WPERF_SANITIZE)
  add_compile_options(-fsanitize=${WPERF_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WPERF_SANITIZE})
  if(WPERF_SANITIZE MATCHES "address")
    # AddressSanitizer finds the errors that this sanitizer would find. Without it, files compile in four fifths of the
    # time.
    add_compile_options(-fno-sanitize=object-size)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_link_options(-fuse-ld=lld)  # takes a fifth of ld's time, for a hundred programs
  endif()
endif()
if(WPERF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(WPERF_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # Debian's own python3 is searched first, because it has the jsonschema package.
  find_program(WPERF_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(WPERF_PYTHON NAMES python3 REQUIRED)
endif()
