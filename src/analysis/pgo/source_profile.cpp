// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pgo/source_profile.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/pgo/declarations.h"
#include "analysis/pgo/profile_counts.h"
#include "code/symbols/disassembly/instruction_flow.h"

namespace wperf::pgo {
namespace {

using compiler_profiles::AddressCount;
using compiler_profiles::AddressCounts;
using compiler_profiles::FunctionProfile;
using compiler_profiles::FunctionProfiles;
using compiler_profiles::RangeCount;
using compiler_profiles::SourceLocation;
using symbols::SymbolizedFrame;

struct InstructionCount {
  u64 address = 0, count = 0;
  u32 size = 0;  // in bytes
};

// The counts of all instructions. Instructions of counted functions that did not run have zeros, because for the
// compiler, code without a count is unknown and may be hot.
class InstructionCounts {
 public:
  explicit InstructionCounts(const modules::CodeFile& file) : file_(file) {}

  std::vector<InstructionCount> of(const AddressCounts& counts) {
    // A sample is a count of the instruction at its address.
    if (counts.ranges.empty()) {
      for (const AddressCount& one : counts.samples) add_range(one.address, one.address, one.count);
    }
    for (const RangeCount& one : counts.ranges) add_range(one.begin, one.last, one.count);
    add_functions();
    u64 count = 0, covers = 0;
    for (auto change = changes_.begin(); change != changes_.end(); ++change) {
      count += change->second.count;
      covers += change->second.covers;
      const auto next = std::next(change);
      if (covers != 0 && next != changes_.end()) walk(change->first, next->first, count);
    }
    return std::move(out_);
  }

  u64 undecodable() const { return undecodable_; }
  const std::optional<diag::Error>& error() const { return flows_.error(); }

 private:
  // Modulo 2^64.
  struct Change {
    u64 count = 0, covers = 0;
    bool begins = false;  // a range
  };

  void add_range(u64 begin, u64 last, u64 count) {
    if (last < begin || last + 1 == 0) return;  // there is no code at the end of the address space
    Change& first = changes_[begin];
    first.count += count;
    ++first.covers;
    first.begins = true;
    Change& behind = changes_[last + 1];
    behind.count -= count;
    --behind.covers;
  }

  void add_functions() {
    std::vector<modules::CodeRange> functions;
    for (const auto& [address, change] : changes_) {
      if (!change.begins || (!functions.empty() && address < functions.back().end)) continue;
      const symbols::SymbolizedAddress function = file_.function_at(address, true);
      if (function.begin <= address && address < function.end) functions.push_back({function.begin, function.end});
    }
    for (const modules::CodeRange& one : functions) add_range(one.begin, one.end - 1, 0);
  }

  void walk(u64 begin, u64 end, u64 count) {
    constexpr u64 kLongest = 15;  // in bytes, on x86
    at_ = std::max(at_, begin);
    if (at_ >= end) return;
    const auto code = file_.code(at_, end + kLongest);
    std::span<const std::byte> bytes = code.has_value() ? code->bytes : std::span<const std::byte>();
    while (at_ < end) {
      const u32 size = bytes.empty() ? 0 : flows_.at(code->instructions, bytes, at_).size;
      if (size == 0) {
        undecodable_ += count != 0 ? 1 : 0;
        at_ = end;
        return;
      }
      out_.push_back({.address = at_, .count = count, .size = size});
      at_ += size;
      bytes = bytes.subspan(std::min<usize>(size, bytes.size()));
    }
  }

  const modules::CodeFile& file_;
  symbols::InstructionFlows flows_;
  std::map<u64, Change> changes_;  // at the beginnings and ends of ranges
  std::vector<InstructionCount> out_;
  u64 at_ = 0;  // address of the next instruction
  u64 undecodable_ = 0;
};

// LLVM packs three numbers into a discriminator; the block's own number comes first. If the lowest bit is set, the
// number is 0 and has no other bits. Otherwise 6 bits follow: 5 bits of the number, and a bit that shows whether 7 more
// follow.
u32 own_discriminator(u32 all) {
  if ((all & 1) != 0) return 0;
  all >>= 1;
  return (all & 0x20) != 0 ? ((all >> 1 & 0xfe0) | (all & 0x1f)) : (all & 0x1f);
}
u32 without_first_number(u32 all) {
  if ((all & 1) != 0) return all >> 1;
  return all >> ((all & 0x40) != 0 ? 14 : 7);
}
// The second number: how many copies of the block the compiler made.
u32 copies_of(u32 discriminator) {
  return std::max<u32>(own_discriminator(without_first_number(discriminator)), 1);
}

// Can this name be in the profile? In it, names end at blanks, and a word that begins with a digit is a number.
bool is_word(std::string_view name) {
  return !name.empty() && (name.front() < '0' || name.front() > '9') &&
         std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

// Has the name the form of a linker's name? If the debug information has no linker's name for a function that was
// inlined, its name may be like "operator()", "pick<int>" or "~list".
bool is_linker_name(std::string_view name) {
  return is_word(name) && name.find_first_of("()<>~ ") == std::string_view::npos && !name.starts_with("operator");
}

bool is_cpp_source(std::string_view file) {
  constexpr std::string_view kEnds[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx"};
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return file.ends_with(end); });
}

// The name of the function that a stub of the linker calls: "memcpy@plt" → "memcpy".
std::string_view without_stub(std::string_view name) {
  return name.ends_with(kStubEnd) ? name.substr(0, name.size() - kStubEnd.size()) : name;
}

class SourceProfiler {
 public:
  SourceProfiler(const modules::CodeFile& file, std::span<const std::string> folders, SourceProfile& out)
      : file_(file), declarations_(folders), out_(out) {}

  void add_counts(std::span<const InstructionCount> counts) {
    constexpr usize kAtOnce = 4096;  // the answers about all instructions of a program need much memory
    std::vector<u64> addresses;
    for (usize begin = 0; begin < counts.size(); begin += kAtOnce) {
      const std::span<const InstructionCount> some = counts.subspan(begin, std::min(kAtOnce, counts.size() - begin));
      addresses.clear();
      for (const InstructionCount& one : some) addresses.push_back(one.address);
      const symbols::Symbolization known = file_.answer(addresses, kQuery);
      path_.frames = {};
      for (usize i = 0; i < some.size(); ++i) {
        const symbols::SymbolizedAddress& answer = known.answers[i];
        is_pdb_ = answer.source == symbols::SymbolSource::pdb;
        add(frames_of(known, answer), some[i]);
      }
    }
  }

  // Adds calls of functions.
  void add_branches(const AddressCounts& counts) {
    std::vector<u64> addresses;
    for (const auto& one : counts.branches) addresses.push_back(one.from);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    const symbols::Symbolization known = file_.answer(addresses, kQuery);
    path_.frames = {};
    std::map<FunctionProfile::Body*, u64> calls;
    for (const auto& one : counts.branches) {
      const symbols::SymbolizedAddress callee = file_.function_at(one.to, true);
      if (!is_word(callee.function) || callee.begin != one.to) continue;
      const std::string name(canonical(without_stub(callee.function)));
      if (!callee.function.ends_with(kStubEnd)) out_.functions[name].head += one.count;
      const auto at = std::lower_bound(addresses.begin(), addresses.end(), one.from) - addresses.begin();
      const symbols::SymbolizedAddress& call = known.answers[static_cast<usize>(at)];
      is_pdb_ = call.source == symbols::SymbolSource::pdb;
      const auto frames = frames_of(known, call);
      FunctionProfile* const caller = profile_of(frames, 0);
      if (caller == nullptr) continue;
      FunctionProfile::Body& body = caller->body[*location_of(frames[path_.first])];
      body.targets[name] += one.count;
      calls[&body] += one.count;
    }
    for (const AddressCount& one : counts.entries) {
      const symbols::SymbolizedAddress function = file_.function_at(one.address, true);
      if (!is_word(function.function) || function.begin != one.address) continue;
      if (function.function.ends_with(kStubEnd)) continue;
      out_.functions[std::string(canonical(function.function))].head += one.count;
    }
    // Ranges lack the oldest branch of each stack, so code may have a lower count than the calls to it.
    for (const auto& [body, count] : calls) body->count = std::max(body->count, count);
    std::erase_if(out_.functions,
                  [](const auto& one) { return one.second.body.empty() && one.second.inlined.empty(); });
  }

 private:
  static constexpr symbols::SymbolQuery kQuery{.lines = true, .decorated = true, .declarations = true};

  static std::span<const SymbolizedFrame> frames_of(const symbols::Symbolization& known,
                                                    const symbols::SymbolizedAddress& answer) {
    return std::span(known.frames).subspan(answer.first_frame, answer.frame_count);
  }
  // Lines are relative as in clang's profiles; code without a line counts as line 0.
  std::optional<SourceLocation> location_of(const SymbolizedFrame& frame) {
    constexpr u32 kMostLines = 0xffff;
    const u32 declared = declarations_.line_of(frame);
    if (declared == 0) return std::nullopt;
    return SourceLocation{(frame.line - declared) & kMostLines, own_discriminator(frame.discriminator)};
  }

  // The name without the suffixes that compilers add to copies and parts.
  static std::string_view canonical(std::string_view name) {
    for (const std::string_view end : {".llvm.", ".part.", ".isra.", ".constprop.", ".lto_priv."}) {
      const auto at = name.find(end);
      if (at != name.npos && at != 0) name = name.substr(0, at);
    }
    return name;
  }

  // Are both addresses in the same copy of the same inlined function? Compares the addresses of names, not their texts.
  // Equal texts at two addresses only cost time.
  static bool is_same_path(std::span<const SymbolizedFrame> one, std::span<const SymbolizedFrame> other) {
    if (one.empty() || one.size() != other.size()) return false;
    for (usize i = 0; i < one.size(); ++i) {
      const SymbolizedFrame &a = one[i], &b = other[i];
      if (a.function.data() != b.function.data() || a.function.size() != b.function.size()) return false;
      if (a.file.data() != b.file.data() || a.declared_line != b.declared_line) return false;
      if (i != 0 && (a.line != b.line || a.discriminator != b.discriminator)) return false;
    }
    return true;
  }

  static FunctionProfile& profile_in(FunctionProfiles& functions, std::string_view name) {
    const auto found = functions.find(canonical(name));
    return found != functions.end() ? found->second : functions[std::string(canonical(name))];
  }

  // Finds the profiles of the functions at an address, the outermost first. A function without a known name or line,
  // and those that were inlined into it, belong to the function that they were inlined into. A PDB lacks most of these
  // names, so there such code has no profile.
  void find_path(std::span<const SymbolizedFrame> frames) {
    if (is_same_path(frames, path_.frames)) return;
    path_.frames = frames;
    path_.profiles.clear();
    constexpr usize kDeepest = 200;  // of inlined calls; a damaged file may have any number
    if (frames.empty() || frames.size() > kDeepest || !is_word(frames.back().function)) return;
    path_.first = frames.size();
    while (path_.first != 0 && is_known(frames, path_.first - 1)) --path_.first;
    if (path_.first == frames.size() || (is_pdb_ && path_.first != 0)) return;
    path_.profiles.push_back(&profile_in(out_.functions, frames.back().function));
    for (usize i = frames.size() - 1; i-- > path_.first;) {
      FunctionProfiles& inlined = path_.profiles.back()->inlined[*location_of(frames[i + 1])];
      path_.profiles.push_back(&profile_in(inlined, frames[i].function));
    }
  }

  bool is_known(std::span<const SymbolizedFrame> frames, usize index) {
    const SymbolizedFrame& frame = frames[index];
    const bool has_name = index + 1 == frames.size() || is_pdb_ ? is_word(frame.function) : is_name_of_inlined(frame);
    return has_name && location_of(frame).has_value();
  }
  // In C++ a plain name is a linker's name only if the function has C linkage; then there usually is a symbol, too.
  bool is_name_of_inlined(const SymbolizedFrame& frame) {
    if (!is_linker_name(frame.function)) return false;
    if (frame.function.starts_with("_Z") || !is_cpp_source(frame.file)) return true;
    if (symbols_.empty()) {
      file_.for_each_name(true, [this](u64, std::string_view name) { symbols_.emplace(name); });
    }
    return symbols_.contains(frame.function);
  }

  // Adds the count to the totals of all functions at an address, and returns the profile of the innermost one; null if
  // it is not known.
  FunctionProfile* profile_of(std::span<const SymbolizedFrame> frames, u64 count) {
    find_path(frames);
    for (FunctionProfile* const one : path_.profiles) one->total += count;
    return path_.profiles.empty() ? nullptr : path_.profiles.back();
  }

  // Instructions of one line run equally often, or are copies of each other, so the largest count is the line's. In a
  // PDB, code without a line seems to belong to the line before it, so only the first instruction of a row counts.
  void add(std::span<const SymbolizedFrame> frames, const InstructionCount& one) {
    out_.instructions += one.count;
    // Totals are weighted by size, because LLVM's thresholds for hot functions assume that.
    FunctionProfile* const function = profile_of(frames, one.count * one.size);
    if (function == nullptr) {
      const bool has_line = !frames.empty() && frames.front().line != 0;
      (has_line ? out_.without_name : out_.without_line) += one.count;
      return;
    }
    const SymbolizedFrame& frame = frames[path_.first];
    if (declarations_.is_guess(frames.back())) out_.from_first_line += one.count;
    const bool continues = row_.profile == function && row_.line == frame.line && row_.end == one.address;
    if (!continues) row_ = {.profile = function, .line = frame.line, .count = one.count};
    row_.end = one.address + one.size;
    if (is_pdb_ && one.count > row_.count) return;
    u64& body = function->body[*location_of(frame)].count;
    body = std::max(body, one.count * copies_of(frame.discriminator));
  }

  // Consecutive instructions of one line.
  struct Row {
    const FunctionProfile* profile = nullptr;
    u32 line = 0;
    u64 count = 0;  // of the first instruction
    u64 end = 0;    // one past the last byte
  };
  struct Path {
    std::span<const SymbolizedFrame> frames;
    std::vector<FunctionProfile*> profiles;  // of these frames, the outermost first; empty if they are not known
    usize first = 0;                         // the innermost frame that has a profile
  };

  const modules::CodeFile& file_;
  Declarations declarations_;
  SourceProfile& out_;
  std::set<std::string, std::less<>> symbols_;  // all names of code, if they were needed
  bool is_pdb_ = false;                         // the lines of this address come from a PDB
  Row row_;
  Path path_;  // of the previous address; the next one often has the same path
};

}  // namespace

SourceProfile source_profile(const modules::CodeFile& file, const AddressCounts& counts,
                             std::span<const std::string> folders) {
  SourceProfile out;
  SourceProfiler profiler(file, folders, out);
  InstructionCounts instructions(file);
  profiler.add_counts(instructions.of(counts));
  out.undecodable = instructions.undecodable();
  out.error = instructions.error();
  profiler.add_branches(counts);
  return out;
}

}  // namespace wperf::pgo
