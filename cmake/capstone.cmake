# wperf_capstone: the Capstone library for Windows. A build on Windows links vcpkg's library. A build on Linux compiles
# the library, for ARM64 and x86 only, from its source in build/tools/capstone; without that source the target does not
# exist.
if(MSVC)
  find_path(WPERF_CAPSTONE_INCLUDE capstone/capstone.h REQUIRED)
  find_library(WPERF_CAPSTONE_LIBRARY NAMES capstone REQUIRED)
  add_library(wperf_capstone INTERFACE)
  target_include_directories(wperf_capstone SYSTEM INTERFACE ${WPERF_CAPSTONE_INCLUDE})
  target_link_libraries(wperf_capstone INTERFACE ${WPERF_CAPSTONE_LIBRARY})
  return()
endif()
set(WPERF_CAPSTONE_SOURCE ${CMAKE_SOURCE_DIR}/build/tools/capstone CACHE PATH "the source of Capstone 4")
if(NOT EXISTS ${WPERF_CAPSTONE_SOURCE}/include/capstone/capstone.h)
  message(STATUS "no source of Capstone in ${WPERF_CAPSTONE_SOURCE}: this wperf.exe will not disassemble")
  return()
endif()
file(GLOB capstone_sources ${WPERF_CAPSTONE_SOURCE}/arch/AArch64/*.c ${WPERF_CAPSTONE_SOURCE}/arch/X86/*.c)
foreach(name cs MCInst MCInstrDesc MCRegisterInfo SStream utils)
  list(APPEND capstone_sources ${WPERF_CAPSTONE_SOURCE}/${name}.c)
endforeach()
add_library(wperf_capstone STATIC ${capstone_sources})
target_include_directories(wperf_capstone SYSTEM PUBLIC ${WPERF_CAPSTONE_SOURCE}/include)
target_compile_definitions(wperf_capstone PRIVATE CAPSTONE_HAS_ARM64 CAPSTONE_HAS_X86 CAPSTONE_USE_SYS_DYN_MEM)
target_compile_options(wperf_capstone PRIVATE -w)  # we do not fix warnings in its source
