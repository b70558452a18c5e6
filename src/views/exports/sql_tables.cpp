// SPDX-License-Identifier: BSD-3-Clause
// Writes the profile as an SQL script that creates tables. docs/user/export-tables.md has the schema.
#include <fmt/format.h>

#include "model/stacks/switches.h"
#include "views/exports/exported_profile.h"

namespace wperf::exports {
namespace {

constexpr std::string_view kSchema = R"(CREATE TABLE metadata (name TEXT, value TEXT);
CREATE TABLE events (id BIGINT, name TEXT, samples BIGINT, period BIGINT, "interval" BIGINT);
CREATE TABLE tasks (id BIGINT, pid BIGINT, tid BIGINT, name TEXT);
CREATE TABLE modules (id BIGINT, name TEXT, path TEXT, build_id TEXT, pdb TEXT, no_names_because TEXT);
CREATE TABLE functions (id BIGINT, name TEXT, module BIGINT, is_kernel BIGINT, is_inlined BIGINT);
CREATE TABLE stacks (id BIGINT, parent BIGINT, function BIGINT, file TEXT, line BIGINT);
CREATE TABLE samples (id BIGINT, event BIGINT, task BIGINT, core BIGINT, stack BIGINT, count BIGINT, period BIGINT);
CREATE TABLE moments (sample BIGINT, time_ns BIGINT);
CREATE TABLE states (task BIGINT, begin_ns BIGINT, end_ns BIGINT, state TEXT, wait_class TEXT, core BIGINT, stack BIGINT, waker BIGINT);
CREATE TABLE counters (name TEXT, unit TEXT, core BIGINT, task BIGINT, time_ns BIGINT, value BIGINT);
CREATE TABLE marks (time_ns BIGINT, pid BIGINT, tid BIGINT, kind TEXT, text TEXT);
CREATE TABLE losses (begin_ns BIGINT, end_ns BIGINT, core BIGINT, count BIGINT, what TEXT);
CREATE VIEW hot_functions AS SELECT e.name AS event, f.name AS function, m.name AS module, SUM(s.count) AS samples, SUM(s.period) AS period FROM samples s JOIN events e ON e.id = s.event JOIN stacks k ON k.id = s.stack JOIN functions f ON f.id = k.function JOIN modules m ON m.id = f.module GROUP BY e.name, f.name, m.name;
)";

class SqlWriter {
 public:
  SqlWriter(const Source& source, const TakeBytes& take)
      : source_(source), profile_(source.profile), moments_(source.moments), names_(source.profile), out_(take) {}

  void write() {
    out_.text += "BEGIN TRANSACTION;\n";
    out_.text += kSchema;
    write_names();
    write_samples();
    write_times();
    out_.text += "COMMIT;\n";
    out_.flush();
  }

 private:
  // Begins a table. Each INSERT statement has many rows.
  void table(std::string_view name) {
    end_table();
    table_ = name;
  }
  void end_table() {
    if (rows_ != 0) out_.text += ";\n";
    rows_ = 0;
    out_.flush_if_long();
  }
  template <class... Values>
  void row(const Values&... values) {
    constexpr u32 kRowsTogether = 500;
    if (rows_ == kRowsTogether) end_table();
    if (rows_ == 0) {
      out_.text.append("INSERT INTO ").append(table_).append(" VALUES\n(");
    } else {
      out_.text += ",\n(";
    }
    ++rows_;
    bool is_first = true;
    ((is_first ? void() : void(out_.text += ','), is_first = false, value(values)), ...);
    out_.text += ')';
  }
  // A 32-bit kNothing becomes NULL.
  void value(u32 number) { number == kNothing ? void(out_.text += "NULL") : append(number); }
  void value(u64 number) { append(number); }
  void value(bool is) { out_.text += is ? '1' : '0'; }
  void value(std::string_view text) {
    out_.text += '\'';
    for (const char c : text) out_.text.append(c == '\'' ? 2 : 1, c);
    out_.text += '\'';
  }
  void value(const std::string& text) { value(std::string_view(text)); }
  // Databases have signed 64-bit numbers, so larger numbers are written as the maximum.
  void append(u64 number) {
    constexpr u64 kGreatest = ~u64{0} >> 1;
    const fmt::format_int digits(std::min(number, kGreatest));
    out_.text.append(digits.data(), digits.size());
  }

  void write_names() {
    table("metadata");
    row(std::string_view("tool"), source_.tool);
    row(std::string_view("file"), clean_text(profile_.file));
    if (!profile_.note.empty()) row(std::string_view("note"), clean_text(profile_.note));
    for (const std::string& text : loss_texts(profile_.losses)) row(std::string_view("loss"), text);
    for (const auto& [name, text] : source_.attributes) row("label " + name, clean_text(text));
    table("events");
    for (u32 i = 0; i < profile_.events.size(); ++i) {
      const stacks::StackEvent& event = profile_.events[i];
      row(i, clean_text(event.name), event.samples, event.period, event.interval);
    }
    table("tasks");
    for (u32 i = 0; i < profile_.tasks.size(); ++i) {
      row(i, profile_.tasks[i].pid, profile_.tasks[i].tid, names_.thread(i));
    }
    table("modules");
    for (u32 i = 0; i < profile_.modules.size(); ++i) {
      const stacks::StackModule& module = profile_.modules[i];
      row(i, clean_text(module.name), clean_text(module.path), module.build_id, clean_text(module.pdb_path),
          clean_text(module.reason));
    }
    table("functions");
    for (u32 i = 0; i < profile_.functions.size(); ++i) {
      const stacks::StackFunction& function = profile_.functions[i];
      row(i, names_.marked_function(i), function.module, function.is_kernel, function.is_inlined);
    }
  }

  void write_samples() {
    table("stacks");
    for (u32 i = 0; i < profile_.nodes.size(); ++i) {
      const stacks::StackNode& node = profile_.nodes[i];
      if (node.place == kNothing) continue;
      const PlaceLine where = names_.line(node.place);
      const bool is_outermost = profile_.nodes[node.parent].place == kNothing;
      row(i, is_outermost ? kNothing : node.parent, profile_.places[node.place].function, where.file,
          where.line != 0 ? where.line : kNothing);
    }
    table("samples");
    for (u32 i = 0; i < profile_.samples.size(); ++i) {
      const stacks::StackSample& sample = profile_.samples[i];
      row(i, sample.event, sample.task, sample.core, sample.node, sample.count, sample.period);
    }
  }

  void write_times() {
    table("moments");
    for (usize i = 0; i < moments_.samples.size(); ++i) row(moments_.samples.rows[i], moments_.samples.times_ns[i]);
    table("states");
    for (const stacks::ThreadState& state : moments_.states) {
      const bool waits = state.doing == stacks::ThreadDoing::waiting;
      const bool runs = state.doing == stacks::ThreadDoing::running;
      row(state.task, state.begin_ns, state.end_ns,
          std::string_view(runs    ? "running"
                           : waits ? "waiting"
                                   : "ready"),
          waits ? std::string_view(moments_.wait_classes[state.wait_class]) : std::string_view(),
          runs && state.core != stacks::kUnknownCore ? state.core : kNothing, state.node, state.waker);
    }
    table("counters");
    for (const stacks::CounterTrack& track : moments_.counters) {
      for (const stacks::CounterPoint& point : track.points) {
        row(clean_text(track.name), track.unit, track.core, track.task, point.time_ns, point.value);
      }
    }
    table("marks");
    for (const stacks::Mark& mark : moments_.marks) {
      row(mark.time_ns, mark.pid, mark.tid, mark_name(mark.kind), clean_text(mark.text));
    }
    table("losses");
    for (const stacks::TimedLoss& loss : moments_.losses) {
      row(loss.begin_ns, loss.end_ns, loss.core, loss.count, loss.what);
    }
    end_table();
  }

  const Source& source_;
  const stacks::StackProfile& profile_;
  const stacks::Moments& moments_;
  Names names_;
  Collected out_;
  std::string_view table_;
  u32 rows_ = 0;
};

}  // namespace

void write_sql(const Source& source, const TakeBytes& take) {
  SqlWriter(source, take).write();
}

}  // namespace wperf::exports
