// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/about_text.h"

#include <fmt/format.h>

#include <chrono>

#include "ground/text/number_text.h"

namespace wperf::report {
namespace {

using stacks::RecordingAbout;

constexpr double kNsPerSecond = 1e9;

// " --timeout 2" if the command line of the recorder has this option.
std::string timeout_of(std::string_view command) {
  constexpr std::string_view kOption = " --timeout";
  command = command.substr(0, command.find(" -- "));
  const usize begin = command.find(kOption);
  if (begin == command.npos) return {};
  const usize value = begin + kOption.size() + 1;
  return std::string(command.substr(begin, command.find(' ', value) - begin));
}

}  // namespace

std::optional<double> cores_used(const RecordingAbout& about) {
  if (!about.cpu_ns.has_value() || about.elapsed_ns == 0) return std::nullopt;
  return static_cast<double>(*about.cpu_ns) / static_cast<double>(about.elapsed_ns);
}

std::string waits_command(const RecordingAbout& about) {
  const std::string watched = about.watched == 0 ? "PID" : std::to_string(about.watched);
  if (!about.program.empty()) return "wperf waits -- " + about.program;
  return "wperf waits -p " + watched + timeout_of(about.command);
}

std::string run_text(const RecordingAbout& about) {
  if (about.elapsed_ns == 0) return {};
  const std::string length = text::duration(static_cast<double>(about.elapsed_ns) / kNsPerSecond);
  std::string line = about.is_of_machine ? "recorded the whole machine for " + length
                     : about.has_ended   ? "ran " + length
                                         : "recorded for " + length;
  if (const auto used = cores_used(about); used.has_value()) {
    line += fmt::format(", used {} of CPU ({})", text::duration(static_cast<double>(*about.cpu_ns) / kNsPerSecond),
                        *used < 0.1 ? text::fixed(100 * *used, 1) + " % of a core" : text::fixed(*used, 2) + " cores");
  }
  return line;
}

std::string made_text(const RecordingAbout& about) {
  std::string machine = about.processor;
  if (about.cores != 0) {
    machine += fmt::format("{}{} {}", machine.empty() ? "" : ", ", about.cores, about.cores == 1 ? "core" : "cores");
  }
  std::string where = about.host;
  if (!machine.empty()) where = where.empty() ? machine : fmt::format("{} ({})", where, machine);
  std::string line;
  if (!about.version.empty()) line = "by " + about.version;
  if (!where.empty()) line += (line.empty() ? "on " : " on ") + where;
  if (about.begun_unix_ns != 0) line += (line.empty() ? "" : ", ") + date_text(about.begun_unix_ns);
  if (!about.command.empty()) line += (line.empty() ? "with `" : ": `") + about.command + '`';
  return line;
}

void write_run(text::JsonWriter& json, const RecordingAbout& about) {
  if (about.elapsed_ns != 0) json.fixed("elapsed_seconds", static_cast<double>(about.elapsed_ns) / kNsPerSecond, 9);
  if (about.cpu_ns.has_value()) json.fixed("cpu_seconds", static_cast<double>(*about.cpu_ns) / kNsPerSecond, 9);
  if (const auto used = cores_used(about); used.has_value()) json.fixed("cores_used", *used, 4);
}

void write_about(text::JsonWriter& json, const RecordingAbout& about) {
  json.begin_object("about");
  const auto text = [&json](std::string_view name, const std::string& value) {
    if (!value.empty()) json.string(name, value);
  };
  text("command", about.command);
  text("program", about.image);
  text("host", about.host);
  text("processor", about.processor);
  if (about.cores != 0) json.integer("cores", about.cores);
  if (about.begun_unix_ns != 0) text("begun", date_text(about.begun_unix_ns));
  text("version", about.version);
  json.end_object();
}

std::string date_text(u64 unix_ns) {
  using std::chrono::days;
  constexpr u64 kSecond = 1'000'000'000, kDay = 86'400;
  const u64 seconds = unix_ns / kSecond, of_day = seconds % kDay;
  const std::chrono::year_month_day date(std::chrono::sys_days(days(static_cast<int>(seconds / kDay))));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day / 3600,
                     of_day / 60 % 60, of_day % 60);
}

}  // namespace wperf::report
