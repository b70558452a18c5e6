# Links bin/wperf-driver.sys and its .pdb: a separate script because all names must be relative to the build folder. The
# linker writes its command line into the .pdb, and users get that file.
string(LENGTH "${BINARY_DIR}/" prefix)
foreach(object ${OBJECTS})
  string(SUBSTRING ${object} ${prefix} -1 object)
  list(APPEND relative ${object})
endforeach()
execute_process(
  COMMAND ${LINKER} /nologo /machine:arm64 /subsystem:native,10.00 /driver /entry:driver_entry_with_guard /nodefaultlib
    /dynamicbase /nxcompat /integritycheck /guard:cf /release /debug /opt:ref,icf /Brepro /WX /pdbsourcepath:wperf
    /out:bin/wperf-driver.sys /pdb:bin/wperf-driver.pdb /pdbaltpath:wperf-driver.pdb
    ${relative} version.res ntoskrnl.lib hal.lib
  WORKING_DIRECTORY ${BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
