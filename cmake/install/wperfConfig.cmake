# find_package(wperf) → wperf::wperf, the library libwperf.
include(${CMAKE_CURRENT_LIST_DIR}/wperfTargets.cmake)
