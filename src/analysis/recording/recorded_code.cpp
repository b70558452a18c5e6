// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "code/modules/code_text.h"
#include "code/modules/source_files.h"

namespace wperf::recording {
namespace {

using stacks::CodeHits;
using stacks::CodeInstruction;
using stacks::FunctionCode;
using stacks::kNothing;
using stacks::StackProfile;

constexpr u64 kMostCodeBytes = 4 << 20;

struct Hits {
  CodeHits self, all;  // `all` includes called code
};

struct HitFunction {
  Hits hits;
  u64 begin = 0, end = 0;
  std::map<u64, Hits> of_address;  // by linked address
  std::map<u64, u32> site_of_address;
  std::map<std::pair<std::string_view, u32>, Hits> of_line;  // by file (empty for code without a line) and line number
};

void add_hits(CodeHits& to, const CodeHits& hits) {
  to.samples += hits.samples;
  to.period += hits.period;
}

// The line in the function itself, even for inlined code.
std::pair<std::string_view, u32> line_of(const StackProfile& profile, const stacks::CodeSite& site) {
  if (site.frame_count == 0) return {};
  const stacks::CodeFrame& frame = profile.code_frames[site.first_frame + site.frame_count - 1];
  if (frame.line == 0) return {};
  return {profile.texts[frame.file], frame.line};
}

// Counts the hits of an event's samples by function, line and address. Each of these gets one hit for a stack, even if
// it is in the stack several times.
class HitCounter {
 public:
  HitCounter(const CodeFiles& files, const StackProfile& profile, bool with_calls)
      : profile_(profile), with_calls_(with_calls), targets_(profile.sites.size()) {
    for (usize i = 0; i < profile.sites.size(); ++i) {
      const stacks::CodeSite& site = profile.sites[i];
      if (site.function == kNothing) continue;
      const bool has_file = files.find(profile.functions[site.function].module) != nullptr;
      if (!has_file && site.frame_count == 0) continue;
      HitFunction& function = functions_[site.function];
      function.begin = site.begin;
      function.end = site.end;
      function.site_of_address[site.address] = static_cast<u32>(i);
      targets_[i] = {&function.hits, &function.of_line[line_of(profile, site)], &function.of_address[site.address]};
    }
  }

  void count(const stacks::StackSample& sample) {
    const CodeHits hits{sample.count, sample.period};
    seen_.clear();
    bool is_leaf = true;
    for (u32 node = sample.node; node != kNothing; node = profile_.nodes[node].parent, is_leaf = false) {
      if (!is_leaf && !with_calls_) break;
      const u32 site = profile_.site_of_node[node];
      if (site == kNothing) continue;
      for (Hits* const target : targets_[site]) {
        if (target == nullptr) continue;
        if (is_leaf) add_hits(target->self, hits);
        seen_.push_back(target);
      }
    }
    std::sort(seen_.begin(), seen_.end());
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    for (Hits* const target : seen_) add_hits(target->all, hits);
  }

  // The functions with hits, by profile number.
  const std::map<u32, HitFunction>& functions() const { return functions_; }

 private:
  const StackProfile& profile_;
  const bool with_calls_;
  std::map<u32, HitFunction> functions_;
  std::vector<std::array<Hits*, 3>> targets_;  // three for each site
  std::vector<Hits*> seen_;
};

// Source files by the paths in debug information.
class Sources {
 public:
  explicit Sources(const std::vector<std::string>& folders) : folders_(folders) {}

  std::string line(const std::string& path, u32 number, modules::SourceOrigin origin) {
    return std::string(modules::source_line(file(path, origin).text, number));
  }
  // The reason why the source at `path` is not shown although it may exist; otherwise empty.
  const std::string& reason(const std::string& path, modules::SourceOrigin origin) { return file(path, origin).reason; }
  // The name of the file that was read for `path` if it was changed after this time; otherwise empty.
  std::string changed_since(const std::string& path, u64 unix_ns, modules::SourceOrigin origin) {
    const modules::SourceText& source = file(path, origin);
    return !source.text.empty() && source.changed_unix_ns > unix_ns ? source.file : std::string();
  }

 private:
  const modules::SourceText& file(const std::string& path, modules::SourceOrigin origin) {
    const auto [entry, is_new] = files_.try_emplace({path, origin.is_of_other_root});
    const bool is_whole = !path.empty() && path.front() == '/';  // otherwise it is relative to an unknown folder
    if (!is_new || !is_whole) return entry->second;
    return entry->second = modules::read_source(path, folders_, origin);
  }

  const std::vector<std::string>& folders_;
  std::map<std::pair<std::string, bool>, modules::SourceText> files_;  // by path; true: below another root folder
};

class CodeWriter {
 public:
  CodeWriter(const CodeFiles& files, const CodeRequest& request, const StackProfile& profile)
      : files_(files), request_(request), profile_(profile), sources_(request.folders) {}

  FunctionCode lines_of_function(u32 event, u32 number, const HitFunction& function);
  diag::Result<void> add_instructions(const HitFunction& function, FunctionCode& out);
  void note_changed_sources(const FunctionCode& code, std::vector<std::string>& files);

 private:
  void add_lines(const HitFunction& function, FunctionCode& out);
  modules::SourceOrigin origin_of(u32 function) const {
    const stacks::StackModule& module = profile_.modules[profile_.functions[function].module];
    return {.is_python = module.is_python, .is_of_other_root = module.is_of_other_root};
  }
  void append_instructions(const modules::CodeFile& file, const HitFunction& function, u64 base,
                           const std::vector<symbols::Instruction>& all, FunctionCode& out) const;

  const CodeFiles& files_;
  const CodeRequest& request_;
  const StackProfile& profile_;
  Sources sources_;
  modules::Disassemblers disassemblers_;
};

FunctionCode CodeWriter::lines_of_function(u32 event, u32 number, const HitFunction& function) {
  FunctionCode out;
  out.event = event;
  out.function = number;
  out.hits = function.hits.self;
  out.all = function.hits.all;
  out.with_calls = request_.with_calls;
  const stacks::StackModule& module = profile_.modules[profile_.functions[number].module];
  add_lines(function, out);
  if (out.lines.empty()) {
    out.reason = "no line information for this code of " + module.path;
    if (!module.reason.empty()) out.reason += ": " + module.reason;
  }
  return out;
}

void CodeWriter::add_lines(const HitFunction& function, FunctionCode& out) {
  const bool any = std::any_of(function.of_line.begin(), function.of_line.end(),
                               [](const auto& line) { return line.first.second != 0 && line.second.all.samples != 0; });
  if (!any) return;
  const modules::SourceOrigin origin = origin_of(out.function);
  for (const auto& [place, hits] : function.of_line) {
    if (hits.all.samples == 0) continue;
    const std::string path(place.first);
    out.lines.push_back({path, place.second, hits.self, sources_.line(path, place.second, origin), hits.all});
    const std::string& reason = sources_.reason(path, origin);
    if (!reason.empty() && out.reason.find(reason) == std::string::npos) {
      out.reason += (out.reason.empty() ? "" : "; ") + reason;
    }
  }
  std::stable_sort(out.lines.begin(), out.lines.end(),
                   [](const auto& a, const auto& b) { return a.all.period > b.all.period; });
}

diag::Result<void> CodeWriter::add_instructions(const HitFunction& function, FunctionCode& out) {
  const modules::CodeFile* const file = files_.find(profile_.functions[out.function].module);
  if (file == nullptr) {
    out.reason += (out.reason.empty() ? "" : "; ") + std::string("no file has its machine code");
    return {};
  }
  std::optional<modules::CodeBytes> code;
  if (function.begin < function.end && function.end - function.begin <= kMostCodeBytes) {
    code = file->code(function.begin, function.end);
  }
  if (!code.has_value()) {
    out.reason += (out.reason.empty() ? "" : "; ") + std::string("cannot show its machine code: ");
    out.reason += function.begin >= function.end
                      ? "its start and end are unknown"
                      : "its file is missing, is for another kind of processor, or the function is too long";
    return {};
  }
  WPERF_TRY(const auto instructions, disassemblers_.disassemble(*code));
  append_instructions(*file, function, code->base, instructions, out);
  return {};
}

// Adds the files that were changed after the recording, each once.
void CodeWriter::note_changed_sources(const FunctionCode& code, std::vector<std::string>& files) {
  if (request_.recorded_unix_ns == 0) return;
  std::string_view last;
  for (const auto& line : code.lines) {
    if (line.file == last) continue;
    last = line.file;
    std::string file = sources_.changed_since(line.file, request_.recorded_unix_ns, origin_of(code.function));
    if (!file.empty() && std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
  }
}

// Appends the instructions with hits, and a few around each of them.
void CodeWriter::append_instructions(const modules::CodeFile& file, const HitFunction& function, u64 base,
                                     const std::vector<symbols::Instruction>& all, FunctionCode& out) const {
  constexpr size_t kAround = 6;
  std::vector<Hits> hits(all.size());
  std::vector<bool> is_shown(all.size());
  auto next = function.of_address.begin();
  for (size_t i = 0; i < all.size(); ++i) {
    const u64 address = base + all[i].rva;
    while (next != function.of_address.end() && next->first < address + all[i].size) {
      add_hits(hits[i].self, next->second.self);
      add_hits(hits[i].all, next->second.all);
      ++next;
    }
    if (hits[i].all.samples == 0) continue;
    const size_t last = std::min(all.size(), i + kAround + 1);
    for (size_t near = i - std::min(i, kAround); near < last; ++near) is_shown[near] = true;
  }
  std::vector<u64> addresses;
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_shown[i]) addresses.push_back(base + all[i].rva);
  }
  const symbols::Symbolization known = file.answer(addresses, {.lines = true, .decorated = request_.decorated});
  const modules::InstructionStyle style{
      .mnemonic_width = 7, .decorated = request_.decorated, .function = {function.begin, function.end}};
  size_t at = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_shown[i]) continue;
    const symbols::SymbolizedAddress& answer = known.answers[at++];
    CodeInstruction& one = out.instructions.emplace_back();
    one.address = answer.address;
    one.text = modules::instruction_text(file, base, all[i], style);
    one.hits = hits[i].self;
    one.all = hits[i].all;
    one.follows_gap = i != 0 && !is_shown[i - 1];
    if (answer.frame_count == 0) continue;
    const symbols::SymbolizedFrame& frame = known.frames[answer.first_frame + answer.frame_count - 1];
    if (frame.line != 0) one.line = fmt::format("{}:{}", modules::base_name(frame.file), frame.line);
  }
}

// For each function: does it contain code that passes the filter? Inlined functions are part of the function with the
// symbol.
std::vector<bool> chosen_functions(const StackProfile& profile, const stacks::ChosenSamples& chosen) {
  std::vector<bool> functions(profile.functions.size());
  for (u32 node = 0; node < profile.nodes.size(); ++node) {
    const u32 place = profile.nodes[node].place, site = profile.site_of_node[node];
    if (place == kNothing || site == kNothing || !chosen.has_place(place)) continue;
    if (const u32 function = profile.sites[site].function; function != kNothing) functions[function] = true;
  }
  return functions;
}

// Functions with source code on this machine come first, because the user can change them, then functions with known
// lines. Without calls, all functions have the same rank.
int rank_of(const FunctionCode& code) {
  if (!code.with_calls || code.lines.empty()) return 0;
  const bool has_source =
      std::any_of(code.lines.begin(), code.lines.end(), [](const auto& line) { return !line.source.empty(); });
  return has_source ? 2 : 1;
}

}  // namespace

diag::Result<void> add_function_code(const CodeFiles& files, const CodeRequest& request, StackProfile& profile) {
  // Functions that the user named are shown whatever their share is, with the same contents as without the filter.
  const bool is_named = static_cast<bool>(request.filter.symbol);
  stacks::StackFilter filter = request.filter;
  filter.in_callers = filter.in_callers || (is_named && request.with_calls);
  const stacks::ChosenSamples chosen(profile, filter);
  const std::vector<bool> is_chosen = chosen_functions(profile, chosen);
  CodeWriter writer(files, request, profile);
  for (u32 event = 0; event < profile.events.size(); ++event) {
    HitCounter counter(files, profile, request.with_calls);
    for (const stacks::StackSample& sample : profile.samples) {
      if (sample.event == event && chosen.has(sample)) counter.count(sample);
    }
    const double least =
        is_named ? 0 : static_cast<double>(profile.events[event].period) * request.least_permille / 1000;
    const auto is_hot = [least](const CodeHits& hits) {
      return hits.samples != 0 && static_cast<double>(hits.period) >= least;
    };
    std::vector<FunctionCode> found;
    for (const auto& [number, function] : counter.functions()) {
      const bool has_bounds = function.begin < function.end;
      if (!is_chosen[number] || !is_hot(function.hits.all) || (!has_bounds && !profile.functions[number].is_known))
        continue;
      FunctionCode code = writer.lines_of_function(event, number, function);
      // A function that only called others and has no lines is left out.
      if (is_named || rank_of(code) != 0 || is_hot(code.hits)) found.push_back(std::move(code));
    }
    // If there are functions with source code to change, other code is included only for hits in itself.
    const auto is_of_best_rank = [](const FunctionCode& code) { return rank_of(code) == 2; };
    if (!is_named && std::any_of(found.begin(), found.end(), is_of_best_rank)) {
      std::erase_if(found, [&](const FunctionCode& code) { return rank_of(code) != 2 && !is_hot(code.hits); });
    }
    std::stable_sort(found.begin(), found.end(), [](const FunctionCode& a, const FunctionCode& b) {
      const int rank_a = rank_of(a), rank_b = rank_of(b);
      if (rank_a != rank_b) return rank_a > rank_b;
      return rank_a != 0 ? a.all.period > b.all.period : a.hits.period > b.hits.period;
    });
    if (found.size() > request.most_functions) found.resize(request.most_functions);
    for (FunctionCode& code : found) {
      if (request.disassemble) {
        WPERF_CHECK_OK(writer.add_instructions(counter.functions().at(code.function), code));
      }
      writer.note_changed_sources(code, profile.changed_sources);
      profile.code.push_back(std::move(code));
    }
  }
  return {};
}

}  // namespace wperf::recording
