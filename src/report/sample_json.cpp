// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.8. Clients allow new keys inside "sampling" only, not inside events and their rows: ours come last there.
#include <algorithm>
#include <set>
#include <tuple>

#include "report/json_writer.h"
#include "report/number_text.h"
#include "report/sample_annotation.h"
#include "report/sample_report.h"
#include "report/sample_selection.h"
#include "report/sample_tables.h"

namespace wperf::report {
namespace {

// The disassembly of one line, a candidate for what fits.
struct CodeOfLine {
  const profile::LineRow* line = nullptr;
  usize order = 0;  // in the document
  usize bytes = 0;  // of its array
};

class SampleJson {
 public:
  SampleJson(const profile::CompatProfile& profile, const SampleOptions& options)
      : profile_(profile), options_(options) {}

  std::string document() {
    choose_code(1);
    std::string out;
    JsonWriter json(out);
    write(json);
    return out;
  }

  SampleJsonParts parts() {
    choose_code(2);
    SampleJsonParts parts;
    JsonWriter sampling(parts.sampling), events(parts.events);
    write_sampling(sampling);
    write_events(events);
    return parts;
  }

 private:
  bool annotates() const { return options_.annotate || options_.disassemble; }

  // Disassembly is what makes documents large, and a client that reads no further than its limit sees nothing at all.
  // `times`: how often each line is written.
  void choose_code(usize times) {
    if (!options_.disassemble) return;
    std::vector<CodeOfLine> lines = code_of_lines();
    if (options_.most_bytes == 0) {
      for (const CodeOfLine& code : lines) chosen_.insert(code.line);
      return;
    }
    std::string bare;
    JsonWriter json(bare);
    omitted_ = static_cast<u32>(lines.size());  // so that its own digits are counted
    write(json);
    std::sort(lines.begin(), lines.end(), [](const CodeOfLine& a, const CodeOfLine& b) {
      return std::tie(b.line->hits, a.order) < std::tie(a.line->hits, b.order);
    });
    if (times > 1) {
      JsonWriter again(bare);
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
    for (const profile::SampledEvent& event : profile_.events) {
      for (const profile::SymbolRow* row : shown_rows(profile_, event, options_).rows) {
        if (!is_annotated(profile_, *row)) continue;
        for (const profile::LineRow& line : row->lines) {
          std::string rendered;
          JsonWriter json(rendered);
          write_code(json, line);
          if (rendered != "[]") lines.push_back({.line = &line, .order = lines.size(), .bytes = rendered.size()});
        }
      }
    }
    return lines;
  }

  void write_code(JsonWriter& json, const profile::LineRow& line) const {
    json.begin_array();
    const profile::CodeBlock* code = profile::find_code(profile_, line.module, line.code_begin, line.code_end);
    if (code != nullptr) {
      for (const profile::Instruction& instruction : code->instructions) {
        json.begin_object();
        json.key("address");
        json.string(code_address(profile_, line.module, instruction.rva));
        json.key("instruction");
        json.string(instruction_text(instruction));
        json.end_object();
      }
    }
    json.end_array();
  }

  void write_line(JsonWriter& json, const profile::LineRow& line) const {
    json.begin_object();
    json.key("line_number");
    json.integer(line.line);
    json.key("hits");
    json.integer(line.hits);
    json.key("filename");
    json.string(profile_.files[line.file].path);
    json.key("instruction_address");
    json.string(options_.disassemble ? code_address(profile_, line.module, line.hot_rva) : "");
    json.key("disassembled_line");
    json.begin_object();
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

  void write_annotations(JsonWriter& json, const ShownRows& shown) const {
    json.key("annotate");
    json.begin_array();
    for (const profile::SymbolRow* row : shown.rows) {
      if (!annotates() || !is_annotated(profile_, *row)) continue;
      json.begin_object();
      json.key("function_name");
      json.string(profile::display_name(profile_, row->symbol));
      json.key("source_code");
      json.begin_array();
      for (const profile::LineRow& line : row->lines) write_line(json, line);
      json.end_array();
      json.end_object();
    }
    json.end_array();
  }

  void write_pcs(JsonWriter& json, const ShownRows& shown) const {
    json.key("pcs");
    json.begin_array();
    for (const profile::SymbolRow* row : shown.rows) {
      const std::string symbol = profile::display_name(profile_, row->symbol);
      for (const profile::PcCount& pc : row->pcs) {
        json.begin_object();
        json.key("address");
        json.integer(pc.address);
        json.key("count");
        json.integer(pc.count);
        json.key("in_symbol");
        json.string(symbol);
        json.end_object();
      }
    }
    json.end_array();
  }

  void write_event(JsonWriter& json, const profile::SampledEvent& event, std::string_view type) const {
    const ShownRows shown = shown_rows(profile_, event, options_);
    json.begin_object();
    json.key("type");
    json.string(type);
    json.key("samples");
    json.begin_array();
    for (const profile::SymbolRow* row : shown.rows) {
      json.begin_object();
      json.key("overhead");
      json.real(percent(row->count, event.samples));
      json.key("count");
      json.integer(row->count);
      json.key("symbol");
      json.string(profile::display_name(profile_, row->symbol));
      json.end_object();
    }
    json.end_array();
    json.key("interval");
    json.integer(event.interval);
    json.key("printed_sample_num");
    json.integer(shown.rows.size());
    if (options_.verbose) write_pcs(json, shown);
    write_annotations(json, shown);
    json.end_object();
  }

  std::vector<const profile::SampledEvent*> events_by_name() const {
    std::vector<const profile::SampledEvent*> events;
    for (const profile::SampledEvent& event : profile_.events) events.push_back(&event);
    std::sort(events.begin(), events.end(), [](const profile::SampledEvent* a, const profile::SampledEvent* b) {
      return std::tie(a->name, a->code, a->interval) < std::tie(b->name, b->code, b->interval);
    });
    return events;
  }

  void write_events(JsonWriter& json) const {
    json.begin_array();
    if (has_samples(profile_)) {
      for (const profile::SampledEvent* event : events_by_name()) write_event(json, *event, event->name);
    } else {  // the name that clients know and hide
      write_event(json, profile_.events.empty() ? profile::SampledEvent{} : profile_.events[0], "unknown event");
    }
    json.end_array();
  }

  void write_modules(JsonWriter& json) const {
    json.key("modules");
    json.begin_array();
    for (const profile::SampleModule& module : profile_.target.modules) {
      json.begin_object();
      json.key("name");
      json.string(module.name);
      json.key("address");
      json.integer(module.base);
      json.key("path");
      json.string(module.path);
      json.end_object();
    }
    json.end_array();
    json.key("modules_info");
    json.begin_array();
    for (const profile::SampleModule& module : profile_.target.modules) {
      if (!module.pdb_file.empty()) write_module_info(json, module);
    }
    json.end_array();
  }

  static void write_module_info(JsonWriter& json, const profile::SampleModule& module) {
    json.begin_object();
    json.key("sections");
    json.begin_array();
    for (const profile::ModuleSection& section : module.sections) {
      json.begin_object();
      json.key("section");
      json.string(section.name);
      json.key("offset");
      json.integer(section.rva);
      json.key("virtual_size");
      json.integer(section.virtual_size);
      json.end_object();
    }
    json.end_array();
    json.key("module");
    json.string(module.name);
    json.key("pdb_file");
    json.string(module.pdb_file);
    json.key("pe_name");
    json.string(module.path);
    json.end_object();
  }

  void write_losses(JsonWriter& json) const {
    const auto notable = [](const profile::CoreSamples& core) {
      return core.throttled != 0 || core.held_back != 0 || core.register_losses != 0;
    };
    if (profile_.samples_dropped() == 0 && std::none_of(profile_.cores.begin(), profile_.cores.end(), notable)) {
      return;
    }
    json.key("losses");
    json.begin_array();
    for (const profile::CoreSamples& core : profile_.cores) {
      json.begin_object();
      json.key("core");
      json.integer(core.core);
      json.key("generated");
      json.integer(core.generated);
      json.key("ring_full");
      json.integer(core.lost_ring_full);
      json.key("filtered");
      json.integer(core.lost_filtered);
      if (core.held_back != 0) {
        json.key("held_back");
        json.integer(core.held_back);
      }
      if (core.throttled != 0) {
        json.key("throttled");
        json.integer(core.throttled);
      }
      if (core.register_losses != 0) {
        json.key("register_losses");
        json.integer(core.register_losses);
      }
      json.end_object();
    }
    json.end_array();
  }

  void write_breakdowns(JsonWriter& json) const {
    if (options_.by.empty()) return;
    json.key("by");
    json.begin_object();
    for (const SampleBreakdown breakdown : options_.by) {
      json.key(breakdown_name(breakdown));
      json.begin_array();
      for (const profile::SampledEvent* event : events_by_name()) {
        json.begin_object();
        json.key("type");
        json.string(event->name);
        json.key("rows");
        write_rows(json, breakdown_table(profile_, *event, breakdown, options_));
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  }

  void write_over_time(JsonWriter& json) const {
    if (profile_.slices.count == 0) return;
    json.key("over_time");
    json.begin_object();
    json.key("slice_ms");
    json.real(static_cast<double>(profile_.slices.length_ns) / 1e6);
    json.key("slices");
    json.integer(profile_.slices.count);
    json.key("events");
    json.begin_array();
    for (const profile::SampledEvent* event : events_by_name()) {
      json.begin_object();
      json.key("type");
      json.string(event->name);
      json.key("functions");
      json.begin_array();
      for (const profile::SymbolRow* row : shown_rows(profile_, *event, options_).rows) write_function(json, *row);
      json.end_array();
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }

  void write_function(JsonWriter& json, const profile::SymbolRow& row) const {
    json.begin_object();
    json.key("symbol");
    json.string(profile::display_name(profile_, row.symbol));
    json.key("counts");
    json.begin_array();
    for (const u32 count : row.over_time) json.integer(count);
    json.end_array();
    json.end_object();
  }

  void write_symbol_sources(JsonWriter& json) const {
    const std::vector<SymbolNote> notes = symbol_notes(profile_);
    if (notes.empty()) return;
    json.key("without_symbols");
    json.begin_array();
    for (const SymbolNote& note : notes) {
      const profile::SampleModule& module = profile_.target.modules[note.module];
      json.begin_object();
      json.key("module");
      json.string(module.name);
      json.key("percent");
      json.real(note.percent);
      json.key("reason");
      json.string(module.reason);
      json.end_object();
    }
    json.end_array();
  }

  void write(JsonWriter& json) const {
    json.begin_object();
    json.key("sampling");
    write_sampling(json);
    json.end_object();
  }

  void write_sampling(JsonWriter& json) const {
    const profile::SampleTarget& target = profile_.target;
    json.begin_object();
    json.key("pe_file");
    json.string(target.pe_file);
    json.key("pdb_file");
    json.string(target.pdb_file);
    json.key("sample_display_row");
    json.integer(options_.rows);
    json.key("samples_generated");
    json.integer(profile_.samples_generated());
    json.key("samples_dropped");
    json.integer(profile_.samples_dropped());
    json.key("base_address");
    json.integer(target.base_address);
    json.key("runtime_delta");
    json.integer(target.runtime_delta);
    if (options_.verbose) write_modules(json);
    json.key("events");
    write_events(json);
    json.key("time_elapsed");
    json.real(profile_.elapsed_seconds);
    write_losses(json);
    write_breakdowns(json);
    write_over_time(json);
    write_symbol_sources(json);
    if (!profile_.note.empty()) {
      json.key("note");
      json.string(profile_.note);
    }
    if (omitted_ != 0) {
      json.key("lines_not_disassembled");
      json.integer(omitted_);
    }
    json.end_object();
  }

  const profile::CompatProfile& profile_;
  const SampleOptions& options_;
  std::set<const profile::LineRow*> chosen_;  // whose disassembly is written
  u32 omitted_ = 0;
};

}  // namespace

SampleJsonParts sample_json_parts(const profile::CompatProfile& profile, const SampleOptions& options) {
  return SampleJson(profile, options).parts();
}

std::string sample_json(const profile::CompatProfile& profile, const SampleOptions& options) {
  return SampleJson(profile, options).document();
}

}  // namespace wperf::report
