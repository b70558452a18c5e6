# Headers that nearly every file includes, parsed once: one set for the product, one with gtest for its tests. Files still
# include everything they use; builds without WPERF_UNITY check that.

# wperf_precompile(TARGET product|test). Targets in C and freestanding targets do not use it.
function(wperf_precompile target set)
  if(TARGET wperf_precompiled_${set} AND NOT target MATCHES "^(wperf_)?(abi|base|driver_)")
    target_precompile_headers(${target} REUSE_FROM wperf_precompiled_${set})
  endif()
endfunction()

# add_precompiled(SET HEADER…) must be called after the target has been made. -fPIE and -fPIC need separate sets.
function(add_precompiled set)
  target_precompile_headers(wperf_precompiled_${set} PRIVATE <algorithm> <array> <map> <memory> <optional> <span> <string>
                            <string_view> <vector> ${ARGN})
endfunction()

# Only with GCC. Clang writes the folder of the clone into such a header, so clones could not share ccache's results.
if(WPERF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # ccache needs the first option. The others turn off false warnings: with a precompiled header, GCC 12 reports faults
  # in the C++ library's strings.
  add_compile_options(-fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled/empty.cpp "int main() { return 0; }\n")
  add_library(wperf_precompiled_product STATIC ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
  add_precompiled(product <functional> <unordered_map> <fmt/format.h>)
  if(WPERF_TESTS)
    add_executable(wperf_precompiled_test ${CMAKE_BINARY_DIR}/precompiled/empty.cpp)
    add_precompiled(test <gtest/gtest.h>)
    target_compile_options(wperf_precompiled_test PRIVATE -O0)
    target_link_libraries(wperf_precompiled_test PRIVATE GTest::gtest)
  endif()
endif()
