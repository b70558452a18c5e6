// SPDX-License-Identifier: BSD-3-Clause
// Samples a program or the machine live, and makes profiles of the last looks. A look is one refresh interval of `top`.
// Must be used by one thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/recording/recorded_samples.h"
#include "app/live/waits_reader.h"
#include "app/measure/live_sampling.h"
#include "app/measure/opened_machine.h"
#include "app/measure/warnings_only_console.h"
#include "code/modules/elf_caches.h"
#include "model/request/command_views.h"
#include "model/request/output_options.h"
#include "model/stacks/stack_rows.h"

namespace wperf::live {

struct LiveOptions {
  measure::MeasureOptions measured;
  request::LiveView view;
  recording::ReadOptions read;
  request::Outputs outputs;
};

class LiveSession {
 public:
  LiveSession(LiveOptions options, measure::OpenedMachine machine, diag::Console& console);
  // Starts the program, or finds the running program.
  diag::Result<void> start();

  // `meanwhile`: see LiveSampling.
  diag::Result<measure::LiveLook> next(u64 length_ms, const std::function<void()>& meanwhile);
  usize kept() const { return live_->kept(); }
  diag::Result<std::vector<std::byte>> recording(usize looks, usize newest_left_out) {
    return live_->recording(looks, newest_left_out);
  }
  // The profile that is shown after the newest look.
  struct LookProfile {
    stacks::StackProfile profile;
    std::vector<waits::FunctionWaits> waits;
    std::vector<answers::CountRow> counters;
    stacks::StackFilter filter = {};  // of the session at that look
  };
  diag::Result<LookProfile> look_profile(const measure::LiveLook& newest);
  // The reason why waits are unknown; empty if they are known.
  std::string why_no_waits() const;
  // Lines and instructions of a function, for this many looks.
  struct CodePlace {
    std::string function, module;
    bool is_kernel = false;
    std::string event;
  };
  diag::Result<stacks::FunctionCode> code(const CodePlace& place, usize looks, usize newest_left_out);
  // Only samples that pass this filter count.
  stacks::StackFilter filter() const;
  // A remark about the run; may be empty.
  const std::string& note() const { return plan_.note; }
  // The name of the program or process, or a text for all programs.
  const std::string& of() const { return of_; }
  // The exit status after a successful run.
  int status(const measure::LiveLook& last);
  const LiveOptions& options() const { return options_; }

 private:
  diag::Result<void> plan_waits();
  // Are other programs recorded, too, as in a Windows trace?
  bool records_all() const;

  LiveOptions options_;
  measure::OpenedMachine machine_;
  measure::WarningsOnlyConsole quiet_;
  measure::SpawnedProgram program_;
  measure::SampledProgram sampled_;
  plan::SamplePlan plan_;
  std::unique_ptr<measure::LiveSampling> live_;
  std::vector<std::pair<u32, u32>> children_;    // of the newest look: pairs of parent and child process
  std::unique_ptr<measure::LiveCounts> counts_;  // null: no counting
  std::vector<answers::CountRow> counted_;       // of the newest look
  modules::FunctionFiles functions_;
  recording::OpenedCode opened_;
  LiveWaitNames waits_;
  std::string of_;
};

}  // namespace wperf::live
