# fmt for the Windows cross build: the headers of Debian's libfmt-dev.
include(${CMAKE_CURRENT_LIST_DIR}/header_library.cmake)
header_library(fmt fmt::fmt-header-only)
target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
set(fmt_FOUND TRUE)
