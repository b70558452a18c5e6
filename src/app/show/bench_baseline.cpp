// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/bench_baseline.h"

#include <cmath>
#include <utility>

#include "analysis/compare/comparison.h"
#include "app/output/outputs.h"
#include "ground/os/mapped_file.h"
#include "ground/text/json_reader.h"
#include "ground/text/json_writer.h"

namespace wperf::show {
namespace {

constexpr usize kMostRunsRead = 10'000, kMostCountsRead = 10'000;

// A run is an object: a number for each time and event.
compare::RunCosts read_run(text::JsonReader& json, const std::string& program) {
  compare::RunCosts run;
  run.file = program;
  json.for_each_member([&](std::string_view key) {
    std::string name(key);
    const double value = json.number(-1);
    if (!(value >= 0) || !std::isfinite(value) || run.counts.size() == kMostCountsRead) return json.stop();
    if (name == compare::kElapsed) {
      run.seconds = value;
    } else if (name == compare::kCpuTime) {
      run.cpu_seconds = value;
    } else {
      run.counts.push_back({std::move(name), value});
    }
  });
  return run;
}

}  // namespace

diag::Result<void> write_baseline(const std::vector<compare::RunCosts>& runs, const std::string& file,
                                  const request::Outputs& outputs, diag::Console& console) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.begin_object("bench_baseline");
  json.string("program", runs.front().file);
  json.begin_array("runs");
  const auto number = [&](std::string_view name, double value) {
    json.key(name);
    json.shortest(value);
  };
  for (const compare::RunCosts& run : runs) {
    json.begin_object();
    if (run.seconds > 0) number(compare::kElapsed, run.seconds);
    if (run.cpu_seconds > 0) number(compare::kCpuTime, run.cpu_seconds);
    for (const compare::ExactCount& count : run.counts) number(count.event, count.value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  out += '\n';
  return output::write_named_output(file, out, outputs, console);
}

diag::Result<std::vector<compare::RunCosts>> read_baseline(const std::string& path) {
  WPERF_TRY(const os::MappedFile file, os::MappedFile::open(path));
  text::JsonReader json(file.bytes());
  std::string program = path;
  std::vector<compare::RunCosts> runs;
  json.for_each_member([&](std::string_view outer) {
    if (outer != "bench_baseline") return;
    json.for_each_member([&](std::string_view key) {
      if (key == "program") program = json.string();
      if (key != "runs") return;
      json.for_each([&] {
        if (runs.size() == kMostRunsRead) return json.stop();
        runs.push_back(read_run(json, program));
      });
    });
  });
  if (!json.sound() || runs.empty()) {
    return diag::Error{.text = path + " is not a complete file of `bench --save-baseline`",
                       .hint = "create one with wperf bench --save-baseline FILE -- PROGRAM",
                       .code = diag::ExitCode::damaged_input};
  }
  return runs;
}

}  // namespace wperf::show
