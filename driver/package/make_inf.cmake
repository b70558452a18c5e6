# Writes wperf-driver.inf.
#   cmake -DVERSION=3.8.0 -DOUTPUT=…/wperf-driver.inf [-DARCH=arm64|amd64] [-DDATE=mm/dd/yyyy] -P make_inf.cmake
# The date of DriverVer is the date of the last commit (or SOURCE_DATE_EPOCH), so the same tree makes the same file.
# Windows prefers the driver with the later date. ARCH amd64 is for tests under Wine on x86-64: the driver itself is for
# Arm.
if(NOT ARCH)
  set(ARCH arm64)
endif()
if(NOT DATE AND NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CMAKE_CURRENT_LIST_DIR} log -1 --format=%ct OUTPUT_VARIABLE seconds
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT seconds)
    set(seconds 1767225600)  # no repository: 01/01/2026
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${seconds})
endif()
if(NOT DATE)
  string(TIMESTAMP DATE "%m/%d/%Y" UTC)  # of SOURCE_DATE_EPOCH
endif()
if(NOT VERSION MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$" OR NOT OUTPUT OR NOT ARCH MATCHES "^(arm64|amd64)$")
  message(FATAL_ERROR "make_inf.cmake: wants -DVERSION=x.y.z, -DOUTPUT=file and -DARCH=arm64 or amd64")
endif()
# Windows' own tools write .inf files with CR LF.
configure_file(${CMAKE_CURRENT_LIST_DIR}/wperf-driver.inf.in ${OUTPUT} @ONLY NEWLINE_STYLE CRLF)
