// SPDX-License-Identifier: BSD-3-Clause
// An interpreter of Python in a process that is being recorded: its threads, copies of their state, and its functions
// as addresses of a call chain. The address of a function is that of its bytecode.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "code/python/code_objects.h"
#include "code/python/runtime.h"
#include "code/python/snapshot.h"
#include "code/python/stacks.h"
#include "code/symbols/listed/jit_dump_writer.h"

namespace wperf::recording {

class PythonProcess {
 public:
  // Null if the process has no interpreter that wperf can read, for now. `made`: gets the functions; outlives this.
  static std::unique_ptr<PythonProcess> open(u32 pid, symbols::JitDumpWriter& made);
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  u32 minor_version() const { return static_cast<u32>(layout_.minor()); }
  bool evaluates_at(u64 address) const {
    return std::ranges::any_of(runtime_.evaluation,
                               [address](const python::CodeRange& part) { return part.contains(address); });
  }

  enum class Copied : u8 { yes, no_python_thread, unreadable };
  Copied copy_state(u32 tid, u64 now_ns, python::Snapshot& out, std::vector<python::RawFrame>& running);

  // The copied parts of a thread: its Python state, and its stack in C, which came with the sample.
  struct CopiedThread {
    const python::Snapshot& state;
    python::CopiedStack stack;
    std::span<const python::RawFrame> running;  // its frames, read at once: their code may be gone later
  };
  // The frames from this one on, as they were copied.
  const python::RawStack& frames_from(u64 frame, const CopiedThread& thread, usize most = python::kMostFrames);

  struct Function {
    u32 id = 0;
    u64 begin = 0, end = 0;  // its bytecode, in units of two bytes
    // The next instruction is never the first one.
    bool may_have_next(u64 address) const { return address > begin && address <= end && (address - begin) % 2 == 0; }
  };
  // nullopt if it cannot be read.
  std::optional<Function> function_of(const python::RawFrame& frame);
  std::optional<Function> function_at(u64 frame, const CopiedThread& thread);
  // The function is in the call chain of a sample of this time.
  void note_use(const Function& function, u64 time_ns);

 private:
  PythonProcess(u32 pid, python::PythonRuntime runtime, const python::Layout& layout, symbols::JitDumpWriter& made);
  void list_threads(u64 now_ns);

  u32 pid_;
  python::PythonRuntime runtime_;
  python::Layout layout_;
  python::RunningMemory memory_;
  python::CodeObjects code_;
  python::RawStack frames_;
  std::unordered_map<u32, u32> own_numbers_;  // of threads, by the system's number
  std::unordered_map<u32, u64> states_;       // of threads, by their own number
  u64 listed_ns_ = 0;
  std::unordered_map<u64, u32> function_at_;  // the latest in made code, by the begin of its bytecode
  symbols::JitDumpWriter& made_;
};

}  // namespace wperf::recording
