// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/wperf_lib_conversions.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/capi/configurations.h"
#include "base/ascii.h"
#include "ground/os/process.h"
#include "ground/text/base_name.h"
#include "ground/text/unicode.h"

namespace wperf::capi {
namespace {

constexpr std::string_view kCoreSchedule = "ioctl_events[EVT_CORE].";

// Parses "e" or "gN", which may be followed by a comma and the name of a metric.
lib::EVENT_NOTE note_of(const wchar_t* text) {
  lib::EVENT_NOTE note{};
  u16 group = 0;
  const bool grouped = *text == L'g';
  for (++text; *text >= L'0' && *text <= L'9'; ++text) group = static_cast<u16>(group * 10 + (*text - L'0'));
  if (*text == L',') {
    note.type = lib::METRIC_EVT_NOTE;
    note.note.metric_note = {.group_id = group, .name = text + 1};
  } else if (grouped) {
    note.type = lib::GROUP_EVT_NOTE;
    note.note.group_note = {.group_id = group};
  }
  return note;
}

lib::EVT_NOTE_TYPE note_type(std::string_view note) {
  if (note.find(',') != std::string_view::npos) return lib::METRIC_EVT_NOTE;
  return note.starts_with('g') ? lib::GROUP_EVT_NOTE : lib::NORMAL_EVT_NOTE;
}

lib::TEST_INFO lib_test_row(const TEST_INFO& row) {
  lib::TEST_INFO made{};
  made.name = row.name;
  switch (row.type) {
    case WPERF_TEST_BOOL:
      made.type = lib::BOOL_RESULT;
      made.bool_result = row.bool_result;
      break;
    case WPERF_TEST_NUMBER:
      made.type = lib::NUM_RESULT;
      made.num_result = row.num_result;
      break;
    case WPERF_TEST_TEXT:
      made.type = lib::WSTRING_RESULT;
      made.wstring_result = row.result;
      break;
  }
  return made;
}

}  // namespace

lib::EVENT_INFO lib_row(const EVENT_INFO& row) {
  return {.type = lib::CORE_TYPE, .id = static_cast<u16>(row.id), .name = row.name, .desc = row.desc};
}

lib::METRIC_INFO lib_row(const METRIC_INFO& row) {
  return {.metric_name = row.metric_name, .event_idx = static_cast<u16>(row.event_idx)};
}

lib::STAT_INFO lib_row(const STAT_INFO& row) {
  return {.core_idx = static_cast<u8>(row.core_idx),
          .counter_value = row.counter_value,
          .event_idx = row.event_idx == WPERF_CYCLE_COUNTER ? kLibCycleCounter : static_cast<u16>(row.event_idx),
          .multiplexed_scheduled = row.scheduled,
          .multiplexed_round = row.round,
          .scaled_value = row.scaled_value,
          .evt_note = note_of(row.event_note)};
}

lib::SAMPLE_INFO lib_row(const SampleRow& row) {
  constexpr u64 kMost = std::numeric_limits<u32>::max();
  return {.event = row.code,
          .symbol = row.symbol,
          .count = static_cast<u32>(row.count < kMost ? row.count : kMost),
          .overhead = row.overhead};
}

lib::ANNOTATE_INFO lib_row(const LineRow& row) {
  return {.event = row.code,
          .symbol = row.symbol,
          .source_file = row.source_file,
          .line_number = row.line_number,
          .hits = row.hits};
}

Rows<lib::TEST_INFO> lib_test_rows(pmu::Product product, const answers::TestReport& report) {
  Rows<lib::TEST_INFO> rows;
  Rows<TEST_INFO> all = test_rows(product, report);
  for (TEST_INFO row; all.next(row);) {
    const std::string name = text::utf8_of(row.name);
    lib::TEST_INFO made = lib_test_row(row);
    made.name = rows.texts.keep(name);
    if (made.type == lib::WSTRING_RESULT) made.wstring_result = rows.texts.keep(text::utf8_of(row.result));
    if (!name.starts_with(kCoreSchedule)) rows.add(made);
    if (name != std::string(kCoreSchedule) + "index") continue;
    made.name = rows.texts.keep("ioctl_events[EVT_CORE]");
    made.type = lib::EVT_NOTE_RESULT;
    for (const answers::ScheduledEvent& event : report.schedules[index_of(EventClass::core)]) {
      if (event.note == "p") continue;  // padding, which nobody requested
      made.evt_note_result = {.index = event.code, .type = note_type(event.note)};
      rows.add(made);
    }
  }
  return rows;
}

namespace {

constexpr int kMostListed = 128;  // the longest list of events; a schedule has space for as many
constexpr size_t kLongestName = 256;
constexpr double kMostSeconds = 1e9;  // thirty years; a larger number is a mistake

diag::Result<void> check_list(const char* name, int count, const void* list) {
  if (count < 0) return diag::usage_error(std::string("num_") + name + " is negative");
  if (count != 0 && list == nullptr) {
    return diag::usage_error(std::string("num_") + name + " is not 0, but there are no " + name);
  }
  return {};
}

void append_event(std::wstring& list, u16 event) {
  if (!list.empty() && list.back() != L'{') list += L',';
  list += text::wide_of(fmt::format("r{:x}", event));
}

diag::Result<std::wstring> event_list(int count, const u16* events) {
  WPERF_CHECK_OK(check_list("events", count, events));
  std::wstring list;
  for (int i = 0; i < count; ++i) append_event(list, events[i]);
  return list;
}

diag::Result<void> append_groups(const lib::GROUP_EVENT_INFO& groups, std::wstring& list) {
  WPERF_CHECK_OK(check_list("groups", groups.num_groups, groups.num_group_events));
  WPERF_CHECK_OK(check_list("groups", groups.num_groups, static_cast<const void*>(groups.events)));
  for (int group = 0; group < groups.num_groups; ++group) {
    const int count = groups.num_group_events[group];
    WPERF_CHECK_OK(check_list("group_events", count, groups.events[group]));
    if (count == 0) return diag::usage_error("a group of group_events has no events");
    list += list.empty() ? L"{" : L",{";
    for (int i = 0; i < count; ++i) append_event(list, groups.events[group][i]);
    list += L'}';
  }
  return {};
}

diag::Result<std::wstring> metric_list(int count, const wchar_t* const* metrics) {
  WPERF_CHECK_OK(check_list("metrics", count, static_cast<const void*>(metrics)));
  std::wstring list;
  for (int i = 0; i < count; ++i) {
    if (metrics[i] == nullptr) return diag::usage_error("a name of metric_events is NULL");
    list += (list.empty() ? L"" : L",") + std::wstring(metrics[i]);
  }
  return list;
}

diag::Result<u64> milliseconds(const char* name, double seconds) {
  if (seconds >= 0 && seconds < kMostSeconds) return static_cast<u64>(std::llround(seconds * 1000));
  return diag::usage_error(std::string(name) + " is not a number of seconds");
}

// The command line may begin with the program, or have only its arguments.
bool names_program(std::string_view word, std::string_view program) {
  return equal_ignoring_case(word, program) || equal_ignoring_case(text::without_extension(text::base_name(word)),
                                                                   text::without_extension(text::base_name(program)));
}

std::wstring behind_first_word(std::wstring_view line) {
  size_t at = 0;
  bool quoted = false;
  for (; at < line.size() && (quoted || (line[at] != L' ' && line[at] != L'\t')); ++at) quoted ^= line[at] == L'"';
  at = line.find_first_not_of(L" \t", at);
  return std::wstring(at == std::wstring_view::npos ? std::wstring_view() : line.substr(at));
}

struct StartedProgram {
  std::wstring path, arguments;
};

StartedProgram started_program(const wchar_t* pe_file, const wchar_t* command_line) {
  StartedProgram program{.path = pe_file != nullptr ? pe_file : L"",
                         .arguments = command_line != nullptr ? command_line : L""};
  const std::vector<std::string> words = os::split_command_line(text::utf8_of(program.arguments));
  if (words.empty()) program.arguments.clear();
  if (words.empty() || !(program.path.empty() || names_program(words[0], text::utf8_of(program.path)))) return program;
  if (program.path.empty()) program.path = text::wide_of(words[0]);
  program.arguments = behind_first_word(program.arguments);
  return program;
}

template <typename Item>
std::vector<Item> readable_list(int count, const Item* items) {
  if (count <= 0 || count > kMostListed) return {};
  std::vector<Item> list(static_cast<size_t>(count));
  if (!os::copy_own_memory(static_cast<const void*>(items), std::as_writable_bytes(std::span(list)))) return {};
  return list;
}

// Reads a text; empty if it cannot be a name.
std::wstring readable_text(const wchar_t* text) {
  std::wstring read;
  for (wchar_t one = 0; read.size() < kLongestName; read += one, ++text) {
    if (!os::copy_own_memory(text, std::as_writable_bytes(std::span(&one, 1)))) return {};
    if (one == 0) return read;
  }
  return {};
}

// As a list for `record -e`: numbers with intervals.
diag::Result<std::wstring> sampling_list(const lib::SAMPLE_CONF& conf) {
  WPERF_CHECK_OK(check_list("events", conf.num_events, conf.events));
  std::wstring list;
  for (int i = 0; i < conf.num_events; ++i) {
    append_event(list, conf.events[i]);
    const u32 interval = conf.intervals != nullptr ? conf.intervals[i] : 0;
    if (interval != 0) list += L":" + std::to_wstring(interval);
  }
  return list;
}

}  // namespace

diag::Result<request::Request> lib_stat_request(const lib::STAT_CONF& conf) {
  WPERF_CHECK_OK(check_list("cores", conf.num_cores, conf.cores));
  const std::vector<u32> cores(conf.cores, conf.cores + conf.num_cores);
  WPERF_TRY(std::wstring events, event_list(conf.num_events, conf.events));
  WPERF_CHECK_OK(append_groups(conf.group_events, events));
  WPERF_TRY(const std::wstring metrics, metric_list(conf.num_metrics, conf.metric_events));
  const StartedProgram program = started_program(conf.pe_file, conf.record_commandline);
  STAT_CONF ours{};
  ours.cores = cores.data();
  ours.num_cores = cores.size();
  ours.events = events.c_str();
  ours.metrics = metrics.c_str();
  WPERF_TRY(ours.duration_ms, milliseconds("duration", conf.duration));
  constexpr long kLeast = request::kLeastPeriodMs, kGreatest = request::kGreatestPeriodMs;
  if (conf.period != 0 && (conf.period < kLeast || conf.period > kGreatest)) {
    return diag::usage_error(fmt::format("period is {}, but must be {} to {}", conf.period, kLeast, kGreatest));
  }
  ours.period_ms = static_cast<u32>(conf.period);
  ours.kernel = conf.kernel_mode;
  if (!program.path.empty()) ours.program = program.path.c_str();
  ours.arguments = program.arguments.c_str();
  ours.spawn_delay_ms = program.path.empty() ? 0 : conf.record_spawn_delay;
  ours.timeline = conf.timeline;
  if (conf.timeline) {
    if (conf.count_timeline < 0) return diag::usage_error("count_timeline is negative");
    ours.num_counts = static_cast<u64>(conf.count_timeline);
    WPERF_TRY(ours.interval_ms, milliseconds("counting_interval", conf.counting_interval));
    ours.csv_file = L"wperf_core_{core}_{timestamp}.{class}.csv";  // the name that `wperf stat -t` uses
  }
  return stat_request(ours);
}

diag::Result<request::Request> lib_sample_request(const lib::SAMPLE_CONF& conf) {
  const u32 core = conf.core_idx;
  WPERF_TRY(const std::wstring events, sampling_list(conf));
  StartedProgram program;
  std::wstring image = conf.image_name != nullptr ? conf.image_name : L"";
  if (conf.record) {
    program = started_program(conf.pe_file, conf.record_commandline);
    if (program.path.empty())
      return diag::usage_error("record is true, but neither pe_file nor record_commandline has a program");
    image.clear();
  } else if (image.empty() && conf.pe_file != nullptr) {
    image = text::wide_of(text::base_name(text::utf8_of(conf.pe_file)));
  }
  if (!conf.record && image.empty())
    return diag::usage_error("record is false, but neither image_name nor pe_file has a program");
  SAMPLE_CONF ours{};
  ours.cores = &core;
  ours.num_cores = 1;
  ours.events = events.c_str();
  WPERF_TRY(ours.duration_ms, milliseconds("duration", conf.duration));
  ours.kernel = conf.kernel_mode;
  ours.program = program.path.c_str();
  ours.arguments = program.arguments.c_str();
  ours.image_name = image.c_str();
  ours.spawn_delay_ms = conf.record_spawn_delay;
  ours.pdb_file = conf.pdb_file;
  ours.decorated_names = !conf.display_short;
  ours.annotate = conf.annotate;
  WPERF_TRY(request::Request request, sample_request(ours));
  if (!conf.record && conf.pe_file != nullptr) request.pe_file = text::utf8_of(conf.pe_file);
  request.sampling.perf_data = conf.export_perf_data;
  return request;
}

// Programs request the keys with an uninitialised TEST_CONF, so a list is read only if its pointer is plausible.
diag::Result<request::Request> lib_test_request(const lib::TEST_CONF& conf) {
  const std::vector<u16> numbers = readable_list(conf.num_events, conf.events);
  WPERF_TRY(const std::wstring events, event_list(static_cast<int>(numbers.size()), numbers.data()));
  std::wstring metrics;
  for (const wchar_t* name : readable_list(conf.num_metrics, conf.metric_events)) {
    metrics += (metrics.empty() ? L"" : L",") + readable_text(name);
  }
  TEST_CONF ours{};
  ours.events = events.c_str();
  ours.metrics = metrics.c_str();
  return test_request(ours);
}

}  // namespace wperf::capi
