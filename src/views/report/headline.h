// SPDX-License-Identifier: BSD-3-Clause
// The lines at the top of every text and page of a recording: the elapsed time, the resources that were used, the hot
// functions, and the recorded program. Contains only recorded or measured facts; unknown facts are left out. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ground/text/json_writer.h"
#include "model/stacks/recording_about.h"
#include "model/stacks/stack_rows.h"

namespace wperf::report {

// The function with the largest part of an event, and its most frequent caller in the samples.
struct HottestFunction {
  // The part of the function in threads with one name.
  struct InCommand {
    u32 name = 0;
    u64 period = 0;
  };
  u32 event = 0, function = 0;
  u32 caller = stacks::kNothing;      // kNothing: there are no stacks, or it has no caller
  u64 period = 0, called_period = 0;  // the period of the function, and the part of it in calls by `caller`
  u64 whole = 0;                      // the period of which it is a share
  u64 samples = 0;                    // samples of all functions, after filtering
  std::vector<InCommand> commands{};  // the largest first
};
// With fewer samples, the shares of functions are unreliable.
inline constexpr u64 kFewestSamples = 30;

// Each member is one line; empty if there is nothing to report.
struct Headline {
  std::string time;    // "ran 1.790 s, used 1.302 s of CPU (0.73 cores); 4 threads sampled"
  std::string waited;  // for a program that mostly waited: the command that shows the reason
  // "Python 3.11: all 254 samples inside the interpreter have Python names", or how to get such names
  std::string python = {};
  // "hottest: sort_range in work, 53.45 %; called by sorty", or that there are too few samples
  std::string hottest = {};
  std::optional<HottestFunction> hot = {};
  bool has_few_samples = false;
};
// `about`: may be null. `relative`: shares refer to the samples that pass the filter. `is_part`: the profile has only
// some of the recording's samples.
Headline headline(const stacks::StackProfile& profile, const stacks::RecordingAbout* about,
                  const stacks::StackFilter& filter, bool relative = false, bool is_part = false);
// Writes "headline": {…}, "about": {…}
void write_headline(text::JsonWriter& json, const stacks::StackProfile& profile, const stacks::RecordingAbout* about,
                    const stacks::StackFilter& filter, bool relative);

// Why a run has no samples, if nothing else explains it. `interval`: "100,000 x ld_spec"; empty if not known.
std::string too_short_text(std::string_view interval = {});

// "Python 3.11: all 254 samples inside the interpreter have Python names; 36 were outside"; empty without such samples.
std::string python_text(const stacks::PythonSamples& python);

// "Python 3.11: 40 of 2,431 samples (1.6 %) show the interpreter's own functions: …"; empty if none does.
std::string python_loss_text(const stacks::PythonSamples& python);
// Writes "python": {…} if there was an interpreter.
void write_python(text::JsonWriter& json, const stacks::PythonSamples& python);

// Does the event count nanoseconds? The same rule as isClock() in painting.js.
bool counts_time(const stacks::StackEvent& event);
// The total weight of an event's samples: "1.257 s of CPU", "40 counted".
std::string weight_text(const stacks::StackProfile& profile, u32 event);

}  // namespace wperf::report
