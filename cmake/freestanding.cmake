# The whole build of the preset freestanding-arm64: base and driver/core as the Windows kernel would have them, without
# any header or library but ours. What the objects call and do not define is checked by the second half of this file.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${NM} --format=posix ${OBJECTS} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+ [A-TV-Za-tv-z] [^\n]*" defined "${symbols}")
  string(REGEX MATCHALL "[^\n]+ U [^\n]*" called "${symbols}")
  list(TRANSFORM defined REPLACE " .*" "")
  list(TRANSFORM called REPLACE " .*" "")
  list(REMOVE_DUPLICATES called)
  # The compiler may call these whatever the code says; the driver's shell brings them.
  list(REMOVE_ITEM called memcpy memset memmove memcmp ${defined})
  if(called)
    list(JOIN called "\n  " called)
    message(FATAL_ERROR "driver/core calls what the kernel shell does not have:\n  ${called}")
  endif()
  if(symbols MATCHES "__cxx_global|_GLOBAL__sub_I|\\?\\?__E")
    message(FATAL_ERROR "driver/core has an object that is made at start-up; nobody would run its constructor in the kernel")
  endif()
  return()
endif()

find_program(WPERF_LLVM_NM NAMES llvm-nm-19 llvm-nm REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/base/*.cpp ${CMAKE_SOURCE_DIR}/driver/core/*.cpp)
list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
add_library(driver_core_freestanding OBJECT ${sources})
target_include_directories(driver_core_freestanding PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_options(driver_core_freestanding PRIVATE
  --target=aarch64-pc-windows-msvc -std=c++20 -Wall -Wextra -Wshadow -Wconversion -Werror -Wframe-larger-than=1024
  -nostdinc -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics -fms-extensions
  -funwind-tables -fno-stack-protector -mgeneral-regs-only)
add_custom_target(freestanding_symbols ALL
  COMMAND ${CMAKE_COMMAND} -DNM=${WPERF_LLVM_NM} "-DOBJECTS=$<TARGET_OBJECTS:driver_core_freestanding>"
          -P ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "checking what driver/core calls" VERBATIM)
add_dependencies(freestanding_symbols driver_core_freestanding)
