# wperf_windows_resource(TARGET DESCRIPTION): information about a program for Windows: the version that the Explorer
# shows, and a manifest. The manifest requests no elevation, supports long paths, and makes UTF-8 the code page.
if(CMAKE_SCRIPT_MODE_FILE)
  # Made at build time, because the version of the build is known only then.
  file(STRINGS ${VERSION_HEADER} git REGEX kGitVersion)
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" git "${git}")
  string(REPLACE "." "," commas ${VERSION})
  file(CONFIGURE OUTPUT ${OUTPUT}.manifest @ONLY CONTENT [[
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <trustInfo xmlns="urn:schemas-microsoft-com:asm.v3">
    <security><requestedPrivileges><requestedExecutionLevel level="asInvoker" uiAccess="false"/></requestedPrivileges></security>
  </trustInfo>
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1">
    <application><supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/></application>
  </compatibility>
  <application xmlns="urn:schemas-microsoft-com:asm.v3">
    <windowsSettings>
      <longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true</longPathAware>
      <activeCodePage xmlns="http://schemas.microsoft.com/SMI/2019/WindowsSettings">UTF-8</activeCodePage>
    </windowsSettings>
  </application>
</assembly>
]])
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
1 24 "@OUTPUT@.manifest"
1 VERSIONINFO
FILEVERSION @commas@,0
PRODUCTVERSION @commas@,0
FILEOS 0x40004
FILETYPE 1
{
  BLOCK "StringFileInfo"
  {
    BLOCK "040904b0"
    {
      VALUE "FileDescription", "@DESCRIPTION@"
      VALUE "FileVersion", "@VERSION@ (@git@)"
      VALUE "InternalName", "@NAME@"
      VALUE "LegalCopyright", "BSD-3-Clause"
      VALUE "OriginalFilename", "@NAME@.exe"
      VALUE "ProductName", "wperf"
      VALUE "ProductVersion", "@VERSION@"
    }
  }
  BLOCK "VarFileInfo"
  {
    VALUE "Translation", 0x409, 1200
  }
}
]])
  return()
endif()

set(wperf_resource_script ${CMAKE_CURRENT_LIST_FILE})
function(wperf_windows_resource target description)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "ARM64")
    set(machine ARM64)
  else()
    set(machine X64)
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.rc)
  if(MSVC)
    # Microsoft's linker takes the output of the resource compiler. It would add a second manifest.
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.rc.res)
    set(make_object)
    target_link_options(${target} PRIVATE -MANIFEST:NO)
  else()
    find_program(WPERF_LLVM_CVTRES NAMES llvm-cvtres-19 llvm-cvtres REQUIRED)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_resource.obj)
    set(make_object COMMAND ${WPERF_LLVM_CVTRES} /machine:${machine} /out:${target}_resource.obj ${target}.rc.res)
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${script} -DNAME=${target} -DDESCRIPTION=${description} -DVERSION=${PROJECT_VERSION}
            -DVERSION_HEADER=${CMAKE_BINARY_DIR}/generated/wperf_version.h -P ${wperf_resource_script}
    COMMAND ${CMAKE_RC_COMPILER} /fo ${target}.rc.res ${target}.rc
    ${make_object}
    DEPENDS ${CMAKE_BINARY_DIR}/generated/wperf_version.h ${wperf_resource_script}
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} # both tools treat an absolute path such as /c… as an option
    COMMENT "resources of ${target}" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE ${object})
endfunction()
