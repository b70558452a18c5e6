// SPDX-License-Identifier: BSD-3-Clause
// A running measurement: its program, waiting with progress until Ctrl-C, and single counts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/measure/measure_options.h"
#include "app/measure/opened_machine.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/readings/counts.h"
#include "model/request/measurement.h"

namespace wperf::measure {

// The program of a measurement. If wperf started it, it is killed after the measurement.
class SpawnedProgram {
 public:
  explicit SpawnedProgram(device::Programs& programs) : programs_(programs) {}
  ~SpawnedProgram() {
    if (pid_ != 0 && started_) programs_.kill(pid_);
  }
  SpawnedProgram(const SpawnedProgram&) = delete;
  SpawnedProgram& operator=(const SpawnedProgram&) = delete;

  diag::Result<void> start(const MeasureOptions& options, u32 core);
  // Uses a program that is already running; it is not killed afterwards.
  diag::Result<void> follow(u32 pid);
  u32 pid() const { return pid_; }  // 0: no program
  bool ended() const { return pid_ != 0 && !programs_.process(pid_).running; }
  u32 exit_code() const { return programs_.process(pid_).exit_code; }

 private:
  device::Programs& programs_;
  u32 pid_ = 0;
  bool started_ = false;
};

// The exit status of a successful run with this program. As with other tools of the system, it is the status of the
// program if the program ended by itself. On devices where scripts of WindowsPerf expect 0, it is 0 (contract 1.2); on
// these devices, prints a warning if the program failed and its output was hidden. Also warns if a signal killed the
// program.
int status_of_program(const request::Measurement& wanted, OpenedMachine& machine, const device::ProcessState& program,
                      diag::Console& console);

// Returns an error if a signal killed the measured program.
diag::Result<void> check_not_killed(const request::Measurement& wanted, const device::ProcessState& program,
                                    const diag::Console& console);

// "was killed by SIGSEGV (signal 11)".
std::string killed_text(u32 signal);

// Waits before measuring, for the time of --record_spawn_delay.
diag::Result<void> let_start_up(const request::Measurement& wanted, OpenedMachine& machine, u32 pid);

enum class WaitEnd { time, interrupted, program_ended };

// The moving sign after "counting ... ". If not `live`, a program prints to the same terminal, so the whole line is
// printed at the end.
class Progress {
 public:
  Progress(diag::Console& console, std::string_view label, bool live);
  void step();
  void done();

 private:
  diag::Console& console_;
  std::string label_;
  bool live_;
  size_t position_ = 0;
};

struct CountOutcome {
  readings::CountCapture capture;
  WaitEnd end = WaitEnd::time;
  std::optional<diag::Error> error;  // the program crashed; the counts before that are valid
  std::vector<std::string> remarks;  // about the session
};

// Counts once: start, wait for `duration_ms` (0 = until Ctrl-C or the end of the program), stop, read.
diag::Result<CountOutcome> count_once(OpenedMachine& machine, const plan::CountPlan& plan, u64 duration_ms,
                                      const SpawnedProgram& program, diag::Console& console);
// The pause between two counts of a timeline.
diag::Result<WaitEnd> pause_between_counts(OpenedMachine& machine, u64 duration_ms, const SpawnedProgram& program,
                                           diag::Console& console);

}  // namespace wperf::measure
