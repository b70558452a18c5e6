// SPDX-License-Identifier: BSD-3-Clause
// OpenTelemetry's profiles, version 1.11.0 (opentelemetry.proto.profiles.v1development, alpha): one ProfilesData
// message with a profile for each event. Entry 0 of each table in the dictionary is its zero value.
#include <unordered_map>

#include "ground/text/protobuf.h"
#include "views/exports/exported_profile.h"

namespace wperf::exports {
namespace {

class OtlpWriter {
 public:
  OtlpWriter(const Source& source, const TakeBytes& take)
      : source_(source), profile_(source.profile), names_(source.profile), locations_(source.profile), out_(take) {
    texts_("");
    attributes_.emplace_back();
  }

  void write() {
    number_stacks();
    sort_moments();
    // Profiles are made first, because they number the entries that the dictionary then lists. Each profile has a
    // separate ResourceProfiles, so that no message has to be copied into another one.
    text::Message scope, about;
    about.text(1, "wperf");
    about.text(2, source_.tool);
    scope.message(1, about);
    const text::Message resource = resource_message();
    for (const u32 event : used_events(profile_)) {
      const text::Message profile = profile_of(event);
      text::Message field, inner, outer;
      field.begin_block(2, profile.bytes().size());
      inner.begin_block(2, scope.bytes().size() + field.bytes().size() + profile.bytes().size());
      outer.begin_block(1, resource.bytes().size() + inner.bytes().size() + scope.bytes().size() +
                               field.bytes().size() + profile.bytes().size());
      out_.text += outer.bytes() + resource.bytes() + inner.bytes() + scope.bytes() + field.bytes();
      out_.flush();
      out_.pass(profile.bytes());
    }
    write_dictionary();
  }

 private:
  // Only stacks and locations that occur in samples are listed.
  void number_stacks() {
    stack_of_node_.assign(profile_.nodes.size(), 0);
    location_used_.assign(locations_.all().size(), 0);
    for (const stacks::StackSample& sample : profile_.samples) {
      u32& stack = stack_of_node_[sample.node];
      if (stack != 0 || profile_.nodes[sample.node].place == kNothing) continue;
      stacks_.push_back(sample.node);
      stack = static_cast<u32>(stacks_.size());
      locations_.for_each_of(sample.node, [&](u32 location) {
        if (location_used_[location] != 0) return;
        used_locations_.push_back(location);
        location_used_[location] = static_cast<u32>(used_locations_.size());
      });
    }
  }

  // For ResourceProfiles; empty if there is no service name.
  text::Message resource_message() const {
    text::Message field, resource;
    for (const auto& [key, text] : source_.attributes) {
      text::Message one, value;
      one.text(1, key);
      value.block(1, text);
      one.message(2, value);
      resource.message(1, one);
    }
    if (!source_.attributes.empty()) field.message(1, resource);
    return field;
  }

  // Converts a time of the recording's clock to wall-clock time, if that is known.
  u64 on_the_wall(u64 time_ns) const {
    return source_.begin_unix_ns == 0 ? time_ns : time_ns - source_.moments.begin_ns + source_.begin_unix_ns;
  }

  u32 attribute(std::string_view key, std::string_view text, u64 number) {
    text::Message one, value;
    one.number(1, texts_(key));
    text.empty() ? value.always(3, number) : value.block(1, text);
    one.message(2, value);
    const auto [known, is_new] = attribute_numbers_.try_emplace(one.bytes(), static_cast<u32>(attributes_.size()));
    if (is_new) attributes_.push_back(known->first);
    return known->second;
  }

  // Samples with the same stack, thread and core are merged. If all of them have times, the times are also written.
  text::Message profile_of(u32 event) {
    text::Message out, type, sample;
    type.number(1, texts_(clean_text(profile_.events[event].name)));
    type.number(2, texts_("count"));
    out.message(1, type);
    std::vector<u64> times, ones;
    std::vector<u32> about;
    for (u32 row = 0; row < profile_.samples.size(); ++row) {
      const stacks::StackSample& one = profile_.samples[row];
      if (one.event != event) continue;
      about = of_task(one.task);
      if (one.core != kNothing) about.push_back(of_core(one.core));
      sample.clear();
      sample.number(1, stack_of_node_[one.node]);
      sample.packed(2, std::span<const u32>(about));
      if (times_of(row, times) && times.size() == one.count) {
        ones.assign(times.size(), 1);
        sample.packed(4, std::span<const u64>(ones));
        sample.packed_fixed(5, times);
      } else {
        const u64 count = one.count;
        sample.packed(4, std::span<const u64>(&count, 1));
      }
      out.message(2, sample);
    }
    if (source_.moments.end_ns != 0) {
      out.fixed(3, on_the_wall(source_.moments.begin_ns));
      out.number(4, source_.moments.end_ns - source_.moments.begin_ns + 1);
    } else if (source_.begin_unix_ns != 0) {
      out.fixed(3, source_.begin_unix_ns);
      out.number(4, static_cast<u64>(profile_.elapsed_seconds * 1e9));
    }
    if (const stacks::StackEvent& kind = profile_.events[event]; kind.interval != 0) {
      text::Message period_type;
      period_type.number(1, texts_(clean_text(kind.name)));
      period_type.number(2, texts_(is_clock(kind) ? "nanoseconds" : "count"));
      out.message(5, period_type);
      out.number(6, kind.interval);
    }
    return out;
  }

  const std::vector<u32>& of_task(u32 number) {
    task_attributes_.resize(profile_.tasks.size());
    std::vector<u32>& known = task_attributes_[number];
    if (known.empty()) {
      const stacks::StackTask& task = profile_.tasks[number];
      if (task.pid != kNothing) known.push_back(attribute("process.pid", {}, task.pid));
      if (task.tid != kNothing) known.push_back(attribute("thread.id", {}, task.tid));
      if (!names_.thread(number).empty()) known.push_back(attribute("thread.name", names_.thread(number), 0));
    }
    return known;
  }
  u32 of_core(u32 core) {
    const auto [known, is_new] = core_attributes_.try_emplace(core, 0);
    if (is_new) known->second = attribute("cpu.logical_number", {}, core);
    return known->second;
  }

  // Sorts the moments by row.
  void sort_moments() {
    const stacks::SampleMoments& all = source_.moments.samples;
    begin_of_row_.assign(profile_.samples.size() + 1, 0);
    for (const u32 row : all.rows) ++begin_of_row_[row + usize{1}];
    for (usize row = 0; row < profile_.samples.size(); ++row) begin_of_row_[row + 1] += begin_of_row_[row];
    moments_.resize(all.size());
    std::vector<u32> next = begin_of_row_;
    for (u32 i = 0; i < all.size(); ++i) moments_[next[all.rows[i]]++] = i;
  }
  // Returns false if the profile has no times.
  bool times_of(u32 row, std::vector<u64>& times) const {
    times.clear();
    for (u32 i = begin_of_row_[row]; i < begin_of_row_[row + usize{1}]; ++i) {
      const u64 time_ns = source_.moments.samples.times_ns[moments_[i]];
      if (time_ns == 0) return false;
      times.push_back(on_the_wall(time_ns));
    }
    return true;
  }

  void write_dictionary() {
    text::Message out, entry, line;
    const auto flush = [&] {
      // Readers merge consecutive parts of the same message, so it can be written in parts.
      text::Message data;
      data.message(2, out);
      out_.text += data.bytes();
      out_.flush_if_long();
      out.clear();
    };
    const auto put = [&](u32 field) {
      constexpr usize kLong = 1 << 15;
      out.message(field, entry);
      entry.clear();
      if (out.bytes().size() > kLong) flush();
    };
    put(1);
    for (const stacks::StackModule& module : profile_.modules) {
      entry.number(4, texts_(clean_text(module.path.empty() ? module.name : module.path)));
      std::vector<u32> about;
      if (!module.build_id.empty()) {
        const bool windows = !module.pdb_path.empty() || module.image_base != 0;
        about.push_back(attribute(windows ? "process.executable.build_id.pdb" : "process.executable.build_id.gnu",
                                  module.build_id, 0));
      }
      entry.packed(5, std::span<const u32>(about));
      put(1);
    }
    put(2);
    for (const u32 location : used_locations_) {
      entry.number(1, module_of(location) + 1);
      for (u32 at = location; at != kNothing; at = locations_.all()[at].outer) {
        const u32 place = locations_.all()[at].place;
        const PlaceLine where = names_.line(place);
        line.clear();
        line.number(1, function_of(profile_.places[place].function, where.file));
        line.number(2, where.line);
        entry.message(3, line);
      }
      put(2);
    }
    put(3);
    for (const Function& one : functions_) {
      entry.number(1, one.name);
      entry.number(3, one.file);
      put(3);
    }
    put(4);
    put(7);
    std::vector<u32> path;
    for (const u32 node : stacks_) {
      path.clear();
      locations_.for_each_of(node, [&](u32 location) { path.push_back(location_used_[location]); });
      entry.packed(1, std::span<const u32>(path));
      put(7);
    }
    for (const std::string& attribute : attributes_) out.block(6, attribute);
    for (const std::string& text : texts_.all()) out.block(5, text);
    flush();
    out_.flush();
  }

  u32 module_of(u32 location) const {
    return profile_.functions[profile_.places[locations_.all()[location].place].function].module;
  }
  // The dictionary must not have equal entries, so functions with the same name and file are merged.
  u32 function_of(u32 number, std::string_view file) {
    const Function one{texts_(names_.function(number)), texts_(file)};
    const auto [known, is_new] =
        function_numbers_.try_emplace(u64{one.name} << 32 | one.file, static_cast<u32>(functions_.size() + 1));
    if (is_new) functions_.push_back(one);
    return known->second;
  }

  struct Function {
    u32 name = 0, file = 0;  // indices into texts_
  };
  const Source& source_;
  const stacks::StackProfile& profile_;
  Names names_;
  Locations locations_;
  Collected out_;
  Texts texts_;
  std::vector<u32> begin_of_row_, moments_;
  std::vector<u32> stack_of_node_, location_used_;  // numbers in the dictionary; 0: none
  std::vector<u32> stacks_, used_locations_;
  std::vector<std::vector<u32>> task_attributes_;  // by task
  std::unordered_map<u32, u32> core_attributes_;
  std::unordered_map<std::string, u32> attribute_numbers_;
  std::vector<std::string> attributes_;
  std::unordered_map<u64, u32> function_numbers_;
  std::vector<Function> functions_;
};

}  // namespace

void write_otlp(const Source& source, const TakeBytes& take) {
  OtlpWriter(source, take).write();
}

}  // namespace wperf::exports
