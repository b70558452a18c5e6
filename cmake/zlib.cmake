# wperf_zlib: zlib. Linux links Debian's static library, so that no further library is loaded at start; a build on
# Windows links vcpkg's library. The Windows build on Linux compiles the parts that wperf calls from the source in
# build/tools/zlib (scripts/packages.sh fetches it).
if(NOT WIN32 OR MSVC)
  find_path(WPERF_ZLIB_INCLUDE zlib.h REQUIRED)
  find_library(WPERF_ZLIB NAMES libz.a z zlib zs REQUIRED)
  add_library(wperf_zlib INTERFACE)
  target_include_directories(wperf_zlib SYSTEM INTERFACE ${WPERF_ZLIB_INCLUDE})
  target_link_libraries(wperf_zlib INTERFACE ${WPERF_ZLIB})
  return()
endif()
set(WPERF_ZLIB_SOURCE ${CMAKE_SOURCE_DIR}/build/tools/zlib CACHE PATH "the source of zlib")
if(NOT EXISTS ${WPERF_ZLIB_SOURCE}/deflate.c)
  message(FATAL_ERROR "no source of zlib in ${WPERF_ZLIB_SOURCE}; scripts/build fetches it, or set WPERF_ZLIB_SOURCE")
endif()
foreach(name adler32 crc32 deflate inffast inflate inftrees trees zutil)
  list(APPEND zlib_sources ${WPERF_ZLIB_SOURCE}/${name}.c)
endforeach()
add_library(wperf_zlib STATIC ${zlib_sources})
target_include_directories(wperf_zlib SYSTEM PUBLIC ${WPERF_ZLIB_SOURCE})
target_compile_options(wperf_zlib PRIVATE -w)  # we do not fix warnings in its source
