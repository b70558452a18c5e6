// SPDX-License-Identifier: BSD-3-Clause
// Where an answer is written: text to the console, JSON to stdout or a file, CSV to files (contract 1.4, 6.3).
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

// The default name of a kept recording.
inline constexpr std::string_view kUsualRecording = "perf.data";
// The path of `file`, which is relative to --cwd.
std::string output_path(const request::Outputs& outputs, const std::string& file);
// A file named by an option; "-" stands for stdout.
struct NamedFile {
  std::string_view option;
  std::optional<std::string> file;  // nullopt: the option was not given
};

// All files that a command writes and reads.
struct Files {
  std::vector<NamedFile> outputs;
  std::optional<std::string> kept_recording;  // from --output-perf-data, unless it is an input
  std::vector<std::string> inputs;
  std::vector<std::string_view> documents;  // the options whose documents are written to stdout
  std::optional<std::string> folder;        // --cwd
  bool output_is_pattern = false;           // the -o file of a timeline is a pattern; see check_timeline_files()
};
// Checks that all named outputs can be written, that none would replace an input or another output, and that at most
// one document goes to stdout. Called before anything is opened, because inputs are mapped, and before the measurement,
// so that no result is lost.
diag::Result<void> check_files(const Files& files);
// Only checks that no output would replace an input or another output.
diag::Result<void> check_inputs_stay(const Files& files);

diag::Result<void> write_output_file(const std::string& path, std::string_view text);
// Writes to a file that an option named: relative to --cwd, or stdout.
diag::Result<void> write_named_output(const std::string& file, std::string_view text, const request::Outputs& outputs,
                                      diag::Console& console);
// Is JSON requested? -o requests it even without --json.
bool wants_json(const request::Outputs& outputs);
// a file name that stands for stdout
inline constexpr std::string_view kConsole = "-";
// True if the text is not printed, so that the caller need not make it.
bool silent(const request::Outputs& outputs);
// Writes to the -o file if it is given, or else to stdout. Also writes to stdout if the file cannot be written, so that
// the answer is not lost.
diag::Result<void> deliver_json(const request::Outputs& outputs, std::string_view json, diag::Console& console);

// Writes --brief to stdout.
void deliver_brief(const request::Outputs& outputs, const brief::Brief& brief, diag::Console& console);

// Writes text to the console, and JSON if requested. Makes each of them only if it is written.
template <typename MakeText, typename MakeJson>
diag::Result<void> show(const request::Outputs& outputs, diag::Console& console, const MakeText& text,
                        const MakeJson& json) {
  if (!silent(outputs)) console.out(text());
  return wants_json(outputs) ? deliver_json(outputs, json(), console) : diag::Result<void>();
}

// The CSV files of a timeline (contract 6.3): one for each event class that is counted.
struct TimelineFile {
  EventClass event_class;
  std::string path;  // the final path, with --cwd and without placeholders
};

std::vector<TimelineFile> timeline_files(const request::Outputs& outputs, const plan::CountPlan& plan);

// Can all these files, and the JSON, be written? Checked before counting.
diag::Result<void> check_timeline_files(const request::Outputs& outputs, const std::vector<TimelineFile>& files);
// If one file fails, the others are still written.
diag::Result<void> write_timeline_files(const answers::TimelineProfile& timeline,
                                        const std::vector<TimelineFile>& files);

}  // namespace wperf::output
