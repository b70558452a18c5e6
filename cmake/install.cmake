# `cmake --install BUILD --prefix PREFIX` on Linux; Windows gets an archive (tools/make_package.py). Each component is a
# package of scripts/package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(WPERF_INSTALL_ZSHDIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "where zsh looks for completions")
set(private lib/wperf)  # independent of LIBDIR, because os::companion_file() looks there

install(TARGETS wperf RUNTIME COMPONENT wperf)
# Installed as a plain file, because --strip would remove the names that the selftest looks for.
install(PROGRAMS $<TARGET_FILE:wperf_selftest_linux> DESTINATION ${private} COMPONENT wperf)
install(FILES docs/man/wperf.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT wperf)
install(FILES completions/wperf.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME wperf
        COMPONENT wperf)
install(FILES completions/_wperf DESTINATION ${WPERF_INSTALL_ZSHDIR} COMPONENT wperf)
install(FILES completions/wperf.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT wperf)
install(DIRECTORY docs/user DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT wperf FILES_MATCHING PATTERN *.md)
install(FILES LICENSE docs/SKILL.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT wperf)

if(TARGET wperf-sim)
  install(TARGETS wperf-sim LIBRARY DESTINATION ${private} COMPONENT wperf-sim)
endif()
if(TARGET wperf_selftest_windows)
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/wperf-selftest.exe ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/wperf-selftest.pdb
          DESTINATION ${private} COMPONENT wperf-sim)
endif()

install(TARGETS libwperf EXPORT wperf
        LIBRARY COMPONENT libwperf NAMELINK_COMPONENT libwperf-dev
        FILE_SET HEADERS COMPONENT libwperf-dev)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/wperf)
install(EXPORT wperf NAMESPACE wperf:: FILE wperfTargets.cmake DESTINATION ${config} COMPONENT libwperf-dev)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/wperfConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES cmake/install/wperfConfig.cmake ${CMAKE_BINARY_DIR}/generated/wperfConfigVersion.cmake DESTINATION ${config}
        COMPONENT libwperf-dev)
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up ${up})
configure_file(cmake/install/libwperf.pc.in ${CMAKE_BINARY_DIR}/generated/libwperf.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/libwperf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libwperf-dev)
