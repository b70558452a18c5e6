// SPDX-License-Identifier: BSD-3-Clause
// Runs a command from request to answer. Also declares the functions of the individual commands.
#pragma once

#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"

namespace wperf::show {
class KeptRuns;  // compared_runs.h
}

namespace wperf::commands {

using Run = diag::Result<int> (*)(const request::Request& request, diag::Console& console);

// How a command behaves. Its texts are in app/cli.
struct CommandRow {
  request::Command command;
  Run run;                     // returns the exit status of a successful command
  bool needs_device = true;    // false: a device is needed only if the command does not read a file
  bool prints_device = false;  // first prints which device was chosen, and why
  bool measures = false;       // see measures()
};
const CommandRow& row_of(request::Command command);
// Does the command measure? Then Ctrl-C ends the measurement and its results until then are shown. Ctrl-C ends all
// other commands immediately.
bool measures(const request::Request& asked);

// Returns the exit status of a successful command.
diag::Result<int> run(const request::Request& asked, diag::Console& console);

// `stat`: one count, or a timeline of counts (-t).
diag::Result<int> run_stat(const request::Request& request, diag::Console& console);
// `sample` and `record`: where events happen, in a program that runs already or is started.
diag::Result<int> run_sample(const request::Request& request, diag::Console& console);
// `topdown`: how a program used its issue slots, and which functions lost slots.
diag::Result<int> run_topdown(const request::Request& request, diag::Console& console);
// `top`: the hot functions now, updated on a terminal, or shown once.
diag::Result<int> run_top(const request::Request& request, diag::Console& console);
// `waits`: why threads did not run, in a program, the machine or a recording.
diag::Result<int> run_waits(const request::Request& asked, diag::Console& console);
// `diff`: what changed between recordings. Comparisons with the same `kept` read each file once.
diag::Result<int> run_diff(const request::Request& asked, diag::Console& console);
diag::Result<int> run_diff(const request::Request& asked, show::KeptRuns* kept, diag::Console& console);
// `bench`: runs and counts two programs in turn, and shows how they differ.
diag::Result<int> run_bench(const request::Request& asked, diag::Console& console);
// `report FILE`: shows a recording.
diag::Result<void> run_report(const request::Request& asked, diag::Console& console);
// `push FILE`: sends a recording to a server that keeps profiles.
diag::Result<void> run_push(const request::Request& asked, diag::Console& console);
// `pgo FILE`: makes a profile for a compiler from recordings.
diag::Result<void> run_pgo(const request::Request& asked, diag::Console& console);
// `list` shows the events and metrics of this machine; `man` explains them.
diag::Result<void> run_list(const request::Request& request, diag::Console& console);
diag::Result<void> run_man(const request::Request& request, diag::Console& console);
// `schema`: the JSON schemas of the documents.
diag::Result<void> run_schema(const request::Request& request, diag::Console& console);
// `machine`: a simulated machine that keeps running, and programs on it.
diag::Result<int> run_live_machine(const request::Request& request, diag::Console& console);
// Facts about the machine and the driver.
diag::Result<void> run_test(const request::Request& request, diag::Console& console);
diag::Result<void> run_detect(const request::Request& request, diag::Console& console);
diag::Result<void> run_version(const request::Request& request, diag::Console& console);

}  // namespace wperf::commands
