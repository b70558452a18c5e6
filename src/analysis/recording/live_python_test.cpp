// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/live_python.h"

#include <gtest/gtest.h>

#include "analysis/recording/python_image_host_test.h"
#include "code/python/known_tables_test.h"

namespace wperf::recording {
namespace {

// Native addresses. Each represents a frame in the code of one file, or in code without a file.
constexpr u64 kEvaluates = ImageHost::kEvaluation + 8, kInterpreter = 0x2008, kStart = 0x3008, kLibrary = 0x4008,
              kAnonymous = 0x5008;

u32 file_of(u64 address) {
  switch (address >> 12) {
    case 1:
    case 2:
      return 1;
    case 3:
      return 2;
    case 4:
      return 3;
    default:
      return perf_data::kNoCode;
  }
}

struct JoinedProgram {
  explicit JoinedProgram(request::PythonFrames frames = request::PythonFrames::folded)
      : image(python::known_layout(14), python::known_table(14)),
        host(new ImageHost(image)),
        python(frames, std::unique_ptr<PythonHost>(host)) {}

  u64 call(std::u32string_view name, bool is_entry = true) {
    const u64 code = image.add_code(name);
    image.call(code, 2, is_entry);
    return code + image.layout.code.instructions + 2;
  }
  // Returns the joined chain. `native`: native frames, innermost first.
  std::vector<u64> join(std::vector<u64> native, bool is_whole = true) {
    constexpr u32 kPid = 5, kTid = InterpreterImage::kNativeId;
    static const std::function<u32(u64)> code_at = file_of;
    static const std::function<bool(u32)> is_start = [](u32 code) { return code == 2; };
    const bool is_new = python.copies().note(kPid);
    if (is_new && !opens_late) python.open_new();
    python.copies().copy({.pid = kPid, .tid = kTid, .time = ++time}, ~u64{0});
    const auto copy = python.copies().take(kTid, time);
    if (is_new && opens_late) python.open_new();
    python.begin_stack(copy.get());
    for (const u64 address : native) python.see(address, {});
    perf_data::Sample sample;
    sample.pid = kPid;
    sample.tid = kTid;
    sample.time = time;
    python.join({sample, *copy, native, 0, is_whole, true, code_at, is_start});
    return native;
  }

  InterpreterImage image;
  ImageHost* host;  // belongs to `python`
  LivePython python;
  bool opens_late = false;  // the interpreter is found after the first copy
  u64 time = 0;
};

TEST(LivePython, PutsFunctionsInThePlaceOfTheInterpreter) {
  JoinedProgram program;
  const u64 main = program.call(U"main"), work = program.call(U"work");
  const std::vector<u64> expected = {kLibrary, work + 1, main + 1};
  EXPECT_EQ(program.join({kLibrary, kEvaluates, kInterpreter, kEvaluates, kInterpreter, kStart}), expected);
  EXPECT_EQ(program.python.samples().joined, 1u);
}

TEST(LivePython, CountsSamplesBeforeTheInterpreterIsFound) {
  JoinedProgram program;
  program.opens_late = true;
  program.call(U"main");
  const std::vector<u64> native = {kEvaluates, kInterpreter, kStart};
  EXPECT_EQ(program.join(native), native);
  EXPECT_EQ(program.join(native).size(), 1u);
  EXPECT_EQ(program.python.samples().early, 1u);
  EXPECT_EQ(program.python.samples().joined, 1u);
  JoinedProgram later;
  later.host->is_loaded = false;
  for (int sample = 0; sample < 3; ++sample) later.join({kLibrary, kStart});
  EXPECT_EQ(later.python.samples().outside, 0u) << "perhaps not of Python";
  later.host->is_loaded = true;
  EXPECT_TRUE(later.python.copies().look_again(5));
  later.python.open_new();
  later.join({kLibrary, kStart});
  EXPECT_EQ(later.python.samples().outside, 4u);
}

TEST(LivePython, CountsSamplesOfThreadsThatAreNotFoundYet) {
  JoinedProgram program;
  program.call(U"main");
  program.image.put(program.image.thread + program.image.layout.thread.native_id, u64{1});
  program.join({kEvaluates, kInterpreter, kStart});
  EXPECT_EQ(program.python.samples().new_thread, 1u);
  EXPECT_EQ(program.python.samples().changed, 0u);
}

TEST(LivePython, LeavesOutTrampolines) {
  JoinedProgram program;
  const u64 main = program.call(U"main"), middle = program.call(U"middle"), work = program.call(U"work");
  const std::vector<u64> native = {kEvaluates, kAnonymous, kInterpreter, kEvaluates, kAnonymous,
                                   kEvaluates, kAnonymous, kInterpreter, kStart};
  const std::vector<u64> expected = {work, middle + 1, main + 1};
  EXPECT_EQ(program.join(native), expected) << "and the start of the program";
  const std::vector<u64> cut(native.begin(), native.begin() + 5);
  EXPECT_EQ(program.join(cut, false), expected) << "its caller is not known";
  JoinedProgram all(request::PythonFrames::native);
  all.call(U"main");
  EXPECT_EQ(all.join({kEvaluates, kAnonymous, kInterpreter, kStart}).size(), 5u);
}

TEST(LivePython, KeepsOtherCodeWithoutAFile) {
  JoinedProgram program;
  const u64 main = program.call(U"main"), called = program.call(U"called");
  const std::vector<u64> thunk = {called, kLibrary, kAnonymous, kLibrary, main + 1};
  EXPECT_EQ(program.join({kEvaluates, kInterpreter, kLibrary, kAnonymous, kLibrary, kEvaluates, kStart}), thunk);
  const std::vector<u64> with_trampolines = {kEvaluates, kAnonymous, kInterpreter, kLibrary,     kAnonymous,
                                             kLibrary,   kEvaluates, kAnonymous,   kInterpreter, kStart};
  EXPECT_EQ(program.join(with_trampolines), thunk);
  const std::vector<u64> compiled = {called, kAnonymous, main + 1};
  EXPECT_EQ(program.join({kEvaluates, kInterpreter, kAnonymous, kInterpreter, kEvaluates, kStart}), compiled)
      << "calls the interpreter through its API";
  const std::vector<u64> of_library = {called, kAnonymous, kLibrary, main + 1};
  EXPECT_EQ(program.join({kEvaluates, kAnonymous, kLibrary, kEvaluates, kStart}), of_library)
      << "is not called by the interpreter";
  const std::vector<u64> innermost = {kAnonymous, called + 1, main + 1};
  EXPECT_EQ(program.join({kAnonymous, kEvaluates, kInterpreter, kEvaluates, kStart}), innermost);
}

TEST(LivePython, JoinsTheInnermostFramesOfADeepRecursion) {
  JoinedProgram program;
  program.image.add_chunk(0x18800);
  program.call(U"main");
  const u64 code = program.image.add_code(U"deep");
  for (int call = 0; call < 1023; ++call) program.image.call(code, 2, call == 0);
  const u64 work = program.call(U"work");
  const std::vector<u64> native = {kEvaluates, kInterpreter, kEvaluates, kInterpreter,
                                   kEvaluates, kInterpreter, kStart};
  const std::vector<u64> chain = program.join(native);
  ASSERT_EQ(chain.size(), 1024u);
  EXPECT_EQ(chain.front(), work);
  EXPECT_EQ(chain.back(), code + program.image.layout.code.instructions + 3) << "not main(), nor its callers";
  EXPECT_EQ(program.python.samples().joined, 1u);
  EXPECT_EQ(program.python.samples().cut, 1u);
  EXPECT_EQ(program.join({kEvaluates, kInterpreter}, false).size(), 1024u);
  EXPECT_TRUE(program.python.was_cut());
  EXPECT_EQ(program.join({kEvaluates, kInterpreter, kStart}).size(), 3u);
  EXPECT_EQ(program.python.samples().other_shape, 1u);
  EXPECT_FALSE(program.python.was_cut());
  EXPECT_EQ(program.python.samples().cut, 2u);
}

}  // namespace
}  // namespace wperf::recording
