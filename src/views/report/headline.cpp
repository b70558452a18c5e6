// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "ground/text/number_text.h"
#include "model/stacks/python_modules.h"
#include "views/report/about_text.h"
#include "views/report/stack_report.h"
#include "views/report/top_report.h"

namespace wperf::report {
namespace {

using stacks::kNothing;
using stacks::RecordingAbout;
using stacks::StackProfile;

constexpr double kNanoseconds = 1e9;

// Finds the caller of a node's function, skipping recursion. Each node is visited once, however deep it is.
class Callers {
 public:
  explicit Callers(const StackProfile& profile) : profile_(profile), known_(profile.nodes.size(), kUnknown) {}

  u32 of(u32 node) {
    const u32 function = profile_.function_of(node);
    u32 caller = kNothing;
    passed_.clear();
    for (u32 at = node; at != kNothing; at = profile_.nodes[at].parent) {
      if (profile_.function_of(at) != function) {
        caller = profile_.function_of(at);
        break;
      }
      if (known_[at] != kUnknown) {
        caller = known_[at];
        break;
      }
      passed_.push_back(at);
    }
    for (const u32 one : passed_) known_[one] = caller;
    return caller;
  }

 private:
  static constexpr u32 kUnknown = kNothing - 1;
  const StackProfile& profile_;
  std::vector<u32> known_;  // by node
  std::vector<u32> passed_;
};

usize greatest(const std::vector<u64>& values) {
  return static_cast<usize>(std::max_element(values.begin(), values.end()) - values.begin());
}

// Scheduler events show where threads stopped, not where they used their time.
bool has_hot_code(const stacks::StackEvent& event) {
  return event.samples != 0 && event.name != stacks::kAllTime && event.things != stacks::kWaits &&
         !event.name.starts_with("sched:") && event.name != "context-switches" && event.name != "dummy";
}

// The number of sampled threads; idle cores do not count.
usize sampled_threads(const StackProfile& profile) {
  std::set<std::pair<u32, u32>> threads;
  std::vector<bool> seen(profile.tasks.size());
  for (const stacks::StackSample& sample : profile.samples) seen[sample.task] = true;
  for (usize i = 0; i < seen.size(); ++i) {
    if (seen[i] && profile.tasks[i].pid != 0) threads.emplace(profile.tasks[i].pid, profile.tasks[i].tid);
  }
  return threads.size();
}

// Does the event count nanoseconds of waits, like "wait (ns)" or kAllTime?
bool counts_waits(const stacks::StackEvent& event) {
  return event.name.ends_with("(ns)");
}

// Is it a profile of all time of the threads? It has no samples, and its waits are shown separately.
bool is_of_all_time(const StackProfile& profile) {
  return std::any_of(profile.events.begin(), profile.events.end(),
                     [](const auto& event) { return event.name == stacks::kAllTime; });
}

std::string time_line(const StackProfile& profile, const RecordingAbout* about) {
  std::string line = about != nullptr ? run_text(*about) : std::string();
  if (line.empty() && profile.elapsed_seconds > 0) {
    line = text::duration(profile.elapsed_seconds) + " from first to last sample";
  }
  const usize threads = about != nullptr ? sampled_threads(profile) : 0;
  if (threads != 0) {
    line += fmt::format("{}{} {}{}", line.empty() ? "" : "; ", text::with_commas(threads),
                        threads == 1 ? "thread" : "threads", is_of_all_time(profile) ? "" : " sampled");
  }
  return line;
}

bool has_waited(const RecordingAbout& about) {
  constexpr u64 kTooShort = 50'000'000;  // a program that is just starting waits for its files
  const auto used = cores_used(about);
  return used.has_value() && *used < 0.5 && about.elapsed_ns >= kTooShort && !about.is_of_machine;
}

std::string waits_line(const RecordingAbout& about) {
  // The time in which the program was ready to run is not recorded. On a busy machine, even a program that never waits
  // may have run only a small part of the time.
  return fmt::format(
      "It was off the CPU most of the time. `{}` shows whether it waited, and for what, or whether other programs had "
      "the cores.",
      waits_command(about));
}

// "only 1 sample: it ran 0.7 ms, too short for a profile; give it more work, …"
u64 samples_of(const StackProfile& profile, u32 event) {
  u64 samples = 0;
  for (const stacks::StackSample& one : profile.samples) samples += one.event == event ? one.count : 0;
  return samples;
}

// `all`: including samples of process 0, if these are also shown.
std::string few_line(u64 samples, u64 all, const RecordingAbout* about, bool is_part) {
  constexpr u64 kShort = 100'000'000;  // CPU time; a program that used more was sampled too rarely
  const std::string line =
      !is_part && all > samples
          ? fmt::format("only {} of {} samples are of programs: ", text::with_commas(samples), text::with_commas(all))
          : fmt::format("only {} {}: ", text::with_commas(samples), samples == 1 ? "sample" : "samples");
  if (is_part) return line + "too few for a profile of this part";
  if (about == nullptr || about->elapsed_ns == 0) return line + "too few for a profile";
  const auto text_of = [](u64 ns) { return text::duration(static_cast<double>(ns) / kNanoseconds); };
  if (has_waited(*about))
    return line + fmt::format("it used {} of CPU, too little for a profile", text_of(about->cpu_ns.value_or(0)));
  if (about->is_of_machine || !about->has_ended || about->program.empty())
    return line + "too few for a profile; record for longer";
  const std::string count = fmt::format("`wperf stat -r 20 -- {}` counts it", about->program);
  if (about->cpu_ns.value_or(about->elapsed_ns) > kShort)
    return line + fmt::format("too few for a profile; sample more often, with --freq 1000 or more; {}", count);
  const bool is_fast = about->command.find("--freq") != std::string::npos;
  return line + fmt::format("it ran {}, too short for a profile; give it more work{}; {}", text_of(about->elapsed_ns),
                            is_fast ? "" : ", or add --freq 20000", count);
}

// " (in 2 commands: a 36.27 %, b 36.27 %)", because the table has a row for each command. Empty if there is only one
// command.
std::string commands_text(const StackProfile& profile, const HottestFunction& hot) {
  constexpr usize kNamed = 3;
  if (hot.commands.size() < 2) return {};
  std::string names;
  for (usize i = 0; i < hot.commands.size() && i < kNamed; ++i) {
    names += fmt::format("{}{} {} %", i == 0 ? "" : ", ", profile.names[hot.commands[i].name],
                         text::fixed(text::percent_of(hot.commands[i].period, hot.whole), 2));
  }
  return fmt::format(" (in {} commands: {}{})", text::with_commas(hot.commands.size()), names,
                     hot.commands.size() > kNamed ? ", ..." : "");
}

std::string hot_line(const StackProfile& profile, const HottestFunction& hot) {
  const stacks::StackFunction& function = profile.functions[hot.function];
  const stacks::StackEvent& event = profile.events[hot.event];
  const std::string by = counts_time(event) ? "" : " by " + event.name;
  const std::string& module = profile.modules[function.module].name;
  // Folded stacks have no modules.
  const std::string in = module.empty() || module == "-" ? std::string() : " in " + module;
  std::string line = fmt::format("hottest{}: {}, {} %", by,
                                 (function.name == "[unknown]" ? "code without a name" : function.name) + in,
                                 text::fixed(text::percent_of(hot.period, hot.whole), 2));
  line += commands_text(profile, hot);
  if (hot.caller != kNothing) {
    line += fmt::format("; called by {}", profile.functions[hot.caller].name);
    const double share = text::percent_of(hot.called_period, hot.period);
    if (share < 99.5) line += fmt::format(" ({} % of that)", text::fixed(share, 0));
  }
  return line;
}

// The percentage of samples in Python's interpreter. Recognises only interpreters of the system on which the profile
// was made.
double share_in_interpreter(const StackProfile& profile) {
  const bool is_of_windows = profile.trace.has_value();
  u64 inside = 0, all = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    const u32 function = profile.function_of(sample.node);
    if (function == kNothing) continue;
    all += 1;
    const u32 module = profile.functions[function].module;
    if (module == kNothing) continue;
    const std::string& name = profile.modules[module].name;
    if (stacks::is_python_interpreter(name) && name.ends_with(".dll") == is_of_windows) inside += 1;
  }
  return text::percent_of(inside, all);
}

std::string python_line(const StackProfile& profile, const RecordingAbout* about, bool is_part) {
  constexpr double kIsProgramOfPython = 20;
  const stacks::PythonSamples& python = profile.python;
  if (std::string shown = python_text(python); !shown.empty()) return is_part ? "the whole recording: " + shown : shown;
  const bool is_ours = about != nullptr && !about->version.empty() && (!about->program.empty() || about->watched != 0);
  const bool is_trace = profile.trace.has_value();
  const bool was_asked = about != nullptr && about->command.find(" --python") != std::string::npos;
  if ((!is_ours && !is_trace) || was_asked || !python.versions.empty()) return {};
  if (share_in_interpreter(profile) < kIsProgramOfPython) return {};
  if (is_trace) {
    const auto is_python = [](const stacks::StackModule& module) { return stacks::is_python_file(module.name); };
    if (std::ranges::any_of(profile.modules, is_python)) return {};
    return "it runs Python: if the program is started with python-etwtrace, a trace names its functions";
  }
  return fmt::format("it runs Python: `wperf record --python {}` shows the functions and lines of the program itself",
                     about->program.empty() ? fmt::format("-p {}", about->watched) : "-- " + about->program);
}

std::vector<HottestFunction::InCommand> commands_of(const StackProfile& profile, const HottestFunction& hot,
                                                    const stacks::ChosenSamples& chosen) {
  std::vector<u64> periods(profile.names.size());
  for (const stacks::StackSample& sample : profile.samples) {
    if (sample.event != hot.event || profile.function_of(sample.node) != hot.function || !chosen.has(sample)) continue;
    const stacks::StackTask& task = profile.tasks[sample.task];
    if (task.pid != 0 && task.name < periods.size()) periods[task.name] += sample.period;
  }
  std::vector<HottestFunction::InCommand> commands;
  for (u32 name = 0; name < periods.size(); ++name) {
    if (periods[name] != 0) commands.push_back({.name = name, .period = periods[name]});
  }
  std::ranges::stable_sort(commands, std::greater(), &HottestFunction::InCommand::period);
  return commands;
}

std::optional<HottestFunction> hottest_function(const StackProfile& profile, const stacks::StackFilter& filter,
                                                bool relative) {
  HottestFunction hot;
  while (hot.event < profile.events.size() && !has_hot_code(profile.events[hot.event])) ++hot.event;
  if (hot.event == profile.events.size()) return std::nullopt;
  const stacks::ChosenSamples chosen(profile, filter);
  std::vector<u64> own(profile.functions.size());
  for (const stacks::StackSample& sample : profile.samples) {
    const u32 function = profile.function_of(sample.node);
    const bool counts = sample.event == hot.event && function != kNothing && chosen.has(sample);
    if (!counts || profile.tasks[sample.task].pid == 0) continue;
    own[function] += sample.period;
    hot.samples += sample.count;
  }
  if (own.empty()) return std::nullopt;
  hot.function = static_cast<u32>(greatest(own));
  hot.period = own[hot.function];
  if (hot.period == 0) return std::nullopt;
  hot.whole = whole_period(profile, hot.event, filter, relative);
  hot.commands = commands_of(profile, hot, chosen);
  if (!profile.has_callers) return hot;
  Callers callers(profile);
  std::vector<u64> calls(profile.functions.size());
  for (const stacks::StackSample& sample : profile.samples) {
    const bool is_in_it = sample.event == hot.event && profile.function_of(sample.node) == hot.function;
    if (!is_in_it || !chosen.has(sample) || profile.tasks[sample.task].pid == 0) continue;
    if (const u32 caller = callers.of(sample.node); caller != kNothing) calls[caller] += sample.period;
  }
  const usize most = greatest(calls);
  if (calls[most] == 0) return hot;
  hot.caller = static_cast<u32>(most);
  hot.called_period = calls[most];
  return hot;
}

}  // namespace

Headline headline(const StackProfile& profile, const RecordingAbout* about, const stacks::StackFilter& filter,
                  bool relative, bool is_part) {
  Headline out{.time = time_line(profile, about), .waited = {}};
  const bool shows_waits = std::any_of(profile.events.begin(), profile.events.end(), counts_waits);
  if (about != nullptr && has_waited(*about) && !shows_waits) out.waited = waits_line(*about);
  out.python = python_line(profile, about, is_part || !filter.is_empty());
  out.hot = hottest_function(profile, filter, relative);
  if (!out.hot.has_value()) return out;
  out.has_few_samples = out.hot->samples < kFewestSamples && profile.events[out.hot->event].things.empty();
  out.hottest = out.has_few_samples ? few_line(out.hot->samples, samples_of(profile, out.hot->event), about,
                                               is_part || !filter.is_empty())
                                    : hot_line(profile, *out.hot);
  return out;
}

void write_python(text::JsonWriter& json, const stacks::PythonSamples& python) {
  if (python.versions.empty()) return;
  json.begin_object("python");
  json.string("versions", python.versions);
  json.integer("joined", python.joined);
  json.integer("outside", python.outside);
  json.integer("changed", python.changed);
  json.integer("other_shape", python.other_shape);
  json.integer("unread", python.unread);
  json.integer("without_stack", python.without_stack);
  json.integer("new_thread", python.new_thread);
  json.integer("early", python.early);
  json.integer("cut", python.cut);
  json.end_object();
}

void write_headline(text::JsonWriter& json, const StackProfile& profile, const RecordingAbout* about,
                    const stacks::StackFilter& filter, bool relative) {
  json.begin_object("headline");
  if (about != nullptr) {
    write_run(json, *about);
    if (cores_used(*about).has_value()) json.boolean("mostly_waited", has_waited(*about));
    json.integer("threads_sampled", sampled_threads(profile));
  }
  write_python(json, profile.python);
  if (const auto hot = hottest_function(profile, filter, relative); hot.has_value()) {
    const stacks::StackFunction& function = profile.functions[hot->function];
    json.begin_object("hottest");
    json.string("event", profile.events[hot->event].name);
    json.string("symbol", function.name);
    json.string("module", profile.modules[function.module].name);
    json.fixed("percent", text::percent_of(hot->period, hot->whole), 4);
    if (hot->caller != kNothing) {
      json.string("caller", profile.functions[hot->caller].name);
      json.fixed("caller_percent", text::percent_of(hot->called_period, hot->period), 4);
    }
    json.end_object();
  }
  json.end_object();
  if (about != nullptr) write_about(json, *about);
}

std::string too_short_text(std::string_view interval) {
  return fmt::format(
      "the interval{} was longer than the run, or the program never ran on a sampled core; try --freq 1000",
      interval.empty() ? std::string() : fmt::format(" ({})", interval));
}

std::string python_text(const stacks::PythonSamples& python) {
  const u64 whole = python.joined + python.not_joined();
  if (whole == 0) return {};
  std::string text = fmt::format("Python {}: ", python.versions);
  text += python.not_joined() == 0
              ? fmt::format("all {} samples inside the interpreter have Python names", text::with_commas(whole))
              : fmt::format("{} of {} samples inside the interpreter have Python names ({} %)",
                            text::with_commas(python.joined), text::with_commas(whole),
                            text::fixed(text::percent_of(python.joined, whole), 1));
  if (python.outside != 0) text += fmt::format("; {} were outside", text::with_commas(python.outside));
  return text;
}

bool counts_time(const stacks::StackEvent& event) {
  return is_clock_event(event) || event.name == "Timer" || counts_waits(event);
}

std::string weight_text(const StackProfile& profile, u32 event) {
  const stacks::StackEvent& one = profile.events[event];
  const std::string whole = one.whole.empty() ? std::string() : "; 100 % is " + one.whole;
  if (one.name.ends_with(stacks::kWithoutInterval)) return "each counts 1" + whole;
  if (!counts_time(one)) return text::with_commas(one.period) + " counted" + whole;
  const std::string time = text::duration(static_cast<double>(one.period) / kNanoseconds);
  if (!whole.empty()) return time + whole;
  if (counts_waits(one)) return time;
  // If samples of idle cores were left out, other samples of process 0 are interrupts. A recording made from a trace
  // does not show whether samples of idle cores were left out.
  const bool is_without_idle = profile.trace.has_value() && profile.trace->is_without_idle;
  const bool has_idle =
      !is_without_idle && std::any_of(profile.samples.begin(), profile.samples.end(), [&](const auto& sample) {
        return sample.event == event && profile.tasks[sample.task].pid == 0;
      });
  if (has_idle && !profile.trace.has_value() && one.name == "Timer") return time;
  return time + (has_idle ? " of all cores, including idle ones" : " of CPU");
}

}  // namespace wperf::report
