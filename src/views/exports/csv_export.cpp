// SPDX-License-Identifier: BSD-3-Clause
// Writes the profile as CSV with a row for each stack. docs/user/export-tables.md has the columns.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/stacks/id_table.h"
#include "views/exports/exported_profile.h"
#include "views/report/escaping.h"

namespace wperf::exports {
namespace {

class CsvWriter {
 public:
  CsvWriter(const Source& source, const TakeBytes& take)
      : source_(source), profile_(source.profile), names_(source.profile), out_(take) {
    for (u32 i = 0; i < profile_.functions.size(); ++i) functions_.push_back(texts_(names_.marked_function(i)));
    for (const stacks::StackModule& module : profile_.modules) modules_.push_back(texts_(clean_text(module.name)));
    for (const stacks::StackEvent& event : profile_.events) events_.push_back(texts_(clean_text(event.name)));
    for (u32 i = 0; i < profile_.tasks.size(); ++i) threads_.push_back(texts_(names_.thread(i)));
    number_stacks();
  }

  void write() {
    // Labels come first and are the same in each row, so that the profiles of a fleet can be one table.
    for (const auto& [name, text] : source_.attributes) {
      report::append_csv_field(out_.text, name);
      out_.text += ',';
      report::append_csv_field(labels_, text);
      labels_ += ',';
    }
    out_.text += "event,pid,tid,thread,core,samples,period,function,module,file,line,stack\n";
    for (const stacks::StackSample& row : rows()) {
      write_row(row);
      out_.flush_if_long();
    }
    out_.flush();
  }

 private:
  static u64 both(u32 first, u32 second) { return (u64{first} << 32) | second; }

  // Stacks with the same names have the same number, even if their addresses differ.
  void number_stacks() {
    stacks::IdTable known;
    stacks_.assign(profile_.nodes.size(), kNothing);
    for (u32 i = 0; i < profile_.nodes.size(); ++i) {
      const stacks::StackNode& node = profile_.nodes[i];
      if (node.place == kNothing) continue;
      const u32 caller = node.parent != kNothing ? stacks_[node.parent] : kNothing;
      stacks_[i] = known.insert(caller, functions_[profile_.places[node.place].function]).id;
    }
  }

  // Samples that differ in no column are one row.
  std::vector<stacks::StackSample> rows() {
    std::vector<stacks::StackSample> rows;
    stacks::IdTable threads, tasks, files, places, known;
    for (const stacks::StackSample& sample : profile_.samples) {
      const u32 place = profile_.nodes[sample.node].place;
      if (place == kNothing) continue;
      const stacks::StackTask& task = profile_.tasks[sample.task];
      const u32 thread = threads.insert(both(task.pid, task.tid), threads_[sample.task]).id;
      const u32 origin = tasks.insert(both(events_[sample.event], sample.core), thread).id;
      const PlaceLine where = names_.line(place);
      const u32 module = modules_[profile_.functions[profile_.places[place].function].module];
      const u32 file = files.insert(module, texts_(where.file)).id;
      const u32 stack = places.insert(both(file, where.line), stacks_[sample.node]).id;
      const auto [number, is_new] = known.insert(origin, stack);
      if (is_new) {
        rows.push_back(sample);
        continue;
      }
      rows[number].count += sample.count;
      rows[number].period += sample.period;
    }
    return rows;
  }

  void write_row(const stacks::StackSample& row) {
    const stacks::StackTask& task = profile_.tasks[row.task];
    const u32 place = profile_.nodes[row.node].place;
    const u32 function = profile_.places[place].function;
    const PlaceLine where = names_.line(place);
    out_.text += labels_;
    field(text_of(events_[row.event]));
    known(task.pid);
    known(task.tid);
    field(text_of(threads_[row.task]));
    known(row.core);
    fmt::format_to(std::back_inserter(out_.text), "{},{},", row.count, row.period);
    field(text_of(functions_[function]));
    field(text_of(modules_[profile_.functions[function].module]));
    field(where.file);
    if (where.line != 0) out_.number(where.line);
    out_.text += ',';
    stack_.clear();
    append_stack(row.node);
    report::append_csv_field(out_.text, stack_);
    out_.text += '\n';
  }

  void field(std::string_view text) {
    report::append_csv_field(out_.text, text);
    out_.text += ',';
  }
  void known(u32 id) {
    if (id != kNothing) out_.number(id);
    out_.text += ',';
  }
  const std::string& text_of(u32 number) const { return texts_.all()[number]; }

  // Writes the stack as in folded stacks; the frame separator is replaced in names.
  void append_stack(u32 node) {
    path_.clear();
    for (; profile_.nodes[node].place != kNothing; node = profile_.nodes[node].parent) {
      path_.push_back(profile_.function_of(node));
    }
    for (usize i = path_.size(); i-- > 0;) {
      const usize begin = stack_.size();
      const std::string& name = text_of(functions_[path_[i]]);
      // For readers that separate fields by ';', each function begins a field.
      if (report::begins_formula(name)) stack_ += '\'';
      stack_ += name;
      std::replace(stack_.begin() + static_cast<std::ptrdiff_t>(begin), stack_.end(), ';', ':');
      if (i != 0) stack_ += ';';
    }
  }

  const Source& source_;
  const stacks::StackProfile& profile_;
  Names names_;
  Collected out_;
  Texts texts_;
  std::vector<u32> functions_, modules_, events_, threads_;  // numbers of texts
  std::vector<u32> stacks_;                                  // by node
  std::string labels_, stack_;
  std::vector<u32> path_;
};

}  // namespace

void write_csv(const Source& source, const TakeBytes& take) {
  CsvWriter(source, take).write();
}

}  // namespace wperf::exports
