# Links bin/wperf-driver.sys and its .pdb: a script of its own because all names must be relative to the build folder. What
# the linker is told, it writes into the .pdb, and people get that.
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
