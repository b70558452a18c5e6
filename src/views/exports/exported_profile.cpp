// SPDX-License-Identifier: BSD-3-Clause
#include "views/exports/exported_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "ground/text/unicode.h"
#include "model/stacks/id_table.h"
#include "model/stacks/stack_rows.h"

namespace wperf::exports {
namespace {

// The size of the character that begins here; 0 if it is not UTF-8.
usize character_size(std::string_view text) {
  const auto byte = [&](usize i) { return static_cast<u8>(text[i]); };
  const u8 first = byte(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  const usize size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (usize i = 1; i < size; ++i) {
    if (!text::continues_character(text[i])) return 0;
  }
  // Rejects overlong forms, surrogates, and values beyond U+10FFFF.
  const u8 second = byte(1);
  const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return bad ? 0 : size;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const usize size = character_size(text);
    out += size != 0 ? text.substr(0, size) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(std::max<usize>(size, 1));
  }
  return out;
}

u32 Texts::operator()(std::string_view text) {
  const auto [known, is_new] = numbers_.try_emplace(std::string(text), static_cast<u32>(all_.size()));
  if (is_new) all_.push_back(known->first);
  return known->second;
}

Names::Names(const stacks::StackProfile& profile) : profile_(profile) {
  for (const stacks::StackFunction& function : profile.functions) {
    std::string_view name = function.name;
    if (function.is_inlined && name.ends_with(stacks::kInlinedMark)) name.remove_suffix(stacks::kInlinedMark.size());
    functions_.push_back(clean_text(name));
  }
  for (const stacks::StackTask& task : profile.tasks) threads_.push_back(clean_text(profile.names[task.name]));
  name_processes();
  files_.reserve(profile.lines.size());  // lines_ has pointers into it
  for (const std::string& line : profile.lines) {
    const usize colon = line.rfind(':');
    PlaceLine& one = lines_.emplace_back();
    if (colon == line.npos) continue;
    one.file = files_.emplace_back(clean_text(line.substr(0, colon)));
    std::from_chars(line.data() + colon + 1, line.data() + line.size(), one.line);
  }
}

std::string Names::marked_function(u32 number) const {
  return functions_[number] +
         (profile_.functions[number].is_inlined ? std::string(stacks::kInlinedMark) : std::string());
}

void Names::name_processes() {
  for (const u32 name : stacks::process_names(profile_)) processes_.push_back(clean_text(profile_.names[name]));
}

std::string Names::numbered_thread(u32 task) const {
  return fmt::format("{} ({})", threads_[task], profile_.tasks[task].tid);
}

PlaceLine Names::line(u32 place) const {
  const u32 line = profile_.places[place].line;
  return line < lines_.size() ? lines_[line] : PlaceLine{};
}

Locations::Locations(const stacks::StackProfile& profile)
    : profile_(profile), of_node_(profile.nodes.size(), kNothing) {
  stacks::SmallIdTable known;
  for (u32 node = 0; node < profile.nodes.size(); ++node) {
    const u32 place = profile.nodes[node].place;
    if (place == kNothing) continue;
    const bool inlined = profile.functions[profile.places[place].function].is_inlined;
    const u32 outer = inlined ? of_node_[profile.nodes[node].parent] : kNothing;
    const auto [number, is_new] = known.insert(outer, place);
    if (is_new) all_.push_back({place, outer});
    of_node_[node] = number;
  }
}

std::string state_name(const stacks::Moments& moments, const stacks::ThreadState& state) {
  if (state.doing == stacks::ThreadDoing::running) return "running";
  if (state.doing == stacks::ThreadDoing::ready) return "ready";
  return "waiting: " + moments.wait_classes[state.wait_class];
}

std::string_view mark_name(stacks::MarkKind kind) {
  if (kind == stacks::MarkKind::program_begins) return "program begins";
  return kind == stacks::MarkKind::thread_begins ? "thread begins" : "ends";
}

std::string track_name(const stacks::CounterTrack& track) {
  return track.core != kNothing ? fmt::format("{} core {}", track.name, track.core) : track.name;
}

std::vector<std::string> loss_texts(const stacks::StackLosses& losses) {
  const std::array<std::pair<u64, std::string_view>, 12> all = {{
      {losses.lost_records, "records lost because the ring buffer was full"},
      {losses.lost_samples, "samples lost"},
      {losses.throttled, "times the kernel throttled an event"},
      {losses.damaged_places, "damaged places in the recording"},
      {losses.damaged_records, "damaged records"},
      {losses.of_unknown_event, "samples of an unknown event"},
      {losses.held_back, "intervals skipped without a sample"},
      {losses.register_losses, "times other software overwrote the counters"},
      {losses.stacks_cut, "stacks end early: stack copy too short"},
      {losses.stacks_without_table, "stacks end early: no unwind tables"},
      {losses.stacks_damaged, "stacks end early: damaged"},
      {losses.stacks_of_32_bits, "stacks end early: 32-bit programs"},
  }};
  std::vector<std::string> texts;
  for (const auto& [count, text] : all) {
    if (count != 0) texts.push_back(fmt::format("{} {}", count, text));
  }
  return texts;
}

bool is_clock(const stacks::StackEvent& event) {
  constexpr u32 kSoftware = 1;
  return event.type == kSoftware && event.code < 2;
}

std::vector<u32> used_events(const stacks::StackProfile& profile) {
  std::vector<u32> used;
  for (u32 i = 0; i < profile.events.size(); ++i) {
    if (profile.events[i].samples != 0) used.push_back(i);
  }
  return used;
}

u32 main_module(const stacks::StackProfile& profile, std::string_view program) {
  const auto started = std::ranges::find(profile.modules, program, &stacks::StackModule::name);
  if (!program.empty() && started != profile.modules.end()) return static_cast<u32>(started - profile.modules.begin());
  constexpr usize kLongestComm = 15;
  std::vector<u64> samples(profile.tasks.size());
  for (const stacks::StackSample& sample : profile.samples) samples[sample.task] += sample.count;
  const auto most = std::max_element(samples.begin(), samples.end());
  if (most != samples.end()) {
    const std::string& name = profile.names[profile.tasks[static_cast<usize>(most - samples.begin())].name];
    for (u32 i = 0; i < profile.modules.size() && !name.empty(); ++i) {
      if (std::string_view(profile.modules[i].name).substr(0, kLongestComm) == name.substr(0, kLongestComm)) return i;
    }
  }
  return 0;
}

std::string breakpad_id(const stacks::StackModule& module) {
  constexpr usize kGuid = 32;
  std::string id = module.build_id;
  if (id.empty()) return {};
  id.resize(std::max(id.size(), kGuid), '0');
  const auto swap = [&](usize at, usize bytes) {
    std::string turned;
    for (usize i = bytes; i-- > 0;) turned += id.substr(at + 2 * i, 2);
    id.replace(at, 2 * bytes, turned);
  };
  swap(0, 4);
  swap(8, 2);
  swap(12, 2);
  std::transform(id.begin(), id.end(), id.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  return id.substr(0, kGuid) + "0";
}

}  // namespace wperf::exports
