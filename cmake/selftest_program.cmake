# bin/wperf-selftest, which `wperf doctor --selftest` measures: for Linux, for Windows with its .pdb, and for the
# simulated machine, which runs the program for Windows on Arm64.
function(wperf_selftest_of_windows source machine)
  find_program(WPERF_SELFTEST_CLANG NAMES clang-19 clang)
  find_program(WPERF_SELFTEST_LLD NAMES lld-link-19 lld-link)
  find_program(WPERF_SELFTEST_DLLTOOL NAMES llvm-dlltool-19 llvm-dlltool)
  if(NOT WPERF_SELFTEST_CLANG OR NOT WPERF_SELFTEST_LLD OR NOT WPERF_SELFTEST_DLLTOOL)
    message(WARNING "wperf-selftest.exe is not built: clang, lld-link and llvm-dlltool are needed")
    return()
  endif()
  set(triple aarch64-pc-windows-msvc)
  set(dlltool arm64)
  if(NOT machine STREQUAL "arm64")
    set(triple x86_64-pc-windows-msvc)
    set(dlltool i386:x86-64)
  endif()
  # All names are relative, and the results are copied at the end, so that no absolute path gets into image or PDB.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/selftest)
  file(MAKE_DIRECTORY ${folder} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  file(CONFIGURE OUTPUT ${folder}/kernel32.def CONTENT "LIBRARY kernel32.dll\nEXPORTS\nGetCommandLineA\n")
  set(out ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  add_custom_command(OUTPUT ${out}/wperf-selftest.exe ${out}/wperf-selftest.pdb
    COMMAND ${WPERF_SELFTEST_DLLTOOL} -m ${dlltool} -d kernel32.def -l kernel32.lib
    COMMAND ${WPERF_SELFTEST_CLANG} --target=${triple} -O2 -g -gcodeview -gno-codeview-command-line -ffreestanding
            -funwind-tables -fno-omit-frame-pointer -fno-stack-protector -Wall -Wextra -Werror
            -fdebug-compilation-dir=. -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -c ${source} -o wperf-selftest.obj
    COMMAND ${WPERF_SELFTEST_LLD} /nologo /nodefaultlib /machine:${machine} /debug /Brepro /pdbaltpath:%_PDB%
            /pdbsourcepath:. /opt:ref /opt:noicf /subsystem:console /entry:start /out:wperf-selftest.exe
            /pdb:wperf-selftest.pdb wperf-selftest.obj kernel32.lib
    COMMAND ${CMAKE_COMMAND} -E copy wperf-selftest.exe wperf-selftest.pdb ${out}
    DEPENDS ${source}
    WORKING_DIRECTORY ${folder}
    COMMENT "wperf-selftest.exe" VERBATIM)
  add_custom_target(wperf_selftest_windows ALL DEPENDS ${out}/wperf-selftest.exe)
endfunction()

function(wperf_selftest_program source)
  if(WIN32 AND CMAKE_SYSTEM_PROCESSOR STREQUAL "ARM64")
    wperf_selftest_of_windows(${source} arm64)
  elseif(WIN32)
    wperf_selftest_of_windows(${source} x64)
  else()
    # The target has a different name than the file, because CMake would treat a dependency on "wperf-selftest.exe" as
    # this target.
    add_executable(wperf_selftest_linux ${source})
    set_target_properties(wperf_selftest_linux PROPERTIES OUTPUT_NAME wperf-selftest)
    target_compile_options(wperf_selftest_linux PRIVATE -O2 -fno-omit-frame-pointer -funwind-tables)
    if(WPERF_SIM)
      wperf_selftest_of_windows(${source} arm64)
    endif()
  endif()
endfunction()
