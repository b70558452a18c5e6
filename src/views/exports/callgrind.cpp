// SPDX-License-Identifier: BSD-3-Clause
// callgrind's format 1: the cost of each line of a function, and the cost of its calls including callees.
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>

#include "views/exports/exported_profile.h"

namespace wperf::exports {
namespace {

class CallgrindWriter {
 public:
  CallgrindWriter(const Source& source, const TakeBytes& take)
      : source_(source),
        profile_(source.profile),
        names_(source.profile),
        out_(take),
        used_(used_events(source.profile)) {}

  void write() {
    add_costs();
    out_.text += "# callgrind format\nversion: 1\ncreator: " + source_.tool + "\npositions: line\n";
    // callgrind_annotate requires that the header ends with "events".
    for (const u32 event : used_) {
      out_.text += fmt::format("event: {} : {} (samples)\n", event_word(profile_.events[event].name),
                               one_line(profile_.events[event].name));
    }
    out_.text += "events:";
    for (const u32 event : used_) {
      out_.text += ' ';
      out_.text += event_word(profile_.events[event].name);
    }
    if (used_.empty()) out_.text += " samples";
    out_.text += '\n';
    out_.text += "summary:";
    for (const u32 event : used_) out_.text += fmt::format(" {}", profile_.events[event].samples);
    out_.text += '\n';
    for (u32 function = 0; function < profile_.functions.size(); ++function) write_function(function);
    out_.flush();
  }

 private:
  using Costs = std::vector<u64>;  // by used event
  // A line of a function. A function can have lines of several files, because it has code from headers, or stands for
  // several functions with the same name.
  struct Line {
    u32 file = 0;  // index into files_
    u32 line = 0;
    auto operator<=>(const Line&) const = default;
  };

  static std::string one_line(std::string_view text) {
    std::string out = clean_text(text);
    std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<u8>(c) < 0x20 || c == 0x7f; }, '?');
    return out;
  }
  // In this format, names of events are single words of letters, digits and a few other characters.
  static std::string event_word(std::string_view name) {
    std::string word;
    for (const char c : name) {
      const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      word += plain ? c : '_';
    }
    if (word.empty() || (word[0] >= '0' && word[0] <= '9')) word.insert(0, "e");
    return word;
  }

  Line line_of(u32 node) {
    const PlaceLine at = names_.line(profile_.nodes[node].place);
    if (at.file.empty()) return {file_of(profile_.function_of(node)), at.line};
    return {files_(at.file), at.line};
  }

  // The costs below a node are added to the cost of its call. Parents come before children.
  void add_costs() {
    own_.resize(profile_.functions.size());
    calls_of_.resize(profile_.functions.size());
    const usize events = used_.size();
    std::vector<u64> below(profile_.nodes.size() * events);
    std::vector<u32> column(profile_.events.size());
    for (u32 i = 0; i < events; ++i) column[used_[i]] = i;
    for (const stacks::StackSample& sample : profile_.samples) {
      if (profile_.nodes[sample.node].place == kNothing) continue;
      below[sample.node * events + column[sample.event]] += sample.count;
      Costs& costs = own_[profile_.function_of(sample.node)][line_of(sample.node)];
      costs.resize(events);
      costs[column[sample.event]] += sample.count;
    }
    for (u32 node = static_cast<u32>(profile_.nodes.size()); node-- > 1;) {
      const u32 parent = profile_.nodes[node].parent;
      if (parent == kNothing || profile_.nodes[parent].place == kNothing || profile_.nodes[node].place == kNothing)
        continue;
      Costs& costs = calls_of_[profile_.function_of(parent)][{line_of(parent), profile_.function_of(node)}];
      costs.resize(events);
      for (usize i = 0; i < events; ++i) {
        costs[i] += below[node * events + i];
        below[parent * events + i] += below[node * events + i];
      }
    }
  }

  // A name is written in full once, and as a number after that.
  void write_name(std::string_view key, std::vector<bool>& written, u32 number, std::string_view name) {
    written.resize(std::max<usize>(written.size(), number + usize{1}));
    out_.text += written[number] ? fmt::format("{}=({})\n", key, number + 1)
                                 : fmt::format("{}=({}) {}\n", key, number + 1, one_line(name));
    written[number] = true;
  }
  void write_place(std::string_view prefix, u32 function) {
    const u32 module = profile_.functions[function].module;
    write_name(fmt::format("{}ob", prefix), written_modules_, module, profile_.modules[module].name);
    write_file(prefix.empty() ? "fl" : "cfi", file_of(function));
    // callgrind_annotate identifies functions by file and name; functions with the same name in other files must not be
    // merged.
    write_name(fmt::format("{}fn", prefix), written_functions_, function, names_.marked_function(function));
  }
  void write_file(std::string_view key, u32 file) {
    const std::string& name = files_.all()[file];
    write_name(key, written_files_, file, name.empty() ? "???" : std::string_view(name));
  }
  // The file of the function as a whole.
  u32 file_of(u32 function) {
    if (file_of_function_.empty()) {
      std::vector<std::string_view> names(profile_.functions.size());
      for (u32 place = 0; place < profile_.places.size(); ++place) {
        std::string_view& name = names[profile_.places[place].function];
        if (name.empty()) name = names_.line(place).file;
      }
      for (const std::string_view name : names) file_of_function_.push_back(files_(name));
    }
    return file_of_function_[function];
  }
  // Writes the file to which the following lines belong.
  void go_to_file(u32 function, u32 file) {
    if (file == current_file_) return;
    write_file(file == file_of(function) ? "fe" : "fi", file);
    current_file_ = file;
  }
  void write_costs(u32 line, const Costs& costs) {
    out_.text += fmt::format("{}", line);
    for (const u64 cost : costs) out_.text += fmt::format(" {}", cost);
    out_.text += '\n';
  }

  void write_function(u32 function) {
    if (own_[function].empty() && calls_of_[function].empty()) return;
    out_.text += '\n';
    write_place("", function);
    current_file_ = file_of(function);
    for (const auto& [at, costs] : own_[function]) {
      go_to_file(function, at.file);
      write_costs(at.line, costs);
    }
    for (const auto& [call, costs] : calls_of_[function]) {
      go_to_file(function, call.first.file);
      write_place("c", call.second);
      // The number of calls is not known from samples.
      out_.text += "calls=1 0\n";
      write_costs(call.first.line, costs);
    }
    out_.flush_if_long();
  }

  const Source& source_;
  const stacks::StackProfile& profile_;
  Names names_;
  Collected out_;
  const std::vector<u32> used_;
  std::vector<std::map<Line, Costs>> own_;                       // by function, then by line
  std::vector<std::map<std::pair<Line, u32>, Costs>> calls_of_;  // by caller, then by line and callee
  std::vector<bool> written_modules_, written_files_, written_functions_;
  std::vector<u32> file_of_function_;
  u32 current_file_ = 0;  // the file of the lines that are being written
  Texts files_;
};

}  // namespace

void write_callgrind(const Source& source, const TakeBytes& take) {
  CallgrindWriter(source, take).write();
}

}  // namespace wperf::exports
