// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_process.h"

#include <gtest/gtest.h>

#include "code/python/interpreter_image_test.h"
#include "code/python/known_tables_test.h"

namespace wperf::recording {
namespace {

using python::InterpreterImage;

class Forwarded final : public python::ProcessMemory {
 public:
  explicit Forwarded(ProcessMemory& memory) : memory_(memory) {}
  usize read(std::span<const python::MemoryPiece> pieces) override { return memory_.read(pieces); }

 private:
  ProcessMemory& memory_;
};

struct ImageHost final : PythonHost {
  explicit ImageHost(InterpreterImage& its_image) : image(its_image) {}
  u64 now_ns() override { return 0; }
  std::unique_ptr<python::ProcessMemory> memory_of(u32) override { return std::make_unique<Forwarded>(image); }
  diag::Result<python::PythonRuntime> find_runtime(u32, python::ProcessMemory&) override {
    return python::PythonRuntime{.address = image.runtime, .evaluation = {{1, 2}}, .version = 0, .path = "python"};
  }
  u32 own_number_of(u32, u32) override { return InterpreterImage::kNativeId; }

  InterpreterImage& image;
};

// A thread runs code in a subinterpreter again and again. Each time, its state there is made at the same address.
struct Subinterpreter {
  explicit Subinterpreter(int minor) : image(python::known_layout(minor), python::known_table(minor)), host(image) {
    frame = image.call(image.add_code(U"f"), 0, true);
    inner = image.take(0x2000);
    state = image.take(0x400);
    image.put(image.interpreter + image.layout.interpreter.next, inner);
    leave();
    process = PythonProcess::open(host, 1, made);
  }
  void enter() {
    set_active(image.thread, false);
    image.put(inner + image.layout.interpreter.threads, state);
    image.put(state + image.layout.thread.native_id, u64{InterpreterImage::kNativeId});
    image.put(state + image.layout.thread.frame, frame);
    set_active(state, true);
  }
  void leave() {
    set_active(state, false);
    image.put(state + image.layout.thread.frame, u64{0});
    image.put(state + image.layout.thread.native_id, u64{0});
    image.put(inner + image.layout.interpreter.threads, u64{0});
    set_active(image.thread, true);
  }
  void set_active(u64 of, bool is_active) {
    image.put(of + image.layout.thread.status, is_active ? u32{0x13} : u32{0x3});
  }
  usize states_at(u64 time_ns) {
    PythonProcess::Frames frames;
    EXPECT_EQ(process->copy_frames(InterpreterImage::kNativeId, time_ns, frames), PythonProcess::Copied::yes);
    return frames.ends.size();
  }

  InterpreterImage image;
  ImageHost host;
  symbols::JitDumpWriter made{1};
  std::unique_ptr<PythonProcess> process;
  u64 frame = 0, inner = 0, state = 0;
};

class PythonProcesses : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Versions, PythonProcesses, testing::Values(13, 14, 15));

TEST_P(PythonProcesses, RememberAStateThatComesBack) {
  constexpr u64 kPause = 10'000'000;
  Subinterpreter python(GetParam());
  ASSERT_NE(python.process, nullptr);
  EXPECT_EQ(python.states_at(kPause), 1u);
  python.enter();
  EXPECT_EQ(python.states_at(kPause + 1), 1u) << "not known yet";
  python.process->doubt_states();
  EXPECT_EQ(python.states_at(2 * kPause), 2u);
  python.leave();
  EXPECT_EQ(python.states_at(2 * kPause + 1), 1u);
  python.enter();
  EXPECT_EQ(python.states_at(2 * kPause + 2), 2u) << "without another list";
  python.leave();
  python.process->doubt_states();
  EXPECT_EQ(python.states_at(3 * kPause), 1u) << "listed while the state was not there";
  python.enter();
  EXPECT_EQ(python.states_at(3 * kPause + 1), 2u);
}

}  // namespace
}  // namespace wperf::recording
