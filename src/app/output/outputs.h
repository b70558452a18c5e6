// SPDX-License-Identifier: BSD-3-Clause
// Where an answer goes: text to the console, JSON to stdout or a file, CSV to files (contract 1.4, 6.3).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_class.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "machine/plan/plan.h"
#include "model/answers/count_profile.h"
#include "model/request/output_options.h"
#include "views/brief/brief.h"

namespace wperf::output {

// The name of a kept recording if the user gives none.
inline constexpr std::string_view kUsualRecording = "perf.data";
// `file` resolved against --cwd.
std::string output_path(const request::Outputs& outputs, const std::string& file);
// A file that an option names; "-" stands for stdout.
struct NamedFile {
  std::string_view option;
  std::optional<std::string> file;  // nullopt: the option was not given
};

// All outputs of a command, and the files that it reads.
struct Files {
  std::vector<NamedFile> outputs;
  std::optional<std::string> kept_recording;  // of --output-perf-data, unless it is an input
  std::vector<std::string> inputs;
  std::vector<std::string_view> documents;  // the options whose documents go to stdout
  std::optional<std::string> folder;        // --cwd
  bool output_is_pattern = false;           // -o of a timeline: see check_timeline_files()
};
// Checked before anything is opened, because inputs are mapped, and before the measurement, so that no result is lost:
// can all named outputs be written, and would none replace an input or another output; is at most one document written
// to stdout?
diag::Result<void> check_files(const Files& files);
// Only: would none replace an input or another output?
diag::Result<void> check_inputs_stay(const Files& files);

diag::Result<void> write_output_file(const std::string& path, std::string_view text);
// The same of a file that an option named: resolved against --cwd, or stdout.
diag::Result<void> write_named_output(const std::string& file, std::string_view text, const request::Outputs& outputs,
                                      diag::Console& console);
// Is JSON wanted? -o asks for it even without --json.
bool wants_json(const request::Outputs& outputs);
// the file name that stands for stdout
inline constexpr std::string_view kConsole = "-";
// The text is not printed, so it need not be made.
bool silent(const request::Outputs& outputs);
// Writes to the -o file if one is given, else to stdout; also to stdout if the file cannot be written and the answer
// would otherwise be lost.
diag::Result<void> deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console);

// --brief: to stdout.
void deliver_brief(const request::Outputs& outputs, const brief::Brief& brief, diag::Console& console);

// Text for the console, and JSON where it is wanted; both are made only if they are.
template <typename MakeText, typename MakeJson>
diag::Result<void> show(const request::Outputs& outputs, diag::Console& console, const MakeText& text,
                        const MakeJson& json) {
  if (!silent(outputs)) console.out(text());
  return wants_json(outputs) ? deliver_json(outputs, json(), console) : diag::Result<void>();
}

// The CSV files of a timeline (contract 6.3): one per event class that is counted.
struct TimelineFile {
  EventClass event_class;
  std::string path;  // final: --cwd joined, placeholders replaced
};

std::vector<TimelineFile> timeline_files(const request::Outputs& outputs, const plan::CountPlan& plan);

// Can all of them be written, and the JSON, too? Checked before the counting.
diag::Result<void> check_timeline_files(const request::Outputs& outputs, const std::vector<TimelineFile>& files);
// Whatever becomes of one file, the others are written.
diag::Result<void> write_timeline_files(const answers::TimelineProfile& timeline,
                                        const std::vector<TimelineFile>& files);

}  // namespace wperf::output
