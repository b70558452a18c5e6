# nlohmann-json for the Windows cross build: the headers of Debian's nlohmann-json3-dev.
include(${CMAKE_CURRENT_LIST_DIR}/header_library.cmake)
header_library(nlohmann nlohmann_json::nlohmann_json)
set(nlohmann_json_FOUND TRUE)
