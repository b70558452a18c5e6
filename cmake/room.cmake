# Rooms that no fuzz target uses. With sanitizers and without optimisation they compile in two thirds of the time.
# Readers of foreign bytes stay optimised, because they are fuzzed more often.
set(WPERF_ROOMS_WITHOUT_FUZZING "^(app_(bench|bottleneck|capi|commands|doctor|live|measure|output|show)|views_(exports|html)|analysis_topdown|devgen)")
# Rooms without hot code, which decide and print. With -O1 they compile in three quarters of the time, and do not run
# measurably slower.
set(WPERF_ROOMS_THAT_DECIDE "^(app|views_(brief|compat|html|report|top)|machine_(devices|etw|plan|pmu|windowsperf|wperf_driver)|devgen)")

# wperf_room(NAME [LINKS rooms…] [LIBRARIES libs…]): a static library from the .cpp files of this folder, plus NAME_test
# from its *_test.cpp files. main.cpp is left out, because programs are defined by hand. A room without sources is an
# interface.
function(wperf_room name)
  cmake_parse_arguments(ROOM "" "" "LINKS;LIBRARIES;TEST_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
    list(FILTER sources EXCLUDE REGEX "_(linux|sim)\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "_win\\.cpp$")
  endif()
  if(sources)
    add_library(wperf_${name} STATIC ${sources})
    # Compiles several files as one, which takes a third of the time for a full build. Some files stay separate: those
    # that share a name with a neighbour, are in another target too, or include windows.h or the commit's name, which
    # changes with each commit.
    set_target_properties(wperf_${name} PROPERTIES UNITY_BUILD ${WPERF_UNITY} UNITY_BUILD_BATCH_SIZE 12)
    set(apart ${sources})
    list(FILTER apart INCLUDE REGEX
         "_win\\.cpp$|/(api|wperf_api|lines|man_page|process_start|simulated_driver|doctor|tool|opened_machine|run_machine)\\.cpp$")
    set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(WPERF_FUZZ AND name MATCHES "${WPERF_ROOMS_WITHOUT_FUZZING}")
      target_compile_options(wperf_${name} PRIVATE -O0)
    else()
      wperf_precompile(wperf_${name} product)
      if(CMAKE_BUILD_TYPE STREQUAL "Release" AND name MATCHES "${WPERF_ROOMS_THAT_DECIDE}")
        target_compile_options(wperf_${name} PRIVATE -O1)
      endif()
    endif()
    set(scope PUBLIC)
  else()
    add_library(wperf_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  foreach(link ${ROOM_LINKS})
    target_link_libraries(wperf_${name} ${scope} wperf_${link})
  endforeach()
  target_link_libraries(wperf_${name} ${scope} ${ROOM_LIBRARIES})
  if(WPERF_TESTS AND tests)
    add_executable(${name}_test ${tests})
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD ${WPERF_UNITY} UNITY_BUILD_BATCH_SIZE 8)
    target_link_libraries(${name}_test PRIVATE wperf_${name} GTest::gtest_main)
    foreach(link ${ROOM_TEST_LINKS})
      target_link_libraries(${name}_test PRIVATE ${link})
    endforeach()
    # Defined only for tests that use it, so that clones can share ccache's results for the other tests.
    foreach(test ${tests})
      file(STRINGS ${test} uses REGEX WPERF_SOURCE_DIR LIMIT_COUNT 1)
      if(uses)
        target_compile_definitions(${name}_test PRIVATE WPERF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
      endif()
    endforeach()
    # The tested code is optimised. Test files are not, so they compile in half the time.
    target_compile_options(${name}_test PRIVATE -O0)
    # A test's own code needs neither coverage nor lines in a sanitizer's report. Without them it compiles in three
    # quarters of the time.
    if(WPERF_FUZZ)
      target_compile_options(${name}_test PRIVATE -fno-sanitize=fuzzer-no-link -g0)
    endif()
    wperf_precompile(${name}_test test)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()
