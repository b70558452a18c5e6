// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "os/files.h"
#include "profile/compat_profile.h"
#include "symbols/disassembly/disassembler.h"

namespace wperf::recording {
namespace {

using stacks::CodeHits;
using stacks::CodeInstruction;
using stacks::FunctionCode;
using stacks::kNothing;
using stacks::StackProfile;

constexpr u64 kMostCodeBytes = 4 << 20;
constexpr size_t kMostSourceBytes = 8 << 20;

struct HitFunction {
  CodeHits hits;
  u64 begin = 0, end = 0;
  std::map<u64, CodeHits> of_address;  // as linked
  std::map<u64, u32> site_of_address;
};

void add_hits(CodeHits& to, const CodeHits& hits) {
  to.samples += hits.samples;
  to.period += hits.period;
}

// Functions of an event that have a file, by their numbers in the profile.
std::map<u32, HitFunction> hit_functions(const CodeFiles& files, const StackProfile& profile, u32 event,
                                         const stacks::ChosenSamples& chosen) {
  std::map<u32, HitFunction> functions;
  for (const stacks::StackSample& sample : profile.samples) {
    const u32 number = profile.site_of_node[sample.node];
    if (sample.event != event || number == kNothing || !chosen.has(sample)) continue;
    const stacks::CodeSite& site = profile.sites[number];
    if (files.find(profile.functions[site.function].module) == nullptr) continue;
    HitFunction& function = functions[site.function];
    function.begin = site.begin;
    function.end = site.end;
    const CodeHits hits{sample.count, sample.period};
    add_hits(function.hits, hits);
    function.site_of_address[site.address] = number;
    add_hits(function.of_address[site.address], hits);
  }
  return functions;
}

// Text files by the paths that compilers wrote into debug information.
class Sources {
 public:
  explicit Sources(const std::vector<std::string>& folders) : folders_(folders) {}

  std::string line(const std::string& path, u32 number) {
    const auto [entry, is_new] = files_.try_emplace(path);
    if (is_new) entry->second = {.path = path, .text = load(path)};
    return std::string(profile::source_line(entry->second, number));
  }

 private:
  std::string load(const std::string& path) const {
    if (path.empty() || path.front() != '/') return {};  // relative to a folder of another time
    std::vector<std::string> candidates{path};
    for (const std::string& folder : folders_) {
      candidates.push_back(folder + path);
      candidates.push_back(os::join_path(folder, std::string(modules::base_name(path))));
    }
    for (const std::string& candidate : candidates) {
      if (!os::file_exists(candidate)) continue;
      auto text = os::load_text_file(candidate, kMostSourceBytes);
      if (text.has_value()) return std::move(text).value();
    }
    return {};
  }

  const std::vector<std::string>& folders_;
  std::map<std::string, profile::SourceFile> files_;
};

class CodeWriter {
 public:
  CodeWriter(const CodeFiles& files, const CodeRequest& request, const StackProfile& profile)
      : files_(files), request_(request), profile_(profile), sources_(request.folders) {}

  diag::Result<FunctionCode> code_of_function(u32 event, u32 number, const HitFunction& function);

 private:
  void add_lines(const HitFunction& function, FunctionCode& out);
  diag::Result<void> add_instructions(const modules::CodeFile& file, const HitFunction& function, FunctionCode& out);
  void append_instructions(const modules::CodeFile& file, const HitFunction& function, u64 base,
                           const std::vector<symbols::Instruction>& all, FunctionCode& out) const;
  std::string text_of(const modules::CodeFile& file, const HitFunction& around, u64 base,
                      const symbols::Instruction& instruction) const;

  const CodeFiles& files_;
  const CodeRequest& request_;
  const StackProfile& profile_;
  Sources sources_;
  std::map<symbols::InstructionSet, symbols::Disassembler> disassemblers_;
};

diag::Result<FunctionCode> CodeWriter::code_of_function(u32 event, u32 number, const HitFunction& function) {
  FunctionCode out;
  out.event = event;
  out.function = number;
  out.hits = function.hits;
  const stacks::StackModule& module = profile_.modules[profile_.functions[number].module];
  const modules::CodeFile& file = *files_.find(profile_.functions[number].module);
  add_lines(function, out);
  if (out.lines.empty()) {
    out.reason = "no line information for this code of " + module.path;
    if (!module.reason.empty()) out.reason += ": " + module.reason;
  }
  if (request_.disassemble) WPERF_CHECK_OK(add_instructions(file, function, out));
  return out;
}

void CodeWriter::add_lines(const HitFunction& function, FunctionCode& out) {
  std::map<std::pair<std::string_view, u32>, CodeHits> lines;
  bool any = false;
  for (const auto& [address, hits] : function.of_address) {
    const stacks::CodeSite& site = profile_.sites[function.site_of_address.at(address)];
    // The function's own line, whatever was inlined there.
    const stacks::CodeFrame frame =
        site.frame_count == 0 ? stacks::CodeFrame{} : profile_.code_frames[site.first_frame + site.frame_count - 1];
    const bool has_line = frame.line != 0;
    any = any || has_line;
    add_hits(lines[{has_line ? profile_.texts[frame.file] : std::string_view(), frame.line}], hits);
  }
  if (!any) return;
  for (const auto& [place, hits] : lines) {
    const std::string path(place.first);
    out.lines.push_back({path, place.second, hits, sources_.line(path, place.second)});
  }
  std::stable_sort(out.lines.begin(), out.lines.end(),
                   [](const auto& a, const auto& b) { return a.hits.period > b.hits.period; });
}

diag::Result<void> CodeWriter::add_instructions(const modules::CodeFile& file, const HitFunction& function,
                                                FunctionCode& out) {
  std::optional<modules::CodeBytes> code;
  if (function.begin < function.end && function.end - function.begin <= kMostCodeBytes) {
    code = file.code(function.begin, function.end);
  }
  if (!code.has_value()) {
    out.reason += (out.reason.empty() ? "" : "; ") + std::string("its machine code cannot be shown: ");
    out.reason += function.begin >= function.end
                      ? "nothing says where the function begins and ends"
                      : "its file is not here, is of another kind of processor, or the function is too long";
    return {};
  }
  auto found = disassemblers_.find(code->instructions);
  if (found == disassemblers_.end()) {
    WPERF_TRY(auto opened, symbols::Disassembler::open(code->instructions));
    found = disassemblers_.emplace(code->instructions, std::move(opened)).first;
  }
  append_instructions(file, function, code->base, found->second.disassemble(code->bytes, code->base, code->first), out);
  return {};
}

// Those that were hit, and a few around each.
void CodeWriter::append_instructions(const modules::CodeFile& file, const HitFunction& function, u64 base,
                                     const std::vector<symbols::Instruction>& all, FunctionCode& out) const {
  constexpr size_t kAround = 6;
  std::vector<CodeHits> hits(all.size());
  std::vector<bool> is_shown(all.size());
  auto next = function.of_address.begin();
  for (size_t i = 0; i < all.size(); ++i) {
    const u64 address = base + all[i].rva;
    while (next != function.of_address.end() && next->first < address + all[i].size) {
      add_hits(hits[i], next->second);
      ++next;
    }
    if (hits[i].samples == 0) continue;
    const size_t last = std::min(all.size(), i + kAround + 1);
    for (size_t near = i - std::min(i, kAround); near < last; ++near) is_shown[near] = true;
  }
  std::vector<u64> addresses;
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_shown[i]) addresses.push_back(base + all[i].rva);
  }
  const symbols::Symbolization known = file.answer(addresses, {.lines = true, .decorated = request_.decorated});
  size_t at = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_shown[i]) continue;
    const symbols::SymbolizedAddress& answer = known.answers[at++];
    CodeInstruction& one = out.instructions.emplace_back();
    one.address = answer.address;
    one.text = text_of(file, function, base, all[i]);
    one.hits = hits[i];
    one.follows_gap = i != 0 && !is_shown[i - 1];
    if (answer.frame_count == 0) continue;
    const symbols::SymbolizedFrame& frame = known.frames[answer.first_frame + answer.frame_count - 1];
    if (frame.line != 0) one.line = fmt::format("{}:{}", modules::base_name(frame.file), frame.line);
  }
}

std::string CodeWriter::text_of(const modules::CodeFile& file, const HitFunction& around, u64 base,
                                const symbols::Instruction& instruction) const {
  if (instruction.operands.empty()) return instruction.mnemonic;
  std::string text = fmt::format("{:<7} {}", instruction.mnemonic, instruction.operands);
  if (!instruction.target.has_value()) return text;
  const u64 target = base + *instruction.target;
  if (target >= around.begin && target < around.end) return fmt::format("{} <+0x{:x}>", text, target - around.begin);
  const std::string name = target_text(file, target, request_.decorated);
  return name.empty() ? text : fmt::format("{} <{}>", text, name);
}

}  // namespace

std::string target_text(const modules::CodeFile& file, u64 target, bool decorated) {
  const symbols::SymbolizedAddress known = file.function_at(target, decorated);
  if (known.function.empty()) return {};
  const bool has_begin = known.begin < known.end;
  return profile::place_text(known.function, has_begin ? static_cast<u32>(target - known.begin) : 0);
}

diag::Result<void> add_function_code(const CodeFiles& files, const CodeRequest& request, StackProfile& profile) {
  const stacks::ChosenSamples chosen(profile, request.filter);
  CodeWriter writer(files, request, profile);
  for (u32 event = 0; event < profile.events.size(); ++event) {
    const std::map<u32, HitFunction> functions = hit_functions(files, profile, event, chosen);
    std::vector<u32> order;
    for (const auto& [number, function] : functions) {
      const double least = static_cast<double>(profile.events[event].period) * request.least_permille / 1000;
      const bool is_hot = static_cast<double>(function.hits.period) >= least;
      const bool has_bounds = function.begin < function.end;
      if (is_hot && (has_bounds || profile.functions[number].is_known)) order.push_back(number);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](u32 a, u32 b) { return functions.at(a).hits.period > functions.at(b).hits.period; });
    if (order.size() > request.most_functions) order.resize(request.most_functions);
    for (const u32 number : order) {
      WPERF_TRY(stacks::FunctionCode code, writer.code_of_function(event, number, functions.at(number)));
      profile.code.push_back(std::move(code));
    }
  }
  return {};
}

}  // namespace wperf::recording
