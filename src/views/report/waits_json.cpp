// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "ground/text/json_writer.h"
#include "views/report/document_version.h"
#include "views/report/headline.h"
#include "views/report/trace_facts_text.h"
#include "views/report/waits_report.h"

namespace wperf::report {
namespace {

class Document {
 public:
  explicit Document(std::string& out) : json_(out) {}

  void write(const waits::WaitReport& report, const stacks::TraceFacts* trace, const stacks::RecordingAbout* about) {
    json_.begin_object();
    json_.integer("version", kDocumentVersion);
    json_.begin_object("waits");
    json_.string("file", report.file);
    json_.integer("duration_ns", report.duration);
    if (about != nullptr) {
      json_.begin_object("headline");
      write_run(json_, *about);
      json_.end_object();
      write_about(json_, *about);
    }
    json_.integer("switches", report.switches);
    json_.integer("wakeups", report.wakeups);
    json_.integer("lost_records", report.lost_records);
    if (report.recorder_time.has_value()) json_.integer("recorder_running_ns", *report.recorder_time);
    if (report.switch_cost != 0) json_.integer("switch_cost_ns", report.switch_cost);
    json_.integer("cores_ns", report.cores_time);
    json_.integer("contradictions", report.contradictions);
    if (trace != nullptr) write_trace_facts(json_, *trace);
    json_.boolean("has_wakeups", report.has_wakeups);
    json_.boolean("has_stacks", report.has_stacks);
    json_.boolean("of_whole_cores", report.of_whole_cores);
    json_.integer("threads_in_all", report.threads_in_all);
    rows("threads", report.threads, [&](const waits::ThreadRow& row) { write_thread(row); });
    rows("functions", report.functions, [&](const waits::FunctionRow& row) {
      json_.string("function", row.function);
      json_.string("module", row.module);
      json_.string("caller", row.caller);
      json_.string("caller_module", row.caller_module);
      json_.string("class", waits::kWaitClassNames[static_cast<usize>(row.wait)]);
      json_.integer("count", row.count);
      json_.integer("total_ns", row.total);
      json_.integer("mean_ns", row.total / std::max<u64>(row.count, 1));
      json_.integer("p50_ns", row.median);
      json_.integer("p99_ns", row.most_of_99_percent);
      json_.integer("max_ns", row.longest);
      json_.string("ended_by", row.waker);
    });
    json_.boolean("has_locks", !report.locks_are_missing);
    rows("locks", report.locks, [&](const waits::LockRow& row) { write_lock(row); });
    rows("wakers", report.wakers, [&](const waits::WakerRow& row) {
      json_.string("waiter", row.waiter);
      json_.string("function", row.function);
      json_.string("waker", row.waker);
      json_.string("waker_function", row.waker_function);
      json_.string("caller", row.caller);
      json_.string("waker_caller", row.waker_caller);
      json_.integer("count", row.count);
      json_.integer("waited_ns", row.waited);
      json_.integer("wake_to_run_ns", row.latency);
    });
    rows("starved", report.starved, [&](const waits::StarvedRow& row) {
      json_.string("ready", row.ready);
      json_.string("ran", row.ran);
      json_.integer("time_ns", row.time);
      json_.integer("times", row.times);
    });
    rows("cores", report.cores, [&](const waits::CoreRow& row) {
      json_.integer("core", row.core);
      json_.integer("busy_ns", row.times.busy);
      json_.integer("idle_ns", row.times.idle);
      json_.integer("unknown_ns", row.times.unknown);
      json_.integer("switches", row.times.switches);
      if (!report.has_interrupts) return;
      json_.integer("dpc_ns", row.interrupts.dpc);
      json_.integer("isr_ns", row.interrupts.isr);
      json_.integer("interrupts", row.interrupts.count);
    });
    if (report.left_out.min != 0) write_left_out(report.left_out);
    if (!report.timeline_of.empty()) write_timeline(report);
    if (report.path.has_value()) write_path(*report.path);
    json_.end_object();
    json_.end_object();
  }

 private:
  template <class Row, class Write>
  void rows(std::string_view key, const std::vector<Row>& all, Write write) {
    json_.begin_array(key);
    for (const Row& row : all) {
      json_.begin_object();
      write(row);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_thread(const waits::ThreadRow& row) {
    json_.string("name", row.name);
    json_.integer("pid", row.process);
    json_.integer("tid", row.thread);
    json_.integer("wall_ns", row.times.wall());
    json_.integer("running_ns", row.times.running);
    json_.integer("ready_ns", row.times.ready);
    json_.integer("preempted_ns", row.times.preempted);
    json_.integer("waiting_ns", row.times.waiting);
    json_.begin_object("waiting_for_ns");
    for (usize i = 0; i < waits::kWaitClasses; ++i) json_.integer(waits::kWaitClassNames[i], row.by_class[i]);
    json_.end_object();
    json_.integer("unknown_ns", row.times.unknown);
    json_.integer("switches", row.times.switches);
    json_.integer("waits", row.times.waits);
    json_.integer("longest_wait_ns", row.times.longest_wait);
  }

  // Addresses as text: as numbers they would be too long for some readers.
  void write_lock(const waits::LockRow& row) {
    json_.string("lock", row.name);
    if (row.is_known) {
      json_.string("address", fmt::format("0x{:x}", row.address));
      json_.integer("pid", row.process);
      json_.string("symbol", row.symbol);
      json_.string("module", row.module);
      if (!row.module.empty()) json_.integer("offset", row.offset);
    }
    json_.integer("count", row.count);
    json_.integer("total_ns", row.total);
    json_.integer("max_ns", row.longest);
    rows("places", row.places, [&](const waits::LockPlace& place) {
      json_.string("function", place.function);
      json_.string("module", place.module);
      json_.string("caller", place.caller);
      json_.string("caller_module", place.caller_module);
      json_.integer("count", place.count);
      json_.integer("total_ns", place.total);
      json_.integer("max_ns", place.longest);
      json_.string("ended_by", place.waker);
    });
  }

  void write_timeline(const waits::WaitReport& report) {
    static constexpr std::string_view kStates[] = {"unknown", "running", "ready", "waiting"};
    json_.string("timeline_of", report.timeline_of);
    rows("timeline", report.timeline, [&](const waits::StretchRow& row) {
      json_.string("state", kStates[static_cast<usize>(row.state)]);
      json_.boolean("preempted", row.preempted);
      json_.integer("from_ns", row.from);
      json_.integer("length_ns", row.length);
      if (row.state == waits::State::running) json_.integer("core", row.core);
      if (row.state != waits::State::waiting) return;
      json_.string("class", waits::kWaitClassNames[static_cast<usize>(row.wait)]);
      json_.string("function", row.function);
      json_.string("caller", row.caller);
      if (!row.lock.empty()) json_.string("lock", row.lock);
      json_.string("ended_by", row.waker);
      json_.string("ended_in", row.waker_function);
      if (!row.reason.empty()) json_.string("reason", row.reason);
      if (row.has_end && report.has_wakeups) json_.integer("wake_to_run_ns", row.wake_to_run);
    });
  }

  void write_left_out(const waits::LeftOut& left_out) {
    json_.begin_object("not_listed");
    json_.integer("shorter_than_ns", left_out.min);
    json_.integer("count", left_out.count);
    json_.integer("total_ns", left_out.time);
    json_.end_object();
  }

  void write_path(const waits::PathReport& path) {
    json_.begin_object("critical_path");
    json_.string("of", path.of);
    json_.integer("from_ns", path.from);
    json_.integer("length_ns", path.length);
    rows("sums", path.sums, [&](const waits::PathSum& row) {
      json_.string("thread", row.thread);
      json_.string("state", waits::kPathStateNames[static_cast<usize>(row.state)]);
      json_.string("function", row.function);
      json_.integer("count", row.count);
      json_.integer("total_ns", row.total);
    });
    rows("steps", path.steps, [&](const waits::PathRow& row) {
      json_.integer("from_ns", row.from);
      json_.integer("length_ns", row.length);
      json_.string("thread", row.thread);
      json_.string("state", waits::kPathStateNames[static_cast<usize>(row.state)]);
      json_.string("function", row.function);
      json_.string("ended_by", row.ended_by);
    });
    if (path.left_out.min != 0) write_left_out(path.left_out);
    json_.end_object();
  }

  text::JsonWriter json_;
};

}  // namespace

std::string waits_json(const waits::WaitReport& report, const stacks::TraceFacts* trace,
                       const stacks::RecordingAbout* about) {
  std::string out;
  Document(out).write(report, trace, about);
  return out;
}

}  // namespace wperf::report
