// SPDX-License-Identifier: BSD-3-Clause
// speedscope's file format: https://www.speedscope.app/file-format-schema.json
#include <fmt/format.h>

#include <algorithm>

#include "ground/text/json_writer.h"
#include "views/exports/exported_profile.h"

namespace wperf::exports {
namespace {

// There is a profile for each thread and event. Stacks are written in full for each sample, so long recordings are
// written by row instead of by time; only the view by time shows the difference.
constexpr usize kMostInOrder = 200'000;

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const Source& source, const TakeBytes& take)
      : source_(source), profile_(source.profile), names_(source.profile), out_(take), json_(out_.text) {}

  void write() {
    json_.begin_object();
    json_.string("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.string("exporter", source_.tool);
    json_.string("name", profile_.file);
    json_.begin_object("shared");
    json_.begin_array("frames");
    for (u32 place = 0; place < profile_.places.size(); ++place) write_frame(place);
    json_.end_array();
    json_.end_object();
    json_.begin_array("profiles");
    sort_samples();
    for (usize begin = 0; begin < parts_.size();) {
      usize end = begin;
      while (end < parts_.size() && key_of(parts_[end]) == key_of(parts_[begin])) ++end;
      write_profile(std::span(parts_).subspan(begin, end - begin));
      begin = end;
    }
    json_.end_array();
    json_.end_object();
    out_.text += '\n';
    out_.flush();
  }

 private:
  struct Part {
    u32 row = 0;
    u64 count = 0;
  };
  std::pair<u32, u32> key_of(const Part& part) const {
    return {profile_.samples[part.row].event, profile_.samples[part.row].task};
  }

  void sort_samples() {
    const usize moments = source_.moments.samples.size();
    if (moments != 0 && moments <= kMostInOrder) {
      for_each_moment(source_, [&](u32, u32 row, u64 count, u64) { parts_.push_back({row, count}); });
    } else {
      for (u32 row = 0; row < profile_.samples.size(); ++row) parts_.push_back({row, profile_.samples[row].count});
    }
    std::stable_sort(parts_.begin(), parts_.end(), [&](const Part& a, const Part& b) { return key_of(a) < key_of(b); });
  }

  void write_frame(u32 place) {
    const PlaceLine where = names_.line(place);
    json_.begin_object();
    json_.string("name", names_.marked_function(profile_.places[place].function));
    if (!where.file.empty()) {
      json_.string("file", where.file);
      json_.integer("line", where.line);
    }
    json_.end_object();
    out_.flush_if_long();
  }

  // "comm (pid/tid) event", or the known parts of it; wperf's importer splits this text again.
  std::string name_of(u32 event, u32 task) const {
    const stacks::StackTask& of = profile_.tasks[task];
    std::string name = names_.thread(task);
    if (of.pid != kNothing && of.tid != kNothing) name += fmt::format(" ({}/{})", of.pid, of.tid);
    return fmt::format("{}{}[{}]", name, name.empty() ? "" : " ", profile_.events[event].name);
  }

  void write_profile(std::span<const Part> parts) {
    const auto [event, task] = key_of(parts[0]);
    u64 total = 0;
    for (const Part& part : parts) total += part.count;
    json_.begin_object();
    json_.string("type", "sampled");
    json_.string("name", name_of(event, task));
    json_.string("unit", "none");
    json_.integer("startValue", 0);
    json_.integer("endValue", total);
    json_.begin_array("samples");
    std::vector<u32> path;
    for (const Part& part : parts) {
      path.clear();
      for (u32 node = profile_.samples[part.row].node; profile_.nodes[node].place != kNothing;
           node = profile_.nodes[node].parent) {
        path.push_back(profile_.nodes[node].place);
      }
      json_.begin_array();
      for (usize i = path.size(); i-- > 0;) json_.integer(path[i]);
      json_.end_array();
      out_.flush_if_long();
    }
    json_.end_array();
    json_.begin_array("weights");
    for (const Part& part : parts) {
      json_.integer(part.count);
      out_.flush_if_long();
    }
    json_.end_array();
    json_.end_object();
  }

  const Source& source_;
  const stacks::StackProfile& profile_;
  Names names_;
  Collected out_;
  text::JsonWriter json_;
  std::vector<Part> parts_;
};

}  // namespace

void write_speedscope(const Source& source, const TakeBytes& take) {
  SpeedscopeWriter(source, take).write();
}

}  // namespace wperf::exports
