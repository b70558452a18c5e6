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
#include "analysis/pgo/linker_names.h"
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

// The counts of all instructions. Instructions that did not run in counted functions get the count 0, because a
// compiler treats code without a count as unknown, so possibly hot.
class InstructionCounts {
 public:
  InstructionCounts(const modules::CodeFile& file, LinkerNames& names) : file_(file), names_(names) {}

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
  // Changes of the counts at an address, modulo 2^64.
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
    std::vector<symbols::SymbolizedAddress> functions;
    for (const auto& [address, change] : changes_) {
      if (!change.begins || (!functions.empty() && address < functions.back().end)) continue;
      const symbols::SymbolizedAddress function = file_.function_at(address, true);
      if (function.begin <= address && address < function.end) functions.push_back(function);
    }
    std::set<u64> known;  // beginnings of code that was added
    for (const symbols::SymbolizedAddress& one : functions) {
      add_pieces({one.begin, one.end}, known);
      for (const u64 address : names_.coroutine_at(one.function)) {
        const symbols::SymbolizedAddress function = file_.function_at(address, true);
        if (function.begin == address && address < function.end) add_pieces({function.begin, function.end}, known);
      }
    }
  }

  // Adds a function, including separate parts of its code.
  void add_pieces(const code::AddressRange& function, std::set<u64>& known) {
    if (!known.insert(function.begin).second) return;
    add_range(function.begin, function.end - 1, 0);
    for (const code::AddressRange& piece : file_.pieces_at(function.begin)) {
      if (known.insert(piece.begin).second) add_range(piece.begin, piece.end - 1, 0);
    }
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
  LinkerNames& names_;
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
// The second number of a discriminator: how many copies of the block the compiler made.
u32 copies_of(u32 discriminator) {
  return std::max<u32>(own_discriminator(without_first_number(discriminator)), 1);
}

// The name of the function that a stub of the linker calls: "memcpy@plt" → "memcpy".
std::string_view without_stub(std::string_view name) {
  return name.ends_with(kStubEnd) ? name.substr(0, name.size() - kStubEnd.size()) : name;
}

constexpr symbols::SymbolQuery kQuery{.lines = true, .decorated = true, .declarations = true};

// An address, and the functions that are inlined there.
struct Place {
  const symbols::SymbolizedAddress* answer = nullptr;
  std::span<const SymbolizedFrame> frames;
};

Place place_of(const symbols::Symbolization& known, const symbols::SymbolizedAddress& answer) {
  return {&answer, std::span(known.frames).subspan(answer.first_frame, answer.frame_count)};
}

// The places of all branches and entries.
class Places {
 public:
  Places(const modules::CodeFile& file, const AddressCounts& counts) {
    for (const auto& one : counts.branches) addresses_.insert(addresses_.end(), {one.from, one.to});
    for (const auto& one : counts.entries) addresses_.push_back(one.address);
    std::sort(addresses_.begin(), addresses_.end());
    addresses_.erase(std::unique(addresses_.begin(), addresses_.end()), addresses_.end());
    known_ = file.answer(addresses_, kQuery);
  }

  Place at(u64 address) const {
    const auto found = std::lower_bound(addresses_.begin(), addresses_.end(), address) - addresses_.begin();
    return place_of(known_, known_.answers[static_cast<usize>(found)]);
  }

 private:
  std::vector<u64> addresses_;
  symbols::Symbolization known_;
};

class SourceProfiler {
 public:
  SourceProfiler(const modules::CodeFile& file, LinkerNames& names, std::span<const std::string> folders,
                 SourceProfile& out)
      : file_(file), names_(names), declarations_(folders), out_(out) {}

  void add_counts(std::span<const InstructionCount> counts) {
    constexpr usize kAtOnce = 4096;  // looking up all instructions of a program at once would need much memory
    std::vector<u64> addresses;
    for (usize begin = 0; begin < counts.size(); begin += kAtOnce) {
      const std::span<const InstructionCount> some = counts.subspan(begin, std::min(kAtOnce, counts.size() - begin));
      addresses.clear();
      for (const InstructionCount& one : some) addresses.push_back(one.address);
      const symbols::Symbolization known = file_.answer(addresses, kQuery);
      path_ = {};
      for (usize i = 0; i < some.size(); ++i) add(place_of(known, known.answers[i]), some[i]);
    }
  }

  // Adds calls of functions.
  void add_branches(const AddressCounts& counts) {
    const Places places(file_, counts);
    path_ = {};
    std::map<FunctionProfile::Body*, u64> calls;
    for (const auto& one : counts.branches) {
      const Place callee = places.at(one.to);
      const std::string name(name_of_entry(callee));
      if (name.empty()) continue;
      if (!callee.answer->function.ends_with(kStubEnd)) out_.functions[name].head += one.count;
      const Place from = places.at(one.from);
      FunctionProfile* const caller = profile_of(from, 0);
      if (caller == nullptr) continue;
      FunctionProfile::Body& body = caller->body[*location_of(from.frames[path_.first])];
      body.targets[name] += one.count;
      calls[&body] += one.count;
    }
    for (const AddressCount& one : counts.entries) {
      const Place function = places.at(one.address);
      if (function.answer->function.ends_with(kStubEnd)) continue;
      if (const std::string name(name_of_entry(function)); !name.empty()) out_.functions[name].head += one.count;
    }
    // Ranges lack the oldest branch of each stack, so code may have a lower count than the calls to it.
    for (const auto& [body, count] : calls) body->count = std::max(body->count, count);
    std::erase_if(out_.functions,
                  [](const auto& one) { return one.second.body.empty() && one.second.inlined.empty(); });
  }

 private:
  // The name of the function that begins at an address; empty if no function begins there. Parts of functions have no
  // entry.
  std::string_view name_of_entry(const Place& place) {
    const symbols::SymbolizedAddress& symbol = *place.answer;
    if (symbol.begin != symbol.address) return {};
    if (symbol.function.ends_with(kStubEnd)) {
      const std::string_view called = canonical_name(without_stub(symbol.function));
      return is_word(called) ? called : std::string_view();
    }
    if (place.frames.empty()) return {};
    const std::string_view name = canonical_name(names_.of_function(symbol, place.frames.back()));
    return is_word(name) && names_.is_entry(name, symbol) ? name : std::string_view();
  }
  // Lines are relative as in clang's profiles; code without a line counts as line 0.
  std::optional<SourceLocation> location_of(const SymbolizedFrame& frame) {
    constexpr u32 kMostLines = 0xffff;
    const u32 declared = declarations_.line_of(frame);
    if (declared == 0) return std::nullopt;
    return SourceLocation{(frame.line - declared) & kMostLines, own_discriminator(frame.discriminator)};
  }

  // Are both addresses in the same copy of the same inlined function? Compares pointers to names, not the texts. If
  // equal texts have two addresses, this only costs time.
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
    const auto found = functions.find(canonical_name(name));
    return found != functions.end() ? found->second : functions[std::string(canonical_name(name))];
  }

  // Finds the profiles of the functions at an address, the outermost first. A function without a known name or line,
  // and functions inlined into it, count for the function that contains them. PDBs lack most of these names, so with a
  // PDB such code has no profile.
  void find_path(const Place& place) {
    const std::span<const SymbolizedFrame> frames = place.frames;
    const std::string_view symbol = place.answer->function;
    if (symbol.data() == path_.symbol.data() && is_same_path(frames, path_.frames)) return;
    path_ = {.frames = frames, .symbol = symbol, .profiles = {}};
    constexpr usize kDeepest = 200;  // of inlined calls; a damaged file may have any number
    if (frames.empty() || frames.size() > kDeepest) return;
    const bool is_pdb = is_in_pdb(place);
    const std::string_view name = names_.of_function(*place.answer, frames.back());
    if (!is_word(name) || !location_of(frames.back()).has_value()) return;
    path_.first = frames.size() - 1;
    while (path_.first != 0 && is_known(frames[path_.first - 1], is_pdb)) --path_.first;
    if (is_pdb && path_.first != 0) return;
    path_.profiles.push_back(&profile_in(out_.functions, name));
    for (usize i = frames.size() - 1; i-- > path_.first;) {
      FunctionProfiles& inlined = path_.profiles.back()->inlined[*location_of(frames[i + 1])];
      path_.profiles.push_back(&profile_in(inlined, frames[i].function));
    }
  }

  bool is_known(const SymbolizedFrame& inlined, bool is_pdb) {
    const bool has_name = is_pdb ? is_word(inlined.function) : names_.is_sure(inlined);
    return has_name && location_of(inlined).has_value();
  }
  // Do the lines of this address come from a PDB?
  static bool is_in_pdb(const Place& place) {
    return place.answer->source == symbols::SymbolSource::pdb && !place.frames.empty() && !place.frames.back().in_dwarf;
  }

  // Adds the count to the totals of all functions at an address, and returns the profile of the innermost one; null if
  // it is not known.
  FunctionProfile* profile_of(const Place& place, u64 count) {
    find_path(place);
    for (FunctionProfile* const one : path_.profiles) one->total += count;
    return path_.profiles.empty() ? nullptr : path_.profiles.back();
  }

  // Instructions of one line run equally often, or are copies of each other, so the line gets the largest count. In a
  // PDB, code without a line seems to belong to the previous line, so only the first instruction of a row counts.
  void add(const Place& place, const InstructionCount& one) {
    const std::span<const SymbolizedFrame> frames = place.frames;
    out_.instructions += one.count;
    // Totals are weighted by size, because LLVM's thresholds for hot functions assume that.
    FunctionProfile* const function = profile_of(place, one.count * one.size);
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
    if (is_in_pdb(place) && one.count > row_.count) return;
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
    std::string_view symbol;
    std::vector<FunctionProfile*> profiles;  // the profiles of these frames, outermost first; empty if not known
    usize first = 0;                         // the innermost frame that has a profile
  };

  const modules::CodeFile& file_;
  LinkerNames& names_;
  Declarations declarations_;
  SourceProfile& out_;
  Row row_;
  Path path_;  // of the previous address; the next one often has the same path
};

}  // namespace

SourceProfile source_profile(const modules::CodeFile& file, const AddressCounts& counts,
                             std::span<const std::string> folders) {
  SourceProfile out;
  LinkerNames names(file);
  SourceProfiler profiler(file, names, folders, out);
  InstructionCounts instructions(file, names);
  profiler.add_counts(instructions.of(counts));
  out.undecodable = instructions.undecodable();
  out.error = instructions.error();
  profiler.add_branches(counts);
  return out;
}

}  // namespace wperf::pgo
