# wperf_fmt: the fmt library of every room that formats. See fmt/fmt.cpp.
find_package(fmt REQUIRED)
get_target_property(fmt_headers fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
add_library(wperf_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt/fmt.cpp)
target_include_directories(wperf_fmt SYSTEM PUBLIC ${fmt_headers})
