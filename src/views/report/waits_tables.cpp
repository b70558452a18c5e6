// SPDX-License-Identifier: BSD-3-Clause
// The columns of each table of `waits`, for all forms. Tables begin with numbers, JSON objects with names.
#include <fmt/format.h>

#include <algorithm>

#include "ground/text/number_text.h"
#include "views/report/about_text.h"
#include "views/report/document_version.h"
#include "views/report/headline.h"
#include "views/report/trace_facts_text.h"
#include "views/report/waits_report.h"

namespace wperf::report {
namespace {

using waits::WaitReport;

std::string seconds_text(u64 ns) {
  return fmt::format("{:.6f}", static_cast<double>(ns) / 1e9);
}

void span(Columns& to, const Title& title, u64 ns) {
  to.add(title, ns, wait_time_text(ns));
}

// "-" if the time is 0.
void time(Columns& to, const Title& title, u64 ns) {
  to.add(title, ns, ns == 0 ? "-" : wait_time_text(ns));
}

std::string_view title_if(bool shown, std::string_view title) {
  return shown ? title : std::string_view();
}

// Adds the program's own function, if known, and the function called by it.
void place_cells(Columns& to, u32 place, const std::string& caller, const std::string& function) {
  to.word({"in", {}, place}, caller.empty() ? function : caller);
  to.string({"by", {}, place}, caller.empty() || caller == function ? "-" : function);
}

template <class Rows>
bool has_unknown(const Rows& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.times.unknown != 0; });
}

auto thread_columns(const WaitReport& report, bool preempted) {
  // Leaves out the columns of classes without waits.
  std::array<bool, waits::kWaitClasses> is_used{};
  for (const waits::ThreadRow& row : report.threads) {
    for (usize i = 0; i < is_used.size(); ++i) is_used[i] = is_used[i] || row.by_class[i] != 0;
  }
  return [preempted, is_used, unknown = has_unknown(report.threads)](Columns& to, const waits::ThreadRow& row) {
    to.string({"thread", "name"}, row.name);
    to.member("pid", row.process);
    to.number({"tid", "tid"}, row.thread);
    time(to, {"wall", "wall_ns"}, row.times.wall());
    time(to, {"running", "running_ns"}, row.times.running);
    time(to, {"ready", "ready_ns"}, row.times.ready);
    time(to, {title_if(preempted, "preempted"), "preempted_ns"}, row.times.preempted);
    time(to, {"waiting", "waiting_ns"}, row.times.waiting);
    if (to.json() != nullptr) to.json()->begin_object("waiting_for_ns");
    for (usize i = 0; i < waits::kWaitClasses; ++i)
      time(to, {title_if(is_used[i], waits::kWaitClassNames[i]), waits::kWaitClassNames[i]}, row.by_class[i]);
    if (to.json() != nullptr) to.json()->end_object();
    time(to, {title_if(unknown, "unknown"), "unknown_ns"}, row.times.unknown);
    to.count({"switches", "switches"}, row.times.switches);
    to.member("waits", row.times.waits);
    time(to, {"longest wait", "longest_wait_ns"}, row.times.longest_wait);
  };
}

// "spin in python3.11 (15039)"
std::string holder_text(const waits::FunctionRow& row) {
  if (row.holder.empty()) return row.holder_thread;
  return row.holder + " in " + row.holder_thread;
}

auto function_columns(const WaitReport& report) {
  const bool has_holders = std::any_of(report.functions.begin(), report.functions.end(),
                                       [](const waits::FunctionRow& row) { return !row.holder_thread.empty(); });
  return [has_holders](Columns& to, const waits::FunctionRow& row) {
    to.member("function", row.function);
    to.member("module", row.module);
    to.member("caller", row.caller);
    to.member("caller_module", row.caller_module);
    to.string({"for", "class", 7}, name_of(row.wait));
    to.count({"count", "count", 2}, row.count);
    span(to, {"total", "total_ns", 1}, row.total);
    span(to, {"mean", "mean_ns", 3}, row.total / std::max<u64>(row.count, 1));
    span(to, {"p50", "p50_ns", 4}, row.median);
    span(to, {"p99", "p99_ns", 5}, row.most_of_99_percent);
    span(to, {"max", "max_ns", 6}, row.longest);
    place_cells(to, 8, row.caller, row.function);
    to.string({"module", {}, 9}, row.caller_module.empty() ? row.module : row.caller_module);
    to.word({"ended by", "ended_by", 10}, row.waker);
    to.word({title_if(has_holders, "held by"), {}, 11}, holder_text(row));
    if (row.holder_thread.empty()) return;
    to.member("holder", row.holder);
    to.member("holder_thread", row.holder_thread);
    to.member("held_ns", row.held_ns);
  };
}

// A lock and its places have the same columns.
void lock_sums(Columns& to, const auto& row) {
  to.count({"count", "count", 2}, row.count);
  span(to, {"total", "total_ns", 1}, row.total);
  span(to, {"mean", {}, 3}, row.total / std::max<u64>(row.count, 1));
  span(to, {"max", "max_ns", 4}, row.longest);
}

void lock_place_cells(Columns& to, const waits::LockPlace& place) {
  place_cells(to, 7, place.caller, place.function);
  to.word({"ended by", "ended_by", 8}, place.waker);
}

// A lock that threads waited for in several places has a row, followed by a row for each place.
auto lock_columns(const WaitReport& report) {
  const bool has_processes = std::any_of(report.locks.begin(), report.locks.end(), [&](const waits::LockRow& row) {
    return row.is_known && row.process != report.locks.front().process;
  });
  const Title process = {title_if(has_processes, "process"), {}, 6};
  return [process](Columns& to, const waits::LockRow& row) {
    to.string({"lock", "lock", 5}, row.name);
    if (row.is_known) {
      // Written as text, because such large numbers are not exact for some readers.
      to.member("address", fmt::format("0x{:x}", row.address));
      to.member("pid", row.process);
      to.member("symbol", row.symbol);
      to.member("module", row.module);
      if (!row.module.empty()) to.member("offset", row.offset);
    }
    lock_sums(to, row);
    to.string(process, row.is_known ? fmt::format("{} ({})", row.process_name, row.process) : "-");
    const bool is_table = to.json() == nullptr;
    if (is_table && row.places.size() == 1) return lock_place_cells(to, row.places.front());
    if (is_table) lock_place_cells(to, {.function = fmt::format("{} places:", row.places.size()), .module = {}});
    to.rows("places", row.places, [&](Columns&, const waits::LockPlace& place) {
      to.string({"lock", {}, 5}, {});
      to.string(process, {});
      to.member("function", place.function);
      to.member("module", place.module);
      to.member("caller", place.caller);
      to.member("caller_module", place.caller_module);
      lock_sums(to, place);
      lock_place_cells(to, place);
    });
  };
}

void waker_columns(Columns& to, const waits::WakerRow& row) {
  to.string({"who waited", "waiter", 4}, row.waiter);
  to.member("function", row.function);
  to.string({"woken by", "waker", 6}, row.waker);
  to.member("waker_function", row.waker_function);
  to.member("caller", row.caller);
  to.member("waker_caller", row.waker_caller);
  to.count({"count", "count", 2}, row.count);
  span(to, {"waited", "waited_ns", 1}, row.waited);
  if (row.latency.has_value()) to.member("wake_to_run_ns", *row.latency);
  const u64 mean = row.latency.value_or(0) / std::max<u64>(row.count, 1);
  to.add({"wake to run, mean", {}, 3}, mean, row.latency.has_value() ? wait_time_text(mean) : "-");
  to.word({"in", {}, 5}, row.caller.empty() ? row.function : row.caller);
  to.word({"waker was in", {}, 7}, row.waker_caller.empty() ? row.waker_function : row.waker_caller);
}

void starved_columns(Columns& to, const waits::StarvedRow& row) {
  to.string({"was ready", "ready", 1}, row.ready);
  to.string({"while this ran", "ran", 1}, row.ran);
  span(to, {"time", "time_ns"}, row.time);
  to.count({"times", "times"}, row.times);
}

auto core_columns(const WaitReport& report) {
  return [unknown = has_unknown(report.cores), interrupts = report.has_interrupts](Columns& to,
                                                                                   const waits::CoreRow& row) {
    const u64 known = row.times.busy + row.times.idle;
    const double rate = known == 0 ? 0 : static_cast<double>(row.times.switches) * 1e9 / static_cast<double>(known);
    to.number({"core", "core"}, row.core);
    time(to, {"busy", "busy_ns"}, row.times.busy);
    time(to, {"idle", "idle_ns"}, row.times.idle);
    time(to, {title_if(unknown, "unknown"), "unknown_ns"}, row.times.unknown);
    to.count({"switches", "switches"}, row.times.switches);
    to.add({"switches/s"}, rate, text::scaled_number(rate));
    if (!interrupts) return;
    time(to, {"DPC", "dpc_ns"}, row.interrupts.dpc);
    time(to, {"ISR", "isr_ns"}, row.interrupts.isr);
    to.count({"DPCs and ISRs", "interrupts"}, row.interrupts.count);
  };
}

void place_now_columns(Columns& to, const waits::PlaceNowRow& row) {
  to.string({"thread", "name"}, row.name);
  to.number({"tid", "tid"}, row.thread);
  to.string({"state", "state"}, row.state);
  to.string({"for", "class"}, name_of(row.wait));
  to.word({"in", "function"}, row.function);
  const std::string word = row.word.has_value() ? fmt::format("0x{:x}", *row.word) : std::string();
  to.word({"word of memory", title_if(row.word.has_value(), "word")}, word);
}

auto stretch_columns(const WaitReport& report) {
  const auto has = [&](const auto& is_there) {
    return std::any_of(report.timeline.begin(), report.timeline.end(), is_there);
  };
  const bool has_locks = has([](const waits::StretchRow& row) { return !row.lock.empty(); });
  const bool has_reasons = has([](const waits::StretchRow& row) { return !row.reason.empty(); });
  return [has_locks, has_reasons, has_wakeups = report.has_wakeups](Columns& to, const waits::StretchRow& row) {
    static constexpr std::string_view kStates[] = {"unknown", "running", "ready", "waiting"};
    const std::string_view state = kStates[static_cast<usize>(row.state)];
    const bool runs = row.state == waits::State::running, waits = row.state == waits::State::waiting;
    const auto if_waiting = [waits](std::string_view key) { return title_if(waits, key); };
    to.add({"state", "state", 1}, state, std::string(row.preempted && state == "ready" ? "preempted" : state));
    to.member("preempted", row.preempted);
    to.add({"from", "from_ns"}, row.from, seconds_text(row.from));
    span(to, {"for", "length_ns"}, row.length);
    const bool has_core = runs && row.core != stacks::kUnknownCore;
    to.add({"core", title_if(has_core, "core"), 2}, row.core, has_core ? std::to_string(row.core) : "-");
    to.word({"waits for", if_waiting("class"), 3}, waits ? name_of(row.wait) : std::string_view());
    if (waits) to.member("function", row.function);
    if (waits) to.member("caller", row.caller);
    place_cells(to, 4, row.caller, row.function);
    to.word({title_if(has_locks, "lock"), if_waiting(title_if(!row.lock.empty(), "lock")), 6}, row.lock);
    const std::string& in = row.waker_function;
    to.add({"ended by", if_waiting("ended_by"), 5}, row.waker,
           !in.empty()         ? row.waker + " in " + in
           : row.waker.empty() ? "-"
                               : row.waker);
    if (waits) to.member("ended_in", in);
    to.word({title_if(has_reasons, "reason"), if_waiting(title_if(!row.reason.empty(), "reason")), 6}, row.reason);
    if (waits && row.has_end && has_wakeups && row.wake_to_run.has_value())
      to.member("wake_to_run_ns", *row.wake_to_run);
  };
}

auto path_sum_columns(const waits::PathReport& path) {
  return [length = std::max<u64>(path.length, 1)](Columns& to, const waits::PathSum& row) {
    const double share = static_cast<double>(row.total) * 100 / static_cast<double>(length);
    to.string({"thread", "thread", 4}, row.thread);
    to.string({"state", "state", 4}, name_of(row.state));
    to.word({"in", "function", 4}, row.function);
    to.count({"count", "count", 3}, row.count);
    span(to, {"total", "total_ns", 1}, row.total);
    to.add({"share", {}, 2}, share, text::fixed(share, 1) + " %");
  };
}

void path_step_columns(Columns& to, const waits::PathRow& row) {
  to.add({"from", "from_ns"}, row.from, seconds_text(row.from));
  span(to, {"for", "length_ns"}, row.length);
  to.string({"thread", "thread"}, row.thread);
  to.string({"state", "state"}, name_of(row.state));
  to.word({"in", "function"}, row.function);
  to.word({"ended by", "ended_by"}, row.ended_by);
}

void write_left_out(text::JsonWriter& json, const waits::OmittedRows& left_out) {
  if (left_out.min == 0) return;
  json.begin_object("not_listed");
  json.integer("shorter_than_ns", left_out.min);
  json.integer("count", left_out.count);
  json.integer("total_ns", left_out.time);
  json.end_object();
}

void write_path(text::JsonWriter& json, const waits::PathReport& path) {
  json.begin_object("critical_path");
  json.string("of", path.of);
  json.integer("from_ns", path.from);
  json.integer("length_ns", path.length);
  write_rows(json, "sums", path.sums, path_sum_columns(path));
  write_rows(json, "steps", path.steps, path_step_columns);
  write_left_out(json, path.left_out);
  json.end_object();
}

void write_facts(text::JsonWriter& json, const WaitReport& report, const stacks::TraceFacts* trace,
                 const stacks::RecordingAbout* about) {
  json.string("file", report.file);
  json.integer("duration_ns", report.duration);
  if (report.from.has_value()) {
    json.integer("from_ns", *report.from);
    json.integer("to_ns", *report.to);
  }
  if (about != nullptr || !report.python.versions.empty()) {
    json.begin_object("headline");
    if (about != nullptr) write_run(json, *about);
    write_python(json, report.python);
    json.end_object();
  }
  if (about != nullptr) write_about(json, *about);
  json.integer("switches", report.switches);
  json.integer("wakeups", report.wakeups);
  json.integer("lost_records", report.lost_records);
  if (report.recorder_time.has_value()) json.integer("recorder_running_ns", *report.recorder_time);
  if (report.switch_cost != 0) json.integer("switch_cost_ns", report.switch_cost);
  json.integer("cores_ns", report.cores_time);
  json.integer("contradictions", report.contradictions);
  if (trace != nullptr) write_trace_facts(json, *trace);
  json.boolean("has_wakeups", report.has_wakeups);
  json.boolean("has_stacks", report.has_stacks);
  json.boolean("of_whole_cores", report.of_whole_cores);
  json.integer("threads_in_all", report.threads_in_all);
}

}  // namespace

std::vector<WaitPart> wait_parts(const WaitReport& report, const WaitTextOptions& options) {
  constexpr u32 kMostStarved = 10;
  const u32 rows = options.rows;
  return {{fmt::format("threads: wall = running + ready + waiting{}, and what they waited for{}",
                       has_unknown(report.threads) ? " + unknown" : "",
                       options.verbose ? "; preempted is a part of ready" : ""),
           table_of(report.threads, thread_columns(report, options.verbose)), rows},
          {"where they waited", table_of(report.functions, function_columns(report)), rows},
          {"which locks they waited for, and where", table_of(report.locks, lock_columns(report)), rows},
          {"who waited for whom", table_of(report.wakers, waker_columns), rows},
          {"who held the CPU while a thread was ready to run", table_of(report.starved, starved_columns),
           std::min(rows, kMostStarved)},
          {"where each thread was when the recording ended, in the kernel",
           table_of(report.places_now, place_now_columns), rows},
          {"cores", table_of(report.cores, core_columns(report)), ~u32{0}}};
}

WaitPart timeline_part(const WaitReport& report) {
  return {"timeline of " + report.timeline_of + ", in seconds of the recording",
          table_of(report.timeline, stretch_columns(report)), ~u32{0}};
}

std::vector<WaitPart> path_parts(const waits::PathReport& path, u32 rows) {
  return {{fmt::format("critical path of {}, from {} to {}: what its {} are made of", path.of, seconds_text(path.from),
                       seconds_text(path.from + path.length), wait_time_text(path.length)),
           table_of(path.sums, path_sum_columns(path)), rows},
          {"step by step, in seconds of the recording", table_of(path.steps, path_step_columns), rows}};
}

std::string waits_json(const WaitReport& report, const stacks::TraceFacts* trace, const stacks::RecordingAbout* about) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", kDocumentVersion);
  json.begin_object("waits");
  write_facts(json, report, trace, about);
  write_rows(json, "threads", report.threads, thread_columns(report, true));
  write_rows(json, "functions", report.functions, function_columns(report));
  json.boolean("has_locks", !report.locks_are_missing);
  write_rows(json, "locks", report.locks, lock_columns(report));
  write_rows(json, "wakers", report.wakers, waker_columns);
  write_rows(json, "starved", report.starved, starved_columns);
  write_rows(json, "cores", report.cores, core_columns(report));
  if (!report.places_now.empty()) write_rows(json, "places_now", report.places_now, place_now_columns);
  write_left_out(json, report.left_out);
  if (!report.timeline_of.empty()) {
    json.string("timeline_of", report.timeline_of);
    write_rows(json, "timeline", report.timeline, stretch_columns(report));
  }
  if (report.path.has_value()) write_path(json, *report.path);
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace wperf::report
