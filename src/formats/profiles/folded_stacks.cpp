// SPDX-License-Identifier: BSD-3-Clause
// Folded stacks: "outermost;…;innermost 17", one stack per line, the input of flame graph tools.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "formats/profiles/foreign_profile.h"
#include "ground/text/parts.h"
#include "ground/text/protobuf.h"

namespace wperf::profiles {
namespace {

constexpr std::string_view kOfKernel = "_[k]";  // as stackcollapse-perf.pl --kernel marks kernel functions

// Takes a blank and the digits after it from the end of the line.
bool take_count(std::string_view& line, u64& count) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  const usize blank = line.find_last_of(" \t");
  if (blank == std::string_view::npos || blank + 1 == line.size() || blank == 0) return false;
  count = 0;
  for (const char c : line.substr(blank + 1)) {
    if (c < '0' || c > '9' || count > (~u64{0} - 9) / 10) return false;
    count = count * 10 + static_cast<u64>(c - '0');
  }
  line = line.substr(0, blank);
  return true;
}

// In source code, semicolons are at the end of a line or have a blank after them.
bool separates_frames(std::string_view line) {
  bool has_any = false;
  for (usize at = line.find(';'); at != line.npos; at = line.find(';', at + 1)) {
    if (at + 1 == line.size() || line[at + 1] == ' ') return false;
    has_any = true;
  }
  return has_any;
}

class Frames {
 public:
  explicit Frames(ProfileBuilder& builder) : builder_(builder), user_(builder.module("")) {}

  u32 place(std::string_view name) {
    const auto known = places_.find(name);
    if (known != places_.end()) return known->second;
    const bool is_kernel = name.ends_with(kOfKernel) && name.size() > kOfKernel.size();
    const std::string_view plain = is_kernel ? name.substr(0, name.size() - kOfKernel.size()) : name;
    const u32 module = is_kernel ? builder_.module("[kernel]") : user_;
    const u32 place = builder_.place(builder_.function(plain.empty() ? "[unknown]" : plain, module), {}, 0);
    places_.emplace(name, place);
    return place;
  }

 private:
  ProfileBuilder& builder_;
  u32 user_;
  std::unordered_map<std::string_view, u32> places_;  // names are views into the file
};

}  // namespace

diag::Result<ForeignProfile> read_folded(Bytes file, const ProfileReadOptions& options,
                                         const ProgressCallback& passed) {
  ProfileBuilder builder(options);
  const u32 event = builder.event("samples"), task = builder.task(kNothing, kNothing, "");
  Frames frames(builder);
  std::string_view rest = text::text_of(file);
  u64 lines = 0, not_read = 0, reported = 0, number = 0, first_not_read = 0;
  while (!rest.empty()) {
    std::string_view line = text::take_part(rest, '\n');
    ++number;
    if (line.empty() || line == "\r" || line.front() == '#') continue;
    ++lines;
    u64 count = 0;
    if (!take_count(line, count)) {
      if (not_read++ == 0) first_not_read = number;
      continue;
    }
    u32 node = ProfileBuilder::kRoot;
    while (!line.empty()) node = builder.node(node, frames.place(text::take_part(line, ';')));
    builder.add({.event = event, .task = task, .core = kNothing, .node = node, .count = count, .period = count});
    if (const u64 at = file.size() - rest.size(); at - reported >= kProgressBytes) passed(reported = at);
  }
  std::vector<std::string> warnings;
  if (not_read != 0)
    warnings.push_back(fmt::format("{} of {} lines do not end with a count and are left out, line {} is the first",
                                   not_read, lines, first_not_read));
  return finish_profile(builder, std::move(warnings));
}

u64 first_line_without_count(Bytes file) {
  constexpr usize kEnough = 64 << 10;
  std::string_view rest = text::text_of(file).substr(0, kEnough);
  const bool is_whole = rest.size() == file.size();
  u64 number = 0, first = 0, lines = 0, stacks = 0;
  while (!rest.empty()) {
    if (!is_whole && rest.find('\n') == rest.npos) break;
    std::string_view line = text::take_part(rest, '\n');
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::any_of(line.begin(), line.end(), [](char c) { return static_cast<u8>(c) < ' ' && c != '\t'; })) return 0;
    if (line.empty() || line.front() == '#') continue;
    u64 count = 0;
    const bool has_count = take_count(line, count);
    if (first == 0 && !has_count) first = number;
    if (has_count && line.find(';') == line.npos) continue;  // a stack of one function, or any text
    ++lines;
    if (separates_frames(line)) ++stacks;
  }
  return 2 * stacks > lines ? first : 0;
}

}  // namespace wperf::profiles
