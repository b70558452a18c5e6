# The whole build of the preset driver-arm64: bin/wperf-driver.sys with its .pdb for Windows on Arm, from the project's
# sources without any other header or library, and tests/nthost, which runs the driver. The second half of this file
# checks which undefined functions driver/core calls; tools/check_driver_image.py checks the finished image.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${NM} --format=posix ${OBJECTS} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+ [A-TV-Za-tv-z] [^\n]*" defined "${symbols}")
  string(REGEX MATCHALL "[^\n]+ U [^\n]*" called "${symbols}")
  list(TRANSFORM defined REPLACE " .*" "")
  list(TRANSFORM called REPLACE " .*" "")
  list(REMOVE_DUPLICATES called)
  # The compiler may call these functions in any code; driver/nt defines them.
  list(REMOVE_ITEM called memcpy memset memmove memcmp __security_cookie __security_check_cookie
       __guard_check_icall_fptr ${defined})
  if(called)
    list(JOIN called "\n  " called)
    message(FATAL_ERROR "driver/core calls what the kernel shell does not have:\n  ${called}")
  endif()
  if(symbols MATCHES "__cxx_global|_GLOBAL__sub_I|\\?\\?__E")
    message(FATAL_ERROR "driver/core has an object that is made at start-up; nobody would run its constructor in the kernel")
  endif()
  return()
endif()

include(version)
foreach(tool nm-19 rc-19 dlltool-19)
  string(REGEX REPLACE "-.*" "" name ${tool})
  string(TOUPPER WPERF_LLVM_${name} variable)
  find_program(${variable} NAMES llvm-${tool} REQUIRED)
endforeach()
find_program(WPERF_LLD_LINK NAMES lld-link-19 REQUIRED)
find_program(WPERF_PYTHON NAMES python3 REQUIRED)
find_program(WPERF_CCACHE NAMES ccache)
if(WPERF_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WPERF_CCACHE})
endif()

# driver_objects(NAME sources…)
function(driver_objects name)
  list(FILTER ARGN EXCLUDE REGEX "_test\\.cpp$")
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE wperf_version)
  target_compile_definitions(${name} PRIVATE WPERF_VERSION_MAJOR=${PROJECT_VERSION_MAJOR}
    WPERF_VERSION_MINOR=${PROJECT_VERSION_MINOR} WPERF_VERSION_PATCH=${PROJECT_VERSION_PATCH})
  # -funwind-tables: without it there is no .pdata and the kernel could not unwind. -mgeneral-regs-only: interrupts and
  # deferred calls must not touch vector registers. The frame limit: all drivers share a kernel stack of 24 KB.
  target_compile_options(${name} PRIVATE
    --target=aarch64-pc-windows-msvc -std=c++20 -g -gcodeview -gno-codeview-command-line -Wall -Wextra -Wshadow -Wconversion -Werror
    -Wframe-larger-than=1024 -nostdinc -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics
    -fms-extensions -funwind-tables -fstack-protector-strong -mgeneral-regs-only -Xclang -cfguard
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -fdebug-compilation-dir=.)
endfunction()

file(GLOB core_sources CONFIGURE_DEPENDS base/*.cpp driver/core/*.cpp)
file(GLOB shell_sources CONFIGURE_DEPENDS driver/arm64/*.cpp driver/nt/*.cpp)
driver_objects(driver_core ${core_sources})
driver_objects(driver_shell ${shell_sources})

add_custom_target(driver_core_symbols ALL
  COMMAND ${CMAKE_COMMAND} -DNM=${WPERF_LLVM_NM} "-DOBJECTS=$<TARGET_OBJECTS:driver_core>" -P ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "checking what driver/core calls" VERBATIM)
add_dependencies(driver_core_symbols driver_core)

foreach(system ntoskrnl hal)
  add_custom_command(OUTPUT ${system}.lib
    COMMAND ${WPERF_LLVM_DLLTOOL} -m arm64 -d ${CMAKE_SOURCE_DIR}/driver/nt/${system}.def -l ${system}.lib
    DEPENDS ${CMAKE_SOURCE_DIR}/driver/nt/${system}.def VERBATIM)
endforeach()

configure_file(driver/nt/version.rc.in generated/version.rc @ONLY)
add_custom_command(OUTPUT version.res
  COMMAND ${WPERF_LLVM_RC} /no-preprocess /fo version.res generated/version.rc
  DEPENDS ${CMAKE_BINARY_DIR}/generated/version.rc VERBATIM)

set(driver_image ${CMAKE_BINARY_DIR}/bin/wperf-driver.sys)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_custom_command(OUTPUT ${driver_image} BYPRODUCTS bin/wperf-driver.pdb
  COMMAND ${CMAKE_COMMAND} -DLINKER=${WPERF_LLD_LINK} -DBINARY_DIR=${CMAKE_BINARY_DIR}
    "-DOBJECTS=$<TARGET_OBJECTS:driver_core>;$<TARGET_OBJECTS:driver_shell>"
    -P ${CMAKE_SOURCE_DIR}/cmake/link_driver.cmake
  COMMAND ${WPERF_PYTHON} -B ${CMAKE_SOURCE_DIR}/tools/check_driver_image.py ${driver_image}
    ${CMAKE_SOURCE_DIR}/driver/nt/ntoskrnl.def ${CMAKE_SOURCE_DIR}/driver/nt/hal.def
  COMMAND ${WPERF_PYTHON} -B ${CMAKE_SOURCE_DIR}/tools/check_driver_image_test.py ${driver_image}
    ${CMAKE_SOURCE_DIR}/driver/nt/ntoskrnl.def ${CMAKE_SOURCE_DIR}/driver/nt/hal.def
  DEPENDS driver_core driver_shell $<TARGET_OBJECTS:driver_core> $<TARGET_OBJECTS:driver_shell> version.res
    ntoskrnl.lib hal.lib ${CMAKE_SOURCE_DIR}/cmake/link_driver.cmake ${CMAKE_SOURCE_DIR}/tools/check_driver_image.py
    ${CMAKE_SOURCE_DIR}/tools/check_driver_image_test.py
  VERBATIM COMMENT "linking and checking wperf-driver.sys")
add_custom_target(wperf_driver ALL DEPENDS ${driver_image})

add_subdirectory(driver/package)
add_subdirectory(tests/nthost)
