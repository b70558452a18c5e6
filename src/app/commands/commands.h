// SPDX-License-Identifier: BSD-3-Clause
// One command from request to answer, and every command by itself.
#pragma once

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::commands {

using Run = diag::Result<int> (*)(const request::Request& request, diag::Console& console);

// The behaviour of a command; app/cli has its words.
struct CommandRow {
  request::Command command;
  Run run;                    // returns the exit status of a command that went well
  bool needs_device = true;   // unless it reads a file
  bool tells_device = false;  // prints first which device was chosen, and why
  bool measures = false;      // see measures()
};
const CommandRow& row_of(request::Command command);
// Is something measured? Then Ctrl-C ends the measurement, and its first part is shown. All other commands end at once.
bool measures(const request::Request& asked);

// The exit status of a command that went well.
diag::Result<int> run(const request::Request& asked, diag::Console& console);

// `stat`: one count, or a timeline of counts (-t).
diag::Result<int> run_stat(const request::Request& request, diag::Console& console);
// `sample` and `record`: where events happen, in a running program or in one that is started.
diag::Result<int> run_sample(const request::Request& request, diag::Console& console);
// `topdown`: where a program's slots went, and which functions lost them.
diag::Result<int> run_topdown(const request::Request& request, diag::Console& console);
// `top`: the hot functions right now, on a terminal, or once.
diag::Result<int> run_top(const request::Request& request, diag::Console& console);
// `waits`: why threads did not run, in a program, the machine or a recording.
diag::Result<int> run_waits(const request::Request& asked, diag::Console& console);
// `diff`: the changes between recordings.
diag::Result<int> run_diff(const request::Request& asked, diag::Console& console);
// `bench`: two programs, run and counted in turn, and their differences.
diag::Result<int> run_bench(const request::Request& asked, diag::Console& console);
// `report FILE`: the answers to a recording that was made elsewhere.
diag::Result<void> run_report(const request::Request& asked, diag::Console& console);
// `push FILE`: a recording goes to a server that keeps profiles.
diag::Result<void> run_push(const request::Request& asked, diag::Console& console);
// `pgo FILE`: recordings become a profile for a compiler.
diag::Result<void> run_pgo(const request::Request& asked, diag::Console& console);
// The events and metrics of this machine, and their meanings.
diag::Result<void> run_list(const request::Request& request, diag::Console& console);
diag::Result<void> run_man(const request::Request& request, diag::Console& console);
// `schema`: the shapes of the JSON documents.
diag::Result<void> run_schema(const request::Request& request, diag::Console& console);
// `machine`: a simulated machine that stays on, and programs on it.
diag::Result<int> run_live_machine(const request::Request& request, diag::Console& console);
// The facts about the machine and the driver.
diag::Result<void> run_test(const request::Request& request, diag::Console& console);
diag::Result<void> run_detect(const request::Request& request, diag::Console& console);
diag::Result<void> run_version(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
