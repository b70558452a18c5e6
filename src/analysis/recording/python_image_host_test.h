// SPDX-License-Identifier: BSD-3-Clause
// A machine with one process, whose memory is an InterpreterImage. For tests.
#pragma once
#include <memory>

#include "analysis/recording/python_host.h"
#include "code/python/interpreter_image_test.h"

namespace wperf::recording {

using python::InterpreterImage;

class Forwarded final : public python::ProcessMemory {
 public:
  explicit Forwarded(ProcessMemory& memory) : memory_(memory) {}
  usize read(std::span<const python::MemoryPiece> pieces) override { return memory_.read(pieces); }

 private:
  ProcessMemory& memory_;
};

// Its interpreter has the evaluating function at kEvaluation.
struct ImageHost final : PythonHost {
  static constexpr u64 kEvaluation = 0x1000;
  explicit ImageHost(InterpreterImage& its_image) : image(its_image) {}
  static constexpr u32 kParent = 5;
  u64 now_ns() override { return now; }
  std::unique_ptr<python::ProcessMemory> memory_of(u32) override { return std::make_unique<Forwarded>(image); }
  diag::Result<python::PythonRuntime> find_runtime(u32, python::ProcessMemory&) override {
    if (!is_loaded) return diag::Error{.text = "no interpreter", .hint = {}};
    return python::PythonRuntime{
        .address = image.runtime, .evaluation = {{kEvaluation, kEvaluation + 0x100}}, .version = 0, .path = "python"};
  }
  u32 own_number_of(u32, u32 tid) override { return has_many_threads ? tid : InterpreterImage::kNativeId; }
  u32 forked_from(u32 pid) override { return pid == child ? kParent : 0; }

  InterpreterImage& image;
  bool has_many_threads = false;
  bool is_loaded = true;
  u32 child = 0;  // a process with the same memory
  u64 now = 1'000'000'000;
};

}  // namespace wperf::recording
