// SPDX-License-Identifier: BSD-3-Clause
// `record --python`: adds the Python functions to the call chains during the recording. The frames of a sample's thread
// are copied immediately (python_copies.h), and joined with its native stack when that is unwound
// (docs/design/python.md).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/recording/python_copies.h"
#include "analysis/recording/python_places.h"
#include "analysis/recording/python_process.h"
#include "code/unwind/unwinder.h"
#include "formats/perf_data/sample.h"
#include "model/request/sampling_options.h"
#include "model/stacks/python_samples.h"

namespace wperf::recording {

class LivePython {
 public:
  explicit LivePython(request::PythonFrames frames, std::unique_ptr<PythonHost> host = std::make_unique<ThisMachine>())
      : keeps_native_(frames == request::PythonFrames::native), copies_(std::move(host)) {}

  PythonCopies& copies() { return copies_; }
  void open_new();
  // Called if the process ended or started another program at that time.
  void forget(u32 pid, u64 time);

  // Starts the next sample. The frames of its native stack follow, innermost first.
  void begin_stack(const PythonCopy* copy);
  void see(u64 address, const unwind::Registers& registers);

  struct Stack {
    const perf_data::Sample& sample;
    const PythonCopy& copy;
    std::vector<u64>& chain;
    usize user = 0;         // index of the first user frame in the chain
    bool is_whole = false;  // the chain ends at the outermost function
    bool was_unwound = false;
    const std::function<u32(u64)>& code_at;  // gives the number of the mapped file; kNoCode: no file
    const std::function<bool(u32)>& is_start_of_programs;
  };
  // Inserts the Python functions into the chain if it is certain which ones were there. Returns true if it did.
  bool join(const Stack& stack);
  // Does the last joined chain lack its outermost functions because there were too many Python functions?
  bool was_cut() const { return was_cut_; }
  // Counts a sample of this process that has no copy, because the thread continued before the frames were read.
  void miss(u32 pid);

  std::string jit_code() const { return jit_code_of(made_); }
  stacks::PythonSamples samples() const;

 private:
  struct Evaluation {  // a frame of the interpreter's function
    usize frame = 0;   // index in the native stack
    unwind::Registers registers;
    u64 stack_end = 0;  // end of its stack frame; 0: not known
  };
  struct Anchor {
    usize frame = 0;      // index in the copy
    u64 instruction = 0;  // the instruction that was running
  };
  using Outcome = u64 stacks::PythonSamples::*;  // the counter for the sample

  Outcome try_to_join(const Stack& stack);
  Outcome outcome_without_copy(const Stack& stack);
  void collect_words(const perf_data::UserStack& stack);
  std::optional<Anchor> find_anchor(PythonPlaces& places, const PythonCopy& copy);
  std::optional<Anchor> known_anchor(const PythonPlaces& places, const PythonCopy& copy) const;
  std::optional<Anchor> learn_anchor(PythonPlaces& places, const PythonCopy& copy) const;
  std::optional<u64> word_at(u16 place) const;
  bool fits(const Stack& stack, std::span<const PythonProcess::Frame> frames) const;
  Outcome write_chain(const Stack& stack, const Anchor& anchor);
  bool append_function(const Stack& stack, const PythonProcess::Frame& frame, u64 instruction);
  // Which native frames outside of the Python frames are kept.
  enum class Outside : u8 { nothing, function, everything };
  void append_native(const Stack& stack, usize begin, usize end, Outside outside);
  bool is_trampoline(const Stack& stack, usize at) const;

  bool keeps_native_;
  PythonCopies copies_;
  std::map<u32, symbols::JitDumpWriter> made_;    // functions of each process
  std::unordered_map<u32, PythonPlaces> places_;  // by process
  std::unordered_map<u32, u64> unknown_;          // number of samples, by process without a known interpreter
  std::shared_ptr<PythonProcess> process_;        // process of the current stack; null: not a Python process
  usize seen_ = 0;
  u64 stack_begin_ = 0;  // stack pointer of the current sample
  std::vector<Evaluation> evaluations_;
  std::vector<PlacedWord> words_;
  std::vector<PythonProcess::Frame> frames_;  // for a thread with several states
  std::vector<u64> joined_;
  u32 interpreters_code_ = 0;
  bool was_cut_ = false;
  stacks::PythonSamples samples_;
};

}  // namespace wperf::recording
