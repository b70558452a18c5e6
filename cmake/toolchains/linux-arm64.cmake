# Cross build for Linux on Arm: Debian's GCC for arm64 and a folder of Debian's arm64 headers and libraries, which
# scripts/build unpacks into build/tools/arm64-sysroot. -DWPERF_SYSROOT=… selects another folder.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(WPERF_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/tools/arm64-sysroot CACHE PATH "headers and libraries of arm64 Linux")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WPERF_SYSROOT)
get_filename_component(CMAKE_SYSROOT ${WPERF_SYSROOT} REALPATH)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
find_program(WPERF_CROSS_CC NAMES aarch64-linux-gnu-gcc-12 aarch64-linux-gnu-gcc REQUIRED)
find_program(WPERF_CROSS_CXX NAMES aarch64-linux-gnu-g++-12 aarch64-linux-gnu-g++ REQUIRED)
set(CMAKE_C_COMPILER ${WPERF_CROSS_CC})
set(CMAKE_CXX_COMPILER ${WPERF_CROSS_CXX})

# Libraries come from that folder, never from the build machine's folders.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
