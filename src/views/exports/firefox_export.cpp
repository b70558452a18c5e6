// SPDX-License-Identifier: BSD-3-Clause
// The Firefox Profiler's processed format, version 61, the newest one that Perfetto's importer also reads.
#include <fmt/format.h>

#include <algorithm>

#include "ground/text/base_name.h"
#include "ground/text/json_writer.h"
#include "views/exports/exported_profile.h"
#include "views/exports/samples_by_thread.h"

namespace wperf::exports {
namespace {

constexpr u32 kUserCode = 0, kKernelCode = 1;  // categories
constexpr std::string_view kMarkerSchema =
    R"([{"name":"ThreadState","display":["marker-chart","marker-table","timeline-overview"],)"
    R"("chartLabel":"{marker.name}","tableLabel":"{marker.name} {marker.data.wakerName}","fields":[)"
    R"({"key":"wakerName","label":"Woken by","format":"string"}]},)"
    R"({"name":"Text","display":["marker-chart","marker-table"],"tableLabel":"{marker.data.name}",)"
    R"("fields":[{"key":"name","label":"Details","format":"string"}]}])";

class FirefoxWriter {
 public:
  FirefoxWriter(const Source& source, const TakeBytes& take)
      : profile_(source.profile),
        moments_(source.moments),
        source_(source),
        names_(source.profile),
        locations_(source.profile),
        out_(take),
        json_(out_.text),
        samples_(samples_by_thread(source)) {}

  void write() {
    json_.begin_object();
    write_meta();
    write_libraries();
    write_threads();
    write_counters();
    write_shared();
    json_.end_object();
    out_.text += '\n';
    out_.flush();
  }

 private:
  // Milliseconds since the beginning of the profile. Numbers of long columns are written without JsonWriter, because an
  // export spends most of its time on them.
  void time(u64 time) { out_.decimal(time > moments_.begin_ns ? time - moments_.begin_ns : 0, 6); }
  void number(u64 value) { out_.number(value); }
  template <class Count, class Write>
  void column(std::string_view key, Count count, Write write) {
    json_.digits(key, "[");
    for (Count i = 0; i < count; ++i) {
      if (i != 0) out_.text += ',';
      write(i);
      out_.flush_if_long();
    }
    out_.text += ']';
  }
  void null() { out_.text += "null"; }
  void text(std::string_view one) { text::JsonWriter(out_.text).string(one); }
  void same(std::string_view key, usize count, std::string_view value) {
    column(key, count, [&](usize) { out_.text += value; });
  }
  void length(usize count) { json_.integer("length", count); }
  void member(std::string_view key, std::string_view value) { json_.string(key, value); }
  void digits(std::string_view key, std::string_view value) { json_.digits(key, value); }

  void write_meta() {
    json_.begin_object("meta");
    digits("version", "36");
    digits("preprocessedProfileVersion", "61");
    const stacks::StackEvent* const clock =
        !profile_.events.empty() && is_clock(profile_.events[0]) ? &profile_.events[0] : nullptr;
    json_.fixed("interval", clock != nullptr && clock->interval != 0 ? static_cast<double>(clock->interval) / 1e6 : 1,
                6);
    json_.fixed("startTime", static_cast<double>(source_.begin_unix_ns) / 1e6, 3);
    digits("processType", "0");
    digits("stackwalk", "1");
    digits("debug", "false");
    digits("symbolicated", "true");
    digits("usesOnlyOneStackType", "true");
    digits("doesNotUseFrameImplementation", "true");
    digits("sourceCodeIsNotOnSearchfox", "true");
    member("product", profile_.file.empty() ? "recording" : profile_.file);
    member("importedFrom", source_.tool);
    digits("sampleUnits", R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
    digits("categories", R"([{"name":"User","color":"yellow","subcategories":["Other"]},)"
                         R"({"name":"Kernel","color":"orange","subcategories":["Other"]},)"
                         R"({"name":"Other","color":"grey","subcategories":["Other"]}])");
    digits("markerSchema", kMarkerSchema);
    json_.begin_array("extra");
    json_.begin_object();
    member("label", "Losses");
    json_.begin_array("entries");
    for (const std::string& text : loss_texts(profile_.losses)) {
      json_.begin_object();
      member("label", "Lost");
      member("format", "string");
      member("value", text);
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
    json_.end_array();
    json_.end_object();
  }

  void write_libraries() {
    json_.begin_array("libs");
    for (const stacks::StackModule& module : profile_.modules) {
      const std::string_view path = module.path.empty() ? module.name : module.path;
      const std::string_view debug = module.pdb_path.empty() ? path : module.pdb_path;
      json_.begin_object();
      member("arch", "");
      member("name", module.name);
      member("path", path);
      member("debugName", text::base_name(debug));
      member("debugPath", debug);
      member("breakpadId", breakpad_id(module));
      module.build_id.empty() ? digits("codeId", "null") : member("codeId", module.build_id);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_threads() {
    json_.begin_array("threads");
    bool is_first = true;
    for (const SampledThread& thread : samples_.threads) {
      write_thread(thread, is_first);
      is_first = false;
    }
    json_.end_array();
  }

  void write_thread(const SampledThread& thread, bool has_losses) {
    const stacks::StackTask& task = profile_.tasks[thread.task];
    json_.begin_object();
    member("processType", "default");
    digits("processStartupTime", "0");
    digits("processShutdownTime", "null");
    digits("registerTime", "0");
    digits("unregisterTime", "null");
    digits("pausedRanges", "[]");
    // For wperf, which can read the file back; other readers use only the name.
    if (thread.event != kNothing) member("wperfEvent", clean_text(profile_.events[thread.event].name));
    const bool names_event = used_events(profile_).size() > 1 && thread.event != kNothing;
    member("name", names_event ? fmt::format("{} [{}]", names_.thread(thread.task), profile_.events[thread.event].name)
                               : names_.thread(thread.task));
    const bool is_known = task.pid != kNothing;
    digits("isMainThread", is_known && task.pid == task.tid && thread.has_marks ? "true" : "false");
    member("processName", names_.process(thread.task));
    // Readers of the format require both ids. Unknown ids are written as text, so that they cannot be mistaken for
    // numbers.
    member("pid", is_known ? fmt::format("{}", task.pid) : "unknown");
    task.tid != kNothing ? json_.integer("tid", task.tid) : member("tid", "unknown");
    write_samples(thread);
    write_markers(thread, has_losses);
    json_.end_object();
  }

  void write_samples(const SampledThread& thread) {
    const usize count = thread.end - thread.begin;
    const auto sample = [&](usize i) -> const ThreadSample& { return samples_.samples[thread.begin + i]; };
    json_.begin_object("samples");
    column("stack", count, [&](usize i) { stack(profile_.samples[sample(i).row].node); });
    column("time", count, [&](usize i) { time(sample(i).time); });
    column("weight", count, [&](usize i) { number(sample(i).count); });
    member("weightType", "samples");
    if (!moments_.states.empty()) write_busy(thread);
    length(count);
    json_.end_object();
  }

  // Writes, for each sample, the CPU time since the previous one.
  void write_busy(const SampledThread& thread) {
    const auto before = [](const stacks::ThreadState& state, u32 task) { return state.task < task; };
    auto state = std::lower_bound(moments_.states.begin(), moments_.states.end(), thread.task, before);
    u64 ran = 0;
    column("threadCPUDelta", thread.end - thread.begin, [&](usize i) {
      const u64 now = samples_.samples[thread.begin + i].time;
      u64 here = 0;
      for (; state != moments_.states.end() && state->task == thread.task && state->begin_ns < now; ++state) {
        if (state->doing == stacks::ThreadDoing::running) here += std::min(now, state->end_ns) - state->begin_ns;
        if (state->end_ns > now) break;
      }
      // If a state continues, subtracts the time that was counted for the previous sample.
      const u64 grown = here > ran ? here - ran : 0;
      const bool goes_on = state != moments_.states.end() && state->task == thread.task && state->begin_ns < now &&
                           state->doing == stacks::ThreadDoing::running;
      ran = goes_on ? now - state->begin_ns : 0;
      number(grown);
    });
  }

  void stack(u32 node) {
    if (node == kNothing || profile_.nodes[node].place == kNothing) return null();
    number(node - 1);
  }

  struct Marker {
    u64 begin = 0, end = 0;
    u32 name = 0;  // index into texts_
    const stacks::ThreadState* state = nullptr;
    std::string text;
    bool is_interval = false;
  };
  std::vector<Marker> markers_of(const SampledThread& thread, bool has_losses) {
    std::vector<Marker> markers;
    if (thread.has_marks) {
      const stacks::StackTask& task = profile_.tasks[thread.task];
      const auto before = [](const stacks::ThreadState& state, u32 number) { return state.task < number; };
      auto state = std::lower_bound(moments_.states.begin(), moments_.states.end(), thread.task, before);
      for (; state != moments_.states.end() && state->task == thread.task; ++state) {
        const u32 name = texts_(state_name(moments_, *state));
        markers.push_back({state->begin_ns, state->end_ns, name, &*state, {}, true});
      }
      for (const stacks::Mark& mark : moments_.marks) {
        if (mark.tid != task.tid) continue;
        markers.push_back({mark.time_ns, mark.time_ns, texts_(mark_name(mark.kind)), nullptr, mark.text, false});
      }
    }
    for (const stacks::TimedLoss& loss : moments_.losses) {
      if (!has_losses) break;
      markers.push_back({loss.begin_ns, loss.end_ns, texts_("lost"), nullptr,
                         fmt::format("{} {}", loss.count, loss.what), loss.end_ns > loss.begin_ns});
    }
    return markers;
  }

  void write_markers(const SampledThread& thread, bool has_losses) {
    const std::vector<Marker> markers = markers_of(thread, has_losses);
    const usize count = markers.size();
    json_.begin_object("markers");
    json_.begin_array("data");
    for (const Marker& marker : markers) write_data(marker);
    json_.end_array();
    column("name", count, [&](usize i) { number(markers[i].name); });
    column("startTime", count, [&](usize i) { time(markers[i].begin); });
    column("endTime", count, [&](usize i) { markers[i].is_interval ? time(markers[i].end) : null(); });
    column("phase", count, [&](usize i) { number(markers[i].is_interval ? 1 : 0); });
    same("category", count, "2");
    length(count);
    json_.end_object();
  }

  void write_data(const Marker& marker) {
    json_.begin_object();
    member("type", marker.state != nullptr ? "ThreadState" : "Text");
    if (marker.state == nullptr) {
      member("name", marker.text);
    } else {
      const u32 waker = marker.state->waker;
      member("wakerName", waker != kNothing ? names_.numbered_thread(waker) : "");
      if (marker.state->node != kNothing && profile_.nodes[marker.state->node].place != kNothing) {
        json_.begin_object("cause");
        json_.fixed("time", static_cast<double>(marker.begin - moments_.begin_ns) / 1e6, 6);
        json_.integer("stack", marker.state->node - 1);
        json_.end_object();
      }
    }
    json_.end_object();
    out_.flush_if_long();
  }

  void write_counters() {
    if (moments_.counters.empty() || samples_.threads.empty()) return;
    json_.begin_array("counters");
    for (const stacks::CounterTrack& track : moments_.counters) {
      json_.begin_object();
      member("name", track_name(track));
      member("category", "wperf");
      member("description", track.name);
      member("pid", fmt::format("{}", profile_.tasks[samples_.threads[0].task].pid));
      digits("mainThreadIndex", "0");
      json_.begin_object("samples");
      column("time", track.points.size(), [&](usize i) { time(track.points[i].time_ns); });
      column("count", track.points.size(), [&](usize i) { number(track.points[i].value); });
      length(track.points.size());
      json_.end_object();
      json_.end_object();
    }
    json_.end_array();
  }

  void write_shared() {
    json_.begin_object("shared");
    const usize stacks = profile_.nodes.empty() ? 0 : profile_.nodes.size() - 1;  // all except the root
    json_.begin_object("stackTable");
    column("frame", stacks, [&](usize i) { number(locations_.of_node(static_cast<u32>(i + 1))); });
    column("prefix", stacks, [&](usize i) { stack(profile_.nodes[i + 1].parent); });
    length(stacks);
    json_.end_object();
    write_frames();
    write_functions();
    const usize modules = profile_.modules.size();
    json_.begin_object("resourceTable");
    column("lib", modules, [&](usize i) { number(i); });
    column("name", modules, [&](usize i) { number(texts_(clean_text(profile_.modules[i].name))); });
    same("host", modules, "null");
    same("type", modules, "1");
    length(modules);
    json_.end_object();
    digits("nativeSymbols", R"({"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0})");
    json_.begin_object("sources");
    const usize files = files_.all().size();
    same("id", files, "null");
    column("filename", files, [&](usize i) { number(texts_(files_.all()[i])); });
    same("startLine", files, "1");
    same("startColumn", files, "1");
    same("sourceMapURL", files, "null");
    length(files);
    json_.end_object();
    column("stringArray", texts_.all().size(), [&](usize i) { text(texts_.all()[i]); });
    json_.end_object();
  }

  void write_frames() {
    const auto& all = locations_.all();
    const auto function_of = [&](usize i) { return profile_.places[all[i].place].function; };
    const auto category = [&](usize i) {
      number(profile_.functions[function_of(i)].is_kernel ? kKernelCode : kUserCode);
    };
    json_.begin_object("frameTable");
    same("address", all.size(), "-1");
    column("inlineDepth", all.size(), [&](usize i) {
      u32 depth = 0;
      for (u32 at = all[i].outer; at != kNothing; at = all[at].outer) ++depth;
      number(depth);
    });
    column("category", all.size(), category);
    same("subcategory", all.size(), "0");
    column("func", all.size(), [&](usize i) { number(function_of(i)); });
    same("nativeSymbol", all.size(), "null");
    same("innerWindowID", all.size(), "null");
    column("line", all.size(), [&](usize i) {
      const u32 line = names_.line(all[i].place).line;
      line != 0 ? number(line) : null();
    });
    same("column", all.size(), "null");
    length(all.size());
    json_.end_object();
  }

  void write_functions() {
    const usize count = profile_.functions.size();
    std::vector<u32> file(count, kNothing);
    for (u32 place = 0; place < profile_.places.size(); ++place) {
      const PlaceLine where = names_.line(place);
      u32& known = file[profile_.places[place].function];
      if (known == kNothing && !where.file.empty()) known = files_(where.file);
    }
    json_.begin_object("funcTable");
    column("name", count, [&](usize i) { number(texts_(names_.function(static_cast<u32>(i)))); });
    same("isJS", count, "false");
    same("relevantForJS", count, "false");
    column("resource", count, [&](usize i) { number(profile_.functions[i].module); });
    column("source", count, [&](usize i) { file[i] != kNothing ? number(file[i]) : null(); });
    same("lineNumber", count, "null");
    same("columnNumber", count, "null");
    length(count);
    json_.end_object();
  }

  const stacks::StackProfile& profile_;
  const stacks::Moments& moments_;
  const Source& source_;
  Names names_;
  Locations locations_;
  Collected out_;
  text::JsonWriter json_;
  SamplesByThread samples_;
  Texts texts_, files_;
};

}  // namespace

void write_firefox(const Source& source, const TakeBytes& take) {
  FirefoxWriter(source, take).write();
}

}  // namespace wperf::exports
