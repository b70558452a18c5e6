# wperf_stable_image(TARGET): removes the link time from a Windows program or DLL, so that two builds are the same.
function(wperf_stable_image target)
  if(MSVC)
    target_link_options(${target} PRIVATE -Brepro)
    return()
  endif()
  find_program(WPERF_PYTHON NAMES python3 REQUIRED)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${WPERF_PYTHON} -B ${CMAKE_SOURCE_DIR}/tools/stable_image.py $<TARGET_FILE:${target}> VERBATIM)
endfunction()
