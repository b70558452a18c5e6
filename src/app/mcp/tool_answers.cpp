// SPDX-License-Identifier: BSD-3-Clause
#include "app/mcp/tool_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/options_builder.h"
#include "app/measure/opened_machine.h"
#include "app/show/wait_views.h"
#include "base/ascii.h"
#include "ground/os/files.h"
#include "ground/os/process.h"
#include "ground/text/json_reader.h"
#include "ground/text/number_text.h"
#include "ground/text/shell_words.h"
#include "machine/devices/devices.h"
#include "model/request/recording_view.h"
#include "model/request/request.h"
#include "model/request/sampling_options.h"
#include "views/report/about_text.h"
#include "views/report/headline.h"
#include "views/report/tool_reports.h"

namespace wperf::mcp {
namespace {

using request::Request;

// An answer with its warnings has at most 4 KiB, in each of its two forms.
constexpr u32 kBytes = 3072;
constexpr usize kBytesOfWarnings = 768, kLeastOfWarning = 40;

// Keeps the documents and warnings of a command.
class KeptOutput final : public diag::Console {
 public:
  explicit KeptOutput(const Cancellation& cancellation) : cancellation_(cancellation) {}

  void out(std::string_view) override {}
  void document(std::string_view text) override { answer.markdown += text; }
  void json(std::string_view ascii) override { answer.json += ascii; }
  void warn(std::string_view line) override {
    constexpr usize kMost = 5;
    if (answer.warnings.size() >= kMost || bytes_ + kLeastOfWarning > kBytesOfWarnings) return;
    answer.warnings.push_back(brief::cut(line, kBytesOfWarnings - bytes_));
    bytes_ += answer.warnings.back().size() + 2;  // plus two line ends
  }
  bool animated() const override { return false; }
  bool interrupted() const override { return os::interrupted() || cancellation_.is_asked(); }

  Answer answer;

 private:
  const Cancellation& cancellation_;
  usize bytes_ = 0;  // size of the warnings
};

// Matches names of functions like -s.
std::function<bool(std::string_view)> symbol_filter(const std::string& text) {
  if (text.empty()) return {};
  return
      [filter = request::parse_symbol_filter(text)](std::string_view name) { return request::matches(filter, name); };
}

void add_text(const Arguments& arguments, std::string_view name, std::vector<std::string>& list) {
  if (std::string text = arguments.text(name); !text.empty()) list.push_back(std::move(text));
}
void add_number(const Arguments& arguments, std::string_view name, std::vector<u32>& list) {
  if (const auto number = arguments.number(name); number.has_value()) list.push_back(static_cast<u32>(*number));
}

stacks::StackFilter filter_of(const Arguments& arguments) {
  stacks::StackFilter filter;
  add_text(arguments, "module", filter.modules);
  add_text(arguments, "thread", filter.comms);
  add_number(arguments, "pid", filter.pids);
  add_number(arguments, "tid", filter.tids);
  filter.symbol_text = arguments.text("function");
  filter.symbol = symbol_filter(filter.symbol_text);
  return filter;
}

diag::Result<std::vector<stacks::SortKey>> rows_by(const std::string& name) {
  using stacks::SortKey;
  if (name.empty() || name == "function") return std::vector{SortKey::symbol, SortKey::module};
  if (name == "line") return std::vector{SortKey::line, SortKey::symbol};
  if (name == "module") return std::vector{SortKey::module};
  if (name == "thread") return std::vector{SortKey::comm, SortKey::tid};
  if (name == "process") return std::vector{SortKey::process, SortKey::pid};
  if (name == "core") return std::vector{SortKey::core};
  return diag::Error{.text = fmt::format("there are no rows by {}", name),
                     .hint = "use function, line, module, thread, process or core"};
}

diag::Result<std::optional<request::TimeSpan>> time_of(const Arguments& arguments) {
  request::TimeSpan time{.from = arguments.number("from"), .to = arguments.number("to")};
  if (!time.from.has_value() && !time.to.has_value()) return std::optional<request::TimeSpan>();
  if (time.from.value_or(0) < 0 || time.to.value_or(0) < 0 ||
      (time.to.has_value() && *time.to <= time.from.value_or(0)))
    return diag::Error{.text = "from must be below to, and neither may be negative",
                       .hint = "both are seconds of the recording"};
  return std::optional(time);
}

// A row of `list -v --json`.
struct EventRow {
  std::string name, number, type, description;
};

// Returns false for alternative names of an event.
bool is_shown(EventRow& row, const std::string& match) {
  if (row.description.starts_with(report::kAnotherNameOf)) return false;
  // For events of Windows tracing, the type is the description.
  const bool is_plain_type = row.type.starts_with('[');
  if (row.description == "---") row.description = is_plain_type ? std::string() : row.type;
  return match.empty() || in_lower_case(row.name + ' ' + row.description).find(match) != std::string::npos;
}

std::vector<EventRow> matching_events(std::string_view list, const std::string& match) {
  std::vector<EventRow> rows;
  text::JsonReader json(std::as_bytes(std::span(list)));
  json.for_each_member([&](std::string_view group) {
    if (group != "Predefined_Events") return;
    json.for_each([&] {
      EventRow row;
      json.for_each_member([&](std::string_view key) {
        if (key == "Alias_Name") row.name = json.string();
        if (key == "Raw_Index") row.number = json.string();
        if (key == "Event_Type") row.type = json.string();
        if (key == "Description") row.description = json.string();
      });
      if (is_shown(row, match)) rows.push_back(std::move(row));
    });
  });
  return rows;
}

Answer answer_of(const brief::Brief& brief, std::vector<std::string> warnings) {
  return {
      .markdown = brief::markdown(brief, kBytes), .json = brief::json(brief, kBytes), .warnings = std::move(warnings)};
}

}  // namespace

diag::Result<Answer> ToolAnswers::answer(Tool tool, const Arguments& arguments) {
  KeptOutput console(*cancellation_);
  switch (tool) {
    case Tool::open:
    case Tool::summary:
    case Tool::functions:
    case Tool::callers:
    case Tool::callees:
    case Tool::source: {
      WPERF_TRY(const brief::Brief brief, of_samples(tool, arguments, console));
      return answer_of(brief, std::move(console.answer.warnings));
    }
    case Tool::events: {
      WPERF_TRY(const brief::Brief brief, events(arguments, console));
      return answer_of(brief, std::move(console.answer.warnings));
    }
    case Tool::waits:
    case Tool::critical_path:
      return of_waits(tool, arguments);
    default:
      return of_command(tool, arguments);
  }
}

diag::Result<Answer> ToolAnswers::of_waits(Tool tool, const Arguments& arguments) {
  WPERF_TRY(const Request request, request_of(tool, arguments));
  WPERF_TRY(KeptRecording* const recording, recordings_.find(arguments.text("recording")));
  KeptOutput console(*cancellation_);
  show::ReportOptions options = commands::report_options(request, console);
  WPERF_TRY(const show::SwitchRecording* const switches,
            recording->switches(options, tool == Tool::critical_path, console));
  WPERF_CHECK_OK(show::show_waits(*switches, commands::wait_options(request, options), options, console));
  return std::move(console.answer);
}

diag::Result<brief::Brief> ToolAnswers::of_samples(Tool tool, const Arguments& arguments, diag::Console& console) {
  WPERF_TRY(KeptRecording* const recording, recordings_.find(arguments.text("recording")));
  if (tool == Tool::open) return open(*recording, console);
  const bool lines = tool == Tool::source || arguments.text("by") == "line";
  WPERF_TRY(const auto time, time_of(arguments));
  if (time.has_value()) {
    WPERF_TRY(const Samples some, recording->samples_of(*time, lines, console));
    return of_profile(some, tool, arguments, *recording);
  }
  WPERF_TRY(const Samples samples, recording->samples(lines, console));
  return of_profile(samples, tool, arguments, *recording);
}

diag::Result<brief::Brief> ToolAnswers::open(KeptRecording& recording, diag::Console& console) {
  WPERF_TRY(const Samples samples, recording.samples(false, console));
  brief::Brief brief;
  brief.verdict.push_back(fmt::format("opened {} as {}", recording.shown(), recording.handle()));
  const report::Headline headline = report::headline(*samples.profile, samples.about, {});
  if (!headline.time.empty()) brief.verdict.push_back(headline.time);
  if (samples.about != nullptr) {
    if (std::string made = report::made_text(*samples.about); !made.empty())
      brief.verdict.push_back("recorded " + std::move(made));
  }
  brief::fill_table(brief, samples.profile->events, [](report::Columns& to, const stacks::StackEvent& event) {
    to.string({"event"}, event.name);
    to.count({"samples"}, event.samples);
  });
  brief.heading = "Events:";
  for (const report::StackLoss& loss : report::data_losses(*samples.profile)) brief.lost.push_back(loss.text);
  brief.next = fmt::format("summary {{\"recording\": \"{}\"}}", recording.handle());
  brief.all = "wperf report " + text::quoted_word(recording.path());
  return brief;
}

diag::Result<brief::Brief> ToolAnswers::of_profile(const Samples& samples, Tool tool, const Arguments& arguments,
                                                   const KeptRecording& recording) {
  report::StackOptions options;
  options.filter = filter_of(arguments);
  options.about = samples.about;
  options.children = arguments.flag("children");
  options.callers = tool == Tool::callers;
  options.callees = tool == Tool::callees;
  options.part = {.from = arguments.number("from"), .to = arguments.number("to")};
  WPERF_TRY(options.sort, rows_by(tool == Tool::source ? "line" : arguments.text("by")));
  // a full path, because the commands may be run in another folder
  const std::string file = text::quoted_word(recording.path());
  return brief::of_profile(*samples.profile, options, {.recording = file, .all = "wperf report " + file});
}

// The options of a device can name files, so a client may not use characters of paths in --device.
diag::Result<std::string> ToolAnswers::device_of(const Arguments& arguments) const {
  std::string device = arguments.text("device");
  if (device.empty()) return device_;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view(":=,-").find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(device, is_plain)) return device;
  return diag::Error{.text = "the name of a device may only have lower-case letters, digits and : = , -",
                     .hint = "use linux, etw, driver or sim"};
}

diag::Result<void> ToolAnswers::add_program(const Arguments& arguments, Request& request) const {
  constexpr double kUsual = 60, kMost = 600;
  const double seconds = arguments.number("seconds").value_or(kUsual);
  if (!(seconds > 0 && seconds <= kMost))
    return diag::Error{.text = "seconds must be above 0 and at most 600", .hint = {}};
  std::vector<std::string> words = arguments.list("arguments");
  words.insert(words.begin(), arguments.text("program"));
  if (words.front().empty()) return diag::Error{.text = "the program has no name", .hint = {}};
  const auto has_end = [](const std::string& word) { return word.find('\0') != std::string::npos; };
  if (std::ranges::any_of(words, has_end))
    return diag::Error{.text = "a program's name and arguments cannot have the character U+0000", .hint = {}};
  request.program =
      request::Program{.path = words.front(), .command_line = os::join_command_line(words), .after_dashes = true};
  request.pe_file = words.front();
  request.timeout = request::Duration{std::max<u64>(1, static_cast<u64>(std::llround(seconds * 1000)))};
  request.arguments.emplace_back("--");
  request.arguments.insert(request.arguments.end(), words.begin(), words.end());
  return {};
}

// Makes the same request as a command line would.
diag::Result<Request> ToolAnswers::request_of(Tool tool, const Arguments& arguments) {
  Request request;
  WPERF_TRY(request.device, device_of(arguments));
  request.outputs.quiet = true;
  request.outputs.brief = request::Brief{.bytes = kBytes, .as_markdown = true, .as_json = true};
  add_text(arguments, "thread", request.recording.comms);
  add_number(arguments, "pid", request.recording.pids);
  add_number(arguments, "tid", request.recording.tids);
  if (tool == Tool::waits || tool == Tool::critical_path) {
    request.command = request::Command::waits;
    WPERF_TRY(const KeptRecording* const recording, recordings_.find(arguments.text("recording")));
    request.data_file = recording->path();
    request.waits.critical_path = tool == Tool::critical_path;
    request.arguments = {"waits", recording->path()};
  } else if (tool == Tool::compare) {
    request.command = request::Command::diff;
    request.comparison.has_sides = true;
    request.arguments = {"diff"};
    for (const bool is_before : {true, false}) {
      if (!is_before) request.arguments.emplace_back("--");
      auto& side = is_before ? request.comparison.before : request.comparison.after;
      for (const std::string& name : arguments.list(is_before ? "before" : "after")) {
        WPERF_TRY(const KeptRecording* const recording, recordings_.find(name));
        side.push_back(recording->path());
        request.arguments.push_back(recording->path());
      }
    }
    if (const std::string per = arguments.text("per"); !per.empty()) {
      WPERF_TRY(request.comparison.per, request::parse_cost_per(per));
    }
  } else {
    request.arguments = {tool == Tool::topdown ? "topdown" : arguments.flag("waits") ? "waits" : "record"};
    request.command = tool == Tool::topdown     ? request::Command::topdown
                      : arguments.flag("waits") ? request::Command::waits
                                                : request::Command::record;
    WPERF_CHECK_OK(add_program(arguments, request));
  }
  return request;
}

diag::Result<Answer> ToolAnswers::of_command(Tool tool, const Arguments& arguments) {
  WPERF_TRY(Request request, request_of(tool, arguments));
  std::string kept;
  if (tool == Tool::record) {
    const std::string ending = measure::records_trace(request, devices::devices_here()) ? ".etl" : ".data";
    if (const std::string event = arguments.text("event"); !event.empty()) {
      WPERF_TRY(request.sampling.events, request::parse_sampling_list(event));
    }
    if (!arguments.flag("waits")) {
      request.sampling.call_stacks = request::automatic_stacks();
      request.sampling.call_stacks.may_be_missing = true;
    }
    WPERF_TRY(kept, recordings_.reserve(ending));
    request.outputs.json_file = os::join_path(recordings_.root(), kept);
  }
  KeptOutput console(*cancellation_);
  const auto done =
      tool == Tool::compare ? commands::run_diff(request, &runs_, console) : commands::run(request, console);
  // Removes the file of a cancelled request, because it has no answer that names the file. After an error, an empty
  // file is removed.
  const bool is_cancelled = cancellation_->is_asked();
  const std::string path = kept.empty() ? "" : os::join_path(recordings_.root(), kept);
  if (!kept.empty() && (is_cancelled || os::file_size(path) == 0)) os::remove_file(path);
  if (!kept.empty() && is_cancelled) return Answer();
  WPERF_TRY(const int status, done);
  if (status != 0) console.answer.warnings.push_back(fmt::format("the program ended with status {}", status));
  if (!kept.empty()) {
    WPERF_TRY(const KeptRecording* const made, recordings_.find(kept));
    console.answer.warnings.push_back(fmt::format("the recording is {}, and its handle is {}", kept, made->handle()));
  }
  return std::move(console.answer);
}

diag::Result<brief::Brief> ToolAnswers::events(const Arguments& arguments, diag::Console& console) const {
  Request request;
  request.command = request::Command::list;
  WPERF_TRY(request.device, device_of(arguments));
  request.outputs.json = request.outputs.quiet = request.outputs.verbose = true;
  KeptOutput list(*cancellation_);
  WPERF_TRY(const int status, commands::run(request, list));
  static_cast<void>(status);  // only a started program has a status, and `list` starts none
  for (const std::string& warning : list.answer.warnings) console.warn(warning);
  const std::string match = in_lower_case(arguments.text("match"));
  const std::vector<EventRow> rows = matching_events(list.answer.json, match);
  brief::Brief brief;
  brief.verdict.push_back(fmt::format("{} event{}{}", rows.size(), rows.size() == 1 ? "" : "s",
                                      match.empty() ? "" : " with '" + match + "'"));
  brief::fill_table(brief, rows, [](report::Columns& to, const EventRow& row) {
    to.string({"event"}, row.name);
    to.string({"number"}, row.number);
    to.word({"description"}, row.description);
  });
  brief.heading = "Events:";
  brief.all = "wperf list -v";
  return brief;
}

}  // namespace wperf::mcp
