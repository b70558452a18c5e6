# Cross build of the Windows side on Linux: zig 0.11 (clang 16, libc++ 16, mingw-w64) as compiler and linker.
# scripts/build downloads zig into build/tools; -DWPERF_ZIG=… selects another zig. WPERF_WINDOWS_ARCH selects the
# machine: aarch64 (default) or x86_64.
set(CMAKE_SYSTEM_NAME Windows)
set(WPERF_WINDOWS_ARCH aarch64 CACHE STRING "machine of the Windows build: aarch64 or x86_64")
set(WPERF_ZIG ${CMAKE_CURRENT_LIST_DIR}/../../build/tools/zig-0.11.0/package/zig CACHE FILEPATH "the zig compiler driver")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WPERF_WINDOWS_ARCH WPERF_ZIG)
if(WPERF_WINDOWS_ARCH STREQUAL "aarch64")
  set(CMAKE_SYSTEM_PROCESSOR ARM64)
  set(dlltool_machine arm64)
else()
  set(CMAKE_SYSTEM_PROCESSOR AMD64)
  set(dlltool_machine i386:x86-64)
endif()

# zig's own optimiser mode would add run-time checks and link-time optimisation, which the presets decide. The presets
# also decide about debug information, which zig makes by default. Making it takes a quarter of the time, and no package
# contains it.
set(zig_target -target ${WPERF_WINDOWS_ARCH}-windows-gnu -fno-lto -fno-sanitize=undefined -g0)
# ccache needs a compiler that is a single program.
foreach(language cc c++)
  set(zig_${language} ${CMAKE_BINARY_DIR}/toolchain/zig-${language})
  file(CONFIGURE OUTPUT ${zig_${language}} CONTENT "#!/bin/sh\nexec '${WPERF_ZIG}' ${language} \"$@\"\n")
  file(CHMOD ${zig_${language}} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER ${zig_cc} ${zig_target})
set(CMAKE_CXX_COMPILER ${zig_c++} ${zig_target})
find_program(WPERF_LLVM_AR NAMES llvm-ar-19 llvm-ar REQUIRED)
find_program(WPERF_LLVM_RANLIB NAMES llvm-ranlib-19 llvm-ranlib REQUIRED)
find_program(WPERF_LLVM_DLLTOOL NAMES llvm-dlltool-19 llvm-dlltool REQUIRED)
find_program(WPERF_LLVM_RC NAMES llvm-rc-19 llvm-rc REQUIRED)
set(CMAKE_AR ${WPERF_LLVM_AR} CACHE FILEPATH "")
set(CMAKE_RANLIB ${WPERF_LLVM_RANLIB} CACHE FILEPATH "")
set(CMAKE_RC_COMPILER ${WPERF_LLVM_RC} CACHE FILEPATH "")

# zig 0.11's import library of msvcrt.dll lacks the two functions that libc++'s locales call.
set(locale_library ${CMAKE_BINARY_DIR}/toolchain/liblocale.a)
if(NOT EXISTS ${locale_library})
  file(WRITE ${CMAKE_BINARY_DIR}/toolchain/locale.def "LIBRARY msvcrt.dll\nEXPORTS\n_create_locale\n_free_locale\n")
  execute_process(COMMAND ${WPERF_LLVM_DLLTOOL} -m ${dlltool_machine} -d ${CMAKE_BINARY_DIR}/toolchain/locale.def
                          -l ${locale_library} COMMAND_ERROR_IS_FATAL ANY)
endif()
set(CMAKE_CXX_STANDARD_LIBRARIES ${locale_library})

# Only the headers of libraries are used (windows/Find*.cmake), never libraries from the build machine's folders.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/windows)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
