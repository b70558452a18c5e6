// SPDX-License-Identifier: BSD-3-Clause
// Facts about a recorded or measured run, as text and JSON: how long it took, and who made it, where and when. Pure.
#pragma once
#include <optional>
#include <string>

#include "ground/text/json_writer.h"
#include "model/stacks/recording_about.h"

namespace wperf::report {

// The average number of cores that the program used; nullopt if not known.
std::optional<double> cores_used(const stacks::RecordingAbout& about);
// The command that shows why the recorded program waited.
std::string waits_command(const stacks::RecordingAbout& about);
// "ran 1.790 s, used 1.302 s of CPU (0.73 cores)"; empty if not known.
std::string run_text(const stacks::RecordingAbout& about);
// "by wperf 1.0 on host (Neoverse-N1, 4 cores), 2026-01-31 13:05:59 UTC: `wperf record -- ./program`"; empty if not
// known.
std::string made_text(const stacks::RecordingAbout& about);
// Writes "elapsed_seconds": …, "cpu_seconds": …, "cores_used": …
void write_run(text::JsonWriter& json, const stacks::RecordingAbout& about);
// Writes "about": {…}
void write_about(text::JsonWriter& json, const stacks::RecordingAbout& about);
// "2026-01-31 13:05:59 UTC"
std::string date_text(u64 unix_ns);

}  // namespace wperf::report
