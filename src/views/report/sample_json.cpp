// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.8. Clients allow new keys only inside "sampling", not in events and their rows, so wperf's keys are at the
// end of "sampling".
#include <algorithm>
#include <set>
#include <tuple>

#include "ground/text/json_writer.h"
#include "views/report/sample_report.h"
#include "views/report/sample_tables.h"

namespace wperf::report {
namespace {

// The disassembly of one line, written only if there is space for it.
struct CodeOfLine {
  const compat::LineRow* line = nullptr;
  usize order = 0;  // position in the document
  usize bytes = 0;  // size of its JSON array
};

class SampleJson {
 public:
  SampleJson(const compat::CompatView& view, const SampleOptions& options) : view_(view), options_(options) {}

  std::string document() {
    choose_code(1);
    std::string out;
    text::JsonWriter json(out);
    write(json);
    return out;
  }

  // Returns the value of the document's only member.
  std::string value() {
    choose_code(1);
    std::string out;
    text::JsonWriter json(out);
    write_sampling(json);
    return out;
  }

  SampleJsonParts parts() {
    choose_code(2);
    SampleJsonParts parts;
    text::JsonWriter sampling(parts.sampling), events(parts.events);
    write_sampling(sampling);
    write_events(events);
    return parts;
  }

 private:
  bool annotates() const { return options_.annotate || options_.disassemble; }

  // Chooses the lines with disassembly. A client that reads up to a limit cannot use a larger document at all. `times`:
  // how often each line is written.
  void choose_code(usize times) {
    if (!options_.disassemble) return;
    std::vector<CodeOfLine> lines = code_of_lines();
    if (options_.most_bytes == 0) {
      for (const CodeOfLine& code : lines) chosen_.insert(code.line);
      return;
    }
    std::string bare;
    text::JsonWriter json(bare);
    omitted_ = static_cast<u32>(lines.size());  // the maximum, so that its digits are counted
    write(json);
    std::sort(lines.begin(), lines.end(), [](const CodeOfLine& a, const CodeOfLine& b) {
      return std::tie(b.line->hits, a.order) < std::tie(a.line->hits, b.order);
    });
    if (times > 1) {
      text::JsonWriter again(bare);
      write_events(again);
    }
    usize size = bare.size();
    for (const CodeOfLine& code : lines) {
      if (size + times * code.bytes > options_.most_bytes) continue;
      size += times * code.bytes;
      chosen_.insert(code.line);
    }
    omitted_ = static_cast<u32>(lines.size() - chosen_.size());
  }

  std::vector<CodeOfLine> code_of_lines() const {
    std::vector<CodeOfLine> lines;
    for (const compat::SampledEvent& event : view_.events) {
      for (const compat::SymbolRow* row : shown_rows(view_, event, options_).rows) {
        if (!is_annotated(view_, *row)) continue;
        for (const compat::LineRow& line : row->lines) {
          std::string rendered;
          text::JsonWriter json(rendered);
          write_code(json, line);
          if (rendered != "[]") lines.push_back({.line = &line, .order = lines.size(), .bytes = rendered.size()});
        }
      }
    }
    return lines;
  }

  void write_code(text::JsonWriter& json, const compat::LineRow& line) const {
    json.begin_array();
    const compat::CodeBlock* code = compat::find_code(view_, line.module, line.code_begin, line.code_end);
    if (code != nullptr) {
      for (const compat::Instruction& instruction : code->instructions) {
        json.begin_object();
        json.string("address", code_address(view_, line.module, instruction.rva));
        json.string("instruction", instruction.text);
        json.end_object();
      }
    }
    json.end_array();
  }

  void write_line(text::JsonWriter& json, const compat::LineRow& line) const {
    json.begin_object();
    json.integer("line_number", line.line);
    json.integer("hits", line.hits);
    json.string("filename", view_.files[line.file].path);
    json.string("instruction_address", options_.disassemble ? code_address(view_, line.module, line.hot_rva) : "");
    json.begin_object("disassembled_line");
    json.key("disassemble");
    if (chosen_.contains(&line)) {
      write_code(json, line);
    } else {
      json.begin_array();
      json.end_array();
    }
    json.end_object();
    json.end_object();
  }

  void write_annotations(text::JsonWriter& json, const ShownRows& shown) const {
    json.begin_array("annotate");
    for (const compat::SymbolRow* row : shown.rows) {
      if (!annotates() || !is_annotated(view_, *row)) continue;
      json.begin_object();
      json.string("function_name", compat::display_name(view_, row->symbol));
      json.begin_array("source_code");
      for (const compat::LineRow& line : row->lines) write_line(json, line);
      json.end_array();
      json.end_object();
    }
    json.end_array();
  }

  void write_pcs(text::JsonWriter& json, const ShownRows& shown) const {
    json.begin_array("pcs");
    for (const compat::SymbolRow* row : shown.rows) {
      const std::string symbol = compat::display_name(view_, row->symbol);
      for (const compat::PcCount& pc : row->pcs) {
        json.begin_object();
        json.integer("address", pc.address);
        json.integer("count", pc.count);
        json.string("in_symbol", symbol);
        json.end_object();
      }
    }
    json.end_array();
  }

  void write_event(text::JsonWriter& json, const compat::SampledEvent& event, std::string_view type) const {
    const ShownRows shown = shown_rows(view_, event, options_);
    json.begin_object();
    json.string("type", type);
    write_rows(json, "samples", hot_functions(view_, event, shown), hot_function_columns);
    json.integer("interval", event.interval);
    json.integer("printed_sample_num", shown.rows.size());
    if (options_.verbose) write_pcs(json, shown);
    write_annotations(json, shown);
    json.end_object();
  }

  std::vector<const compat::SampledEvent*> events_by_name() const {
    std::vector<const compat::SampledEvent*> events;
    for (const compat::SampledEvent& event : view_.events) events.push_back(&event);
    std::sort(events.begin(), events.end(), [](const compat::SampledEvent* a, const compat::SampledEvent* b) {
      return std::tie(a->name, a->code, a->interval) < std::tie(b->name, b->code, b->interval);
    });
    return events;
  }

  void write_events(text::JsonWriter& json) const {
    json.begin_array();
    if (has_samples(view_)) {
      for (const compat::SampledEvent* event : events_by_name()) write_event(json, *event, event->name);
    } else {  // clients ignore an event with this name
      write_event(json, view_.events.empty() ? compat::SampledEvent{} : view_.events[0], "unknown event");
    }
    json.end_array();
  }

  void write_modules(text::JsonWriter& json) const {
    json.begin_array("modules");
    for (const answers::SampleModule& module : view_.run.target.modules) {
      json.begin_object();
      json.string("name", module.name);
      json.integer("address", module.base);
      json.string("path", module.path);
      json.end_object();
    }
    json.end_array();
    json.begin_array("modules_info");
    for (const answers::SampleModule& module : view_.run.target.modules) {
      if (!module.pdb_file.empty()) write_module_info(json, module);
    }
    json.end_array();
  }

  static void write_module_info(text::JsonWriter& json, const answers::SampleModule& module) {
    json.begin_object();
    json.begin_array("sections");
    for (const answers::ModuleSection& section : module.sections) {
      json.begin_object();
      json.string("section", section.name);
      json.integer("offset", section.rva);
      json.integer("virtual_size", section.virtual_size);
      json.end_object();
    }
    json.end_array();
    json.string("module", module.name);
    json.string("pdb_file", module.pdb_file);
    json.string("pe_name", module.path);
    json.end_object();
  }

  void write_losses(text::JsonWriter& json) const {
    const auto notable = [](const answers::CoreSamples& core) {
      return core.throttled != 0 || core.held_back != 0 || core.register_losses != 0;
    };
    if (view_.run.samples_dropped() == 0 && std::none_of(view_.run.cores.begin(), view_.run.cores.end(), notable)) {
      return;
    }
    json.begin_array("losses");
    for (const answers::CoreSamples& core : view_.run.cores) {
      json.begin_object();
      json.integer("core", core.core);
      json.integer("generated", core.generated);
      json.integer("ring_full", core.lost_ring_full);
      json.integer("filtered", core.lost_filtered);
      if (core.held_back != 0) {
        json.integer("held_back", core.held_back);
      }
      if (core.throttled != 0) {
        json.integer("throttled", core.throttled);
      }
      if (core.register_losses != 0) {
        json.integer("register_losses", core.register_losses);
      }
      json.end_object();
    }
    json.end_array();
  }

  void write_breakdowns(text::JsonWriter& json) const {
    if (options_.by.empty()) return;
    json.begin_object("by");
    for (const request::Breakdown breakdown : options_.by) {
      json.begin_array(breakdown_name(breakdown));
      for (const compat::SampledEvent* event : events_by_name()) {
        json.begin_object();
        json.string("type", event->name);
        json.key("rows");
        write_rows(json, breakdown_table(view_, *event, breakdown, options_));
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  }

  void write_over_time(text::JsonWriter& json) const {
    if (view_.slices.count == 0) return;
    json.begin_object("over_time");
    json.real("slice_ms", static_cast<double>(view_.slices.length_ns) / 1e6);
    json.integer("slices", view_.slices.count);
    json.begin_array("events");
    for (const compat::SampledEvent* event : events_by_name()) {
      json.begin_object();
      json.string("type", event->name);
      json.begin_array("functions");
      for (const compat::SymbolRow* row : shown_rows(view_, *event, options_).rows) write_function(json, *row);
      json.end_array();
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }

  void write_function(text::JsonWriter& json, const compat::SymbolRow& row) const {
    json.begin_object();
    json.string("symbol", compat::display_name(view_, row.symbol));
    json.begin_array("counts");
    for (const u32 count : row.over_time) json.integer(count);
    json.end_array();
    json.end_object();
  }

  void write_symbol_sources(text::JsonWriter& json) const {
    const std::vector<SymbolNote> notes = symbol_notes(view_);
    if (notes.empty()) return;
    json.begin_array("without_symbols");
    for (const SymbolNote& note : notes) {
      const answers::SampleModule& module = view_.run.target.modules[note.module];
      json.begin_object();
      json.string("module", module.name);
      json.real("percent", note.percent);
      json.string("reason", module.reason);
      json.end_object();
    }
    json.end_array();
  }

  void write(text::JsonWriter& json) const {
    json.begin_object();
    json.key("sampling");
    write_sampling(json);
    json.end_object();
  }

  void write_sampling(text::JsonWriter& json) const {
    const answers::SampleTarget& target = view_.run.target;
    json.begin_object();
    json.string("pe_file", target.pe_file);
    json.string("pdb_file", target.pdb_file);
    json.integer("sample_display_row", options_.rows);
    json.integer("samples_generated", view_.run.samples_generated());
    json.integer("samples_dropped", view_.run.samples_dropped());
    json.integer("base_address", target.base_address);
    json.integer("runtime_delta", target.runtime_delta);
    if (options_.verbose) write_modules(json);
    json.key("events");
    write_events(json);
    json.real("time_elapsed", view_.run.elapsed_seconds);
    write_losses(json);
    write_breakdowns(json);
    write_over_time(json);
    write_symbol_sources(json);
    if (!view_.run.note.empty()) {
      json.string("note", view_.run.note);
    }
    if (omitted_ != 0) {
      json.integer("lines_not_disassembled", omitted_);
    }
    json.end_object();
  }

  const compat::CompatView& view_;
  const SampleOptions& options_;
  std::set<const compat::LineRow*> chosen_;  // the lines whose disassembly is written
  u32 omitted_ = 0;
};

}  // namespace

SampleJsonParts sample_json_parts(const compat::CompatView& view, const SampleOptions& options) {
  return SampleJson(view, options).parts();
}

std::string sample_json(const compat::CompatView& view, const SampleOptions& options) {
  return SampleJson(view, options).document();
}

std::string sampling_value(const compat::CompatView& view, const SampleOptions& options) {
  return SampleJson(view, options).value();
}

}  // namespace wperf::report
