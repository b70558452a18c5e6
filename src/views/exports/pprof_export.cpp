// SPDX-License-Identifier: BSD-3-Clause
// pprof's profile.proto, compressed with gzip as its readers require.
#include <unordered_map>
#include <unordered_set>

#include "ground/packing/deflate.h"
#include "ground/text/protobuf.h"
#include "views/exports/exported_profile.h"

namespace wperf::exports {
namespace {

enum ProfileField : u32 {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTime = 9,
  kDuration = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14
};

class PprofWriter {
 public:
  PprofWriter(const Source& source, const TakeBytes& take)
      : profile_(source.profile),
        source_(source),
        names_(source.profile),
        locations_(source.profile),
        gzip_(packing::Form::gzip, packing::Effort::fast, take),
        out_([this](std::string_view bytes) { gzip_.add(bytes); }) {
    texts_("");
  }

  void write() {
    write_types();
    write_samples();
    write_mappings();
    write_locations();
    for (const std::string& text : loss_texts(profile_.losses)) comment(text);
    if (!profile_.note.empty()) comment(clean_text(profile_.note));
    comment(source_.tool);
    text::Message strings;
    for (const std::string& text : texts_.all()) strings.block(kStringTable, text);
    put(strings);
    out_.flush();
    gzip_.finish();
  }

 private:
  void put(text::Message& fields) {
    out_.text += fields.bytes();
    out_.flush_if_long();
    fields.clear();
  }
  void comment(std::string_view text) {
    text::Message fields;
    fields.always(kComment, texts_(text));
    put(fields);
  }
  text::Message type(std::string_view name, std::string_view unit) {
    text::Message one;
    one.number(1, texts_(name));
    one.number(2, texts_(unit));
    return one;
  }

  // Writes two types for each event: the number of samples and their weight.
  void write_types() {
    text::Message fields;
    column_.assign(profile_.events.size(), 0);
    for (const u32 event : used_events(profile_)) {
      column_[event] = columns_;
      columns_ += 2;
      const std::string name = clean_text(profile_.events[event].name);
      const std::string_view unit = is_clock(profile_.events[event]) ? "nanoseconds" : "count";
      fields.message(kSampleType, type(name + ".samples", "count"));
      fields.message(kSampleType, type(name, unit));
      if (columns_ == 2) {
        fields.message(kPeriodType, type(name, unit));
        fields.number(kPeriod, profile_.events[event].interval);
        fields.number(kDefaultSampleType, texts_(name));
      }
    }
    fields.number(kTime, source_.begin_unix_ns);
    fields.number(kDuration, static_cast<u64>(profile_.elapsed_seconds * 1e9));
    put(fields);
  }

  void write_samples() {
    text::Message fields, sample, label;
    std::vector<u32> stack;
    std::vector<u64> values(columns_);
    const u32 pid = texts_("pid"), tid = texts_("tid"), thread = texts_("thread");
    const auto add_label = [&](u32 key, u32 number_field, u64 value) {
      label.clear();
      label.number(1, key);
      label.always(number_field, value);
      sample.message(3, label);
    };
    std::vector<u32> thread_names;
    for (u32 task = 0; task < profile_.tasks.size(); ++task) thread_names.push_back(texts_(names_.thread(task)));
    for (const stacks::StackSample& one : profile_.samples) {
      sample.clear();
      stack.clear();
      locations_.for_each_of(one.node, [&](u32 location) { stack.push_back(location + 1); });
      sample.packed(1, std::span<const u32>(stack));
      values[column_[one.event]] = one.count;
      values[column_[one.event] + 1] = one.period;
      sample.packed(2, std::span<const u64>(values));
      values[column_[one.event]] = values[column_[one.event] + 1] = 0;
      const stacks::StackTask& task = profile_.tasks[one.task];
      if (task.pid != kNothing) add_label(pid, 3, task.pid);
      if (task.tid != kNothing) add_label(tid, 3, task.tid);
      if (thread_names[one.task] != 0) add_label(thread, 2, thread_names[one.task]);
      fields.message(kSample, sample);
      put(fields);
    }
  }

  // pprof expects the mapping of the program first. It merges mappings with the same build id, so only one file with a
  // build id gets that id.
  void write_mappings() {
    text::Message fields;
    const u32 first = main_module(profile_, source_.program);
    const auto count = static_cast<u32>(profile_.modules.size());
    std::unordered_set<std::string_view> builds;
    for (u32 i = 0; i < count; ++i) {
      const u32 number = i == 0 ? first : i <= first ? i - 1 : i;
      const stacks::StackModule& module = profile_.modules[number];
      text::Message mapping;
      mapping.number(1, number + 1);
      mapping.number(5, texts_(clean_text(module.path.empty() ? module.name : module.path)));
      mapping.number(6, builds.insert(module.build_id).second ? texts_(module.build_id) : 0);
      const bool has_names = module.reason.empty();
      mapping.number(7, has_names ? 1 : 0);
      mapping.number(8, has_names && has_lines_of(number) ? 1 : 0);
      mapping.number(9, has_names && has_lines_of(number) ? 1 : 0);
      mapping.number(10, has_names && inlined_[number] ? 1 : 0);
      fields.message(kMapping, mapping);
    }
    put(fields);
  }

  bool has_lines_of(u32 module) {
    if (lined_.empty()) {
      lined_.resize(profile_.modules.size());
      inlined_.resize(profile_.modules.size());
      for (const stacks::StackPlace& place : profile_.places) {
        const stacks::StackFunction& function = profile_.functions[place.function];
        if (place.line != kNothing) lined_[function.module] = true;
        if (function.is_inlined) inlined_[function.module] = true;
      }
    }
    return lined_[module];
  }

  void write_locations() {
    text::Message fields, location, line;
    for (u32 i = 0; i < locations_.all().size(); ++i) {
      location.clear();
      location.number(1, i + 1);
      const u32 function = profile_.places[locations_.all()[i].place].function;
      location.number(2, profile_.functions[function].module + 1);
      for (u32 at = i; at != kNothing; at = locations_.all()[at].outer) {
        const u32 place = locations_.all()[at].place;
        const PlaceLine where = names_.line(place);
        line.clear();
        line.number(1, function_of(profile_.places[place].function, where.file));
        line.number(2, where.line);
        location.message(4, line);
      }
      fields.message(kLocation, location);
      put(fields);
    }
    text::Message function;
    for (const Function& one : functions_) {
      function.clear();
      function.number(1, static_cast<u64>(&one - functions_.data()) + 1);
      function.number(2, texts_(names_.function(one.number)));
      // Field 3, the linker name, is not written. If it were equal to the name, pprof would demangle the name and
      // remove the text inside < >.
      function.number(4, one.file);
      fields.message(kFunction, function);
      put(fields);
    }
  }

  // In this format a function belongs to one file, so one number is used for each name and file.
  u64 function_of(u32 number, std::string_view file) {
    const u32 text = texts_(file);
    const auto [known, is_new] = function_numbers_.try_emplace(u64{number} << 32 | text, functions_.size() + 1);
    if (is_new) functions_.push_back({number, text});
    return known->second;
  }

  struct Function {
    u32 number = 0, file = 0;
  };
  const stacks::StackProfile& profile_;
  const Source& source_;
  Names names_;
  Locations locations_;
  packing::Deflater gzip_;
  Collected out_;
  Texts texts_;
  std::vector<u32> column_;  // by event
  u32 columns_ = 0;
  std::vector<bool> lined_, inlined_;  // by module
  std::unordered_map<u64, u64> function_numbers_;
  std::vector<Function> functions_;
};

}  // namespace

void write_pprof(const Source& source, const TakeBytes& take) {
  PprofWriter(source, take).write();
}

}  // namespace wperf::exports
