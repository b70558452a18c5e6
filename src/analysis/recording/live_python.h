// SPDX-License-Identifier: BSD-3-Clause
// `record --python`: the functions of Python programs get into the call chains while they are recorded. A sample's
// thread goes on, so the state of its interpreter is copied some microseconds later. The native stack of the sample
// shows what was there: the interpreter's function keeps the current frame and the next instruction in registers or on
// its stack (docs/design/python.md).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/recording/python_places.h"
#include "analysis/recording/python_process.h"
#include "code/unwind/unwinder.h"
#include "formats/perf_data/sample.h"
#include "model/request/sampling_options.h"
#include "model/stacks/python_samples.h"

namespace wperf::recording {

class LivePython {
 public:
  explicit LivePython(request::PythonFrames frames) : keeps_native_(frames == request::PythonFrames::native) {}

  // At once when a sample comes: copies the state of its thread. Returns the number of the copy, which join() takes.
  usize copy_state(const perf_data::Sample& sample);
  // The process has ended, or runs another program from now on.
  void forget(u32 pid) { programs_.erase(pid); }

  // The frames of the native stack of the next sample, the innermost first.
  void begin_stack(u32 pid);
  void see(u64 address, const unwind::Registers& registers);

  struct Stack {
    const perf_data::Sample& sample;
    usize copy = 0;
    std::vector<u64>& chain;
    usize user = 0;         // the index of the first frame of user code in the chain
    bool is_whole = false;  // it ends at the outermost function
    bool was_unwound = false;
    const std::function<u32(u64)>& code_at;  // the number of the mapped file; kNoCode
    const std::function<bool(u32)>& is_start_of_programs;
  };
  // Puts the functions of Python into the chain, if it is certain which ones were there.
  void join(const Stack& stack);

  std::string made_code() const;
  stacks::PythonSamples samples() const;

 private:
  struct Evaluation {  // a frame of the interpreter's function
    usize frame = 0;   // its number in the native stack
    unwind::Registers registers;
    u64 stack_end = 0;  // where its stack frame ends; 0: not known
  };
  struct Program {
    std::shared_ptr<PythonProcess> process;  // null: not of Python, as far as is known
    u64 ask_again_ns = 0, pause_ns = 0;
    PythonPlaces places;
  };
  struct Copy {
    std::shared_ptr<PythonProcess> process;  // null: not of Python
    PythonProcess::Copied copied = PythonProcess::Copied::no_python_thread;
    python::Snapshot state;
    std::vector<python::RawFrame> running;
  };
  struct Anchor {
    u64 frame = 0;
    u64 instruction = 0;  // the next one; 0: the evaluation has no frame of Python
  };
  using Outcome = u64 stacks::PythonSamples::*;  // the count to which the sample belongs

  Program* program_of(u32 pid, u64 now_ns);
  Outcome try_to_join(const Stack& stack, Copy& copy);
  void collect_words();
  PythonProcess::CopiedThread thread_of(const Copy& copy) const { return {copy.state, stack_, copy.running}; }
  bool find_anchor(PythonPlaces& places, const Copy& copy, Anchor& out);
  bool learn_anchor(PythonPlaces& places, const Copy& copy, Anchor& out);
  bool find_empty_evaluation(const PythonPlaces& places, Anchor& out) const;
  std::optional<u64> word_at(u16 place) const;
  bool fits(const Copy& copy, const Anchor& anchor);
  Outcome write_chain(const Stack& stack, const Copy& copy, const Anchor& anchor);
  bool append_function(const Stack& stack, PythonProcess& process, const python::RawFrame& frame, u64 instruction);
  enum class Outside : u8 { nothing, function, everything };  // outside of which functions of Python frames are
  void append_native(const Stack& stack, usize begin, usize end, Outside outside);

  bool keeps_native_;
  std::unordered_map<u32, Program> programs_;
  std::map<u32, symbols::JitDumpWriter> made_;  // functions by process
  std::vector<Copy> copies_;
  std::vector<usize> free_copies_;
  Program* program_ = nullptr;  // of the stack that is seen; null: not of Python
  usize seen_ = 0;
  python::CopiedStack stack_;  // of the sample
  std::vector<Evaluation> evaluations_;
  std::vector<PlacedWord> words_;
  std::vector<u64> joined_;
  u32 interpreters_code_ = 0;
  stacks::PythonSamples samples_;
  u32 versions_ = 0;  // a bit for each minor version
};

}  // namespace wperf::recording
