# fmt for the Windows cross build: only Debian's headers (libfmt-dev). With /usr/include on the path, a Windows build
# would find the headers of Linux' C library.
if(NOT TARGET fmt::fmt-header-only)
  if(NOT EXISTS /usr/include/fmt/format.h)
    message(FATAL_ERROR "/usr/include/fmt is missing; ./scripts/build installs the package that has it")
  endif()
  set(headers ${CMAKE_BINARY_DIR}/toolchain/include)
  file(MAKE_DIRECTORY ${headers})
  file(CREATE_LINK /usr/include/fmt ${headers}/fmt SYMBOLIC)
  add_library(fmt::fmt-header-only INTERFACE IMPORTED GLOBAL)
  target_include_directories(fmt::fmt-header-only SYSTEM INTERFACE ${headers})
  target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
endif()
set(fmt_FOUND TRUE)
