# Headers that nearly every unit test includes, parsed once for all of them: a tenth of the time of a build that is made
# whole. Files still include what they need themselves; the builds without WPERF_UNITY see to that. The product's own
# files do without: with it, GCC 12 finds faults in the C++ library.
function(wperf_precompile_test target)
  if(WPERF_UNITY AND NOT target MATCHES "^(abi|driver_)")  # C, and freestanding
    target_precompile_headers(${target} REUSE_FROM wperf_precompiled)
  endif()
endfunction()

if(WPERF_TESTS AND WPERF_UNITY)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)  # for ccache
  else()
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled/empty.cpp "int main() { return 0; }\n")
  add_executable(wperf_precompiled ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
  target_compile_options(wperf_precompiled PRIVATE -O0)
  target_precompile_headers(wperf_precompiled PRIVATE <algorithm> <map> <memory> <optional> <span> <string> <vector>
                            <gtest/gtest.h>)
  target_link_libraries(wperf_precompiled PRIVATE GTest::gtest)
endif()
