// SPDX-License-Identifier: BSD-3-Clause
// `record --python`: the functions of Python programs get into the call chains while they are recorded. The frames of a
// sample's thread are copied at once (python_copies.h), and joined with its native stack when that is unwound
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
  void open_new() { copies_.open_new(made_); }
  // The process ended at that time, or ran another program from then on.
  void forget(u32 pid, u64 time);

  // The frames of the native stack of the next sample, the innermost first.
  void begin_stack(const PythonCopy* copy);
  void see(u64 address, const unwind::Registers& registers);

  struct Stack {
    const perf_data::Sample& sample;
    const PythonCopy& copy;
    std::vector<u64>& chain;
    usize user = 0;         // the index of the first frame of user code in the chain
    bool is_whole = false;  // it ends at the outermost function
    bool was_unwound = false;
    const std::function<u32(u64)>& code_at;  // the number of the mapped file; kNoCode
    const std::function<bool(u32)>& is_start_of_programs;
  };
  // Puts the functions of Python into the chain, if it is certain which ones were there. Returns whether it did.
  bool join(const Stack& stack);

  std::string made_code() const { return made_code_of(made_); }
  stacks::PythonSamples samples() const;

 private:
  struct Evaluation {  // a frame of the interpreter's function
    usize frame = 0;   // its number in the native stack
    unwind::Registers registers;
    u64 stack_end = 0;  // where its stack frame ends; 0: not known
  };
  struct Anchor {
    usize frame = 0;      // its number in the copy
    u64 instruction = 0;  // the one that ran
  };
  using Outcome = u64 stacks::PythonSamples::*;  // the count to which the sample belongs

  Outcome try_to_join(const Stack& stack);
  void collect_words(const perf_data::UserStack& stack);
  std::optional<Anchor> find_anchor(PythonPlaces& places, const PythonCopy& copy);
  std::optional<Anchor> known_anchor(const PythonPlaces& places, const PythonCopy& copy) const;
  std::optional<Anchor> learn_anchor(PythonPlaces& places, const PythonCopy& copy) const;
  std::optional<u64> word_at(u16 place) const;
  Outcome write_chain(const Stack& stack, const Anchor& anchor);
  bool append_function(const Stack& stack, const PythonProcess::Frame& frame, u64 instruction);
  enum class Outside : u8 { nothing, function, everything };  // outside of which functions of Python frames are
  void append_native(const Stack& stack, usize begin, usize end, Outside outside);

  bool keeps_native_;
  PythonCopies copies_;
  std::map<u32, symbols::JitDumpWriter> made_;    // functions by process
  std::unordered_map<u32, PythonPlaces> places_;  // by process
  PythonProcess* process_ = nullptr;              // of the stack that is seen; null: not of Python
  usize seen_ = 0;
  u64 stack_begin_ = 0;  // of the sample
  std::vector<Evaluation> evaluations_;
  std::vector<PlacedWord> words_;
  std::vector<PythonProcess::Frame> frames_;  // of a thread with several states
  std::vector<u64> joined_;
  u32 interpreters_code_ = 0;
  stacks::PythonSamples samples_;
};

}  // namespace wperf::recording
