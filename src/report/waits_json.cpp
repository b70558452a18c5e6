// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "report/json_writer.h"
#include "report/trace_facts.h"
#include "report/waits_report.h"

namespace wperf::report {
namespace {

class Document {
 public:
  explicit Document(std::string& out) : json_(out) {}

  void write(const waits::WaitReport& report, const stacks::TraceFacts* trace) {
    json_.begin_object();
    json_.key("waits");
    json_.begin_object();
    text("file", report.file);
    number("duration_ns", report.duration);
    number("switches", report.switches);
    number("wakeups", report.wakeups);
    number("lost_records", report.lost_records);
    if (report.recorder_time.has_value()) number("recorder_running_ns", *report.recorder_time);
    if (report.switch_cost != 0) number("switch_cost_ns", report.switch_cost);
    number("cores_ns", report.cores_time);
    number("contradictions", report.contradictions);
    if (trace != nullptr) write_trace_facts(json_, *trace);
    truth("has_wakeups", report.has_wakeups);
    truth("has_stacks", report.has_stacks);
    truth("of_whole_cores", report.of_whole_cores);
    number("threads_in_all", report.threads_in_all);
    rows("threads", report.threads, [&](const waits::ThreadRow& row) { write_thread(row); });
    rows("functions", report.functions, [&](const waits::FunctionRow& row) {
      text("function", row.function);
      text("module", row.module);
      text("class", waits::kWaitClassNames[static_cast<usize>(row.wait)]);
      number("count", row.count);
      number("total_ns", row.total);
      number("mean_ns", row.total / std::max<u64>(row.count, 1));
      number("p50_ns", row.median);
      number("p99_ns", row.most_of_99_percent);
      number("max_ns", row.longest);
      text("ended_by", row.waker);
    });
    rows("wakers", report.wakers, [&](const waits::WakerRow& row) {
      text("waiter", row.waiter);
      text("function", row.function);
      text("waker", row.waker);
      text("waker_function", row.waker_function);
      number("count", row.count);
      number("waited_ns", row.waited);
      number("wake_to_run_ns", row.latency);
    });
    rows("starved", report.starved, [&](const waits::StarvedRow& row) {
      text("ready", row.ready);
      text("ran", row.ran);
      number("time_ns", row.time);
      number("times", row.times);
    });
    rows("cores", report.cores, [&](const waits::CoreRow& row) {
      number("core", row.core);
      number("busy_ns", row.times.busy);
      number("idle_ns", row.times.idle);
      number("switches", row.times.switches);
      if (!report.has_interrupts) return;
      number("dpc_ns", row.interrupts.dpc);
      number("isr_ns", row.interrupts.isr);
      number("interrupts", row.interrupts.count);
    });
    if (report.left_out.min != 0) write_left_out(report.left_out);
    if (!report.timeline_of.empty()) write_timeline(report);
    if (report.path.has_value()) write_path(*report.path);
    json_.end_object();
    json_.end_object();
  }

 private:
  void text(std::string_view key, std::string_view value) {
    json_.key(key);
    json_.string(value);
  }
  void number(std::string_view key, u64 value) {
    json_.key(key);
    json_.integer(value);
  }
  void truth(std::string_view key, bool value) {
    json_.key(key);
    json_.boolean(value);
  }
  template <class Row, class Write>
  void rows(std::string_view key, const std::vector<Row>& all, Write write) {
    json_.key(key);
    json_.begin_array();
    for (const Row& row : all) {
      json_.begin_object();
      write(row);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_thread(const waits::ThreadRow& row) {
    text("name", row.name);
    number("pid", row.process);
    number("tid", row.thread);
    number("wall_ns", row.times.wall());
    number("running_ns", row.times.running);
    number("ready_ns", row.times.ready);
    number("preempted_ns", row.times.preempted);
    number("waiting_ns", row.times.waiting);
    json_.key("waiting_for_ns");
    json_.begin_object();
    for (usize i = 0; i < waits::kWaitClasses; ++i) number(waits::kWaitClassNames[i], row.by_class[i]);
    json_.end_object();
    number("unknown_ns", row.times.contradictory);
    number("switches", row.times.switches);
    number("waits", row.times.waits);
    number("longest_wait_ns", row.times.longest_wait);
  }

  void write_timeline(const waits::WaitReport& report) {
    static constexpr std::string_view kStates[] = {"unknown", "running", "ready", "waiting"};
    text("timeline_of", report.timeline_of);
    rows("timeline", report.timeline, [&](const waits::StretchRow& row) {
      text("state", kStates[static_cast<usize>(row.state)]);
      truth("preempted", row.preempted);
      number("from_ns", row.from);
      number("length_ns", row.length);
      if (row.state == waits::State::running) number("core", row.core);
      if (row.state != waits::State::waiting) return;
      text("class", waits::kWaitClassNames[static_cast<usize>(row.wait)]);
      text("function", row.function);
      text("ended_by", row.waker);
      text("ended_in", row.waker_function);
    });
  }

  void write_left_out(const waits::LeftOut& left_out) {
    json_.key("not_listed");
    json_.begin_object();
    number("shorter_than_ns", left_out.min);
    number("count", left_out.count);
    number("total_ns", left_out.time);
    json_.end_object();
  }

  void write_path(const waits::PathReport& path) {
    json_.key("critical_path");
    json_.begin_object();
    text("of", path.of);
    number("from_ns", path.from);
    number("length_ns", path.length);
    rows("sums", path.sums, [&](const waits::PathSum& row) {
      text("thread", row.thread);
      text("state", waits::kPathStateNames[static_cast<usize>(row.state)]);
      text("function", row.function);
      number("count", row.count);
      number("total_ns", row.total);
    });
    rows("steps", path.steps, [&](const waits::PathRow& row) {
      number("from_ns", row.from);
      number("length_ns", row.length);
      text("thread", row.thread);
      text("state", waits::kPathStateNames[static_cast<usize>(row.state)]);
      text("function", row.function);
      text("ended_by", row.ended_by);
    });
    if (path.left_out.min != 0) write_left_out(path.left_out);
    json_.end_object();
  }

  JsonWriter json_;
};

}  // namespace

std::string waits_json(const waits::WaitReport& report, const stacks::TraceFacts* trace) {
  std::string out;
  Document(out).write(report, trace);
  return out;
}

}  // namespace wperf::report
