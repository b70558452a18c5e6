// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/code_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "code/symbols/disassembly/code_hash.h"
#include "code/symbols/elf/elf_format.h"

namespace wperf::modules {
namespace {

using code::Rva;
using symbols::PeFile;
using symbols::Symbolization;
using symbols::SymbolizedAddress;
using symbols::SymbolizedFrame;
using symbols::SymbolQuery;

constexpr u64 kMostBytesOfLines = 1 << 16;

// The line of the function itself, not of a function inlined at that address.
u32 line_of_function(const Symbolization& known, const SymbolizedAddress& answer) {
  return answer.frame_count == 0 ? 0 : known.frames[answer.first_frame + answer.frame_count - 1].line;
}

// ARM64EC is ARM64 code.
symbols::InstructionSet instruction_set(const PeFile& image, Rva rva) {
  const symbols::PeMachine machine = image.machine_at(rva);
  return machine == symbols::PeMachine::x64 ? symbols::InstructionSet::x64 : symbols::InstructionSet::arm64;
}

std::string missing_split(const SplitFiles& split) {
  const std::string more = split.missing == 1 ? "" : fmt::format(" (and {} more)", split.missing - 1);
  return fmt::format(
      "its split debug information is missing, so some lines may belong to inlined code: there is neither {}{} nor {}; "
      "name the folder of these files with --symbol-path",
      split.first_missing.first, more, split.first_missing.second);
}

// Is it BL or BLR, with or without authentication?
bool is_call_instruction(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return false;
  u32 word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | static_cast<u32>(bytes[static_cast<size_t>(i)]);
  return (word & 0xfc000000u) == 0x94000000u || (word & 0xfffffc1fu) == 0xd63f0000u ||
         (word & 0xfefff800u) == 0xd63f0800u;
}

}  // namespace

bool CodeFile::has_symbols() const {
  return (elf_.has_value() && elf_->symbols.has_value()) || is_windows();
}

const PeFile* CodeFile::pe() const {
  return image_.has_value() && image_->symbols.has_value() ? image_->symbols->image() : nullptr;
}

const symbols::ElfFile* CodeFile::elf() const {
  return elf_.has_value() && elf_->symbols.has_value() ? elf_->symbols->image() : nullptr;
}

std::string CodeFile::not_used() const {
  if (!elf_.has_value() || elf_->split == nullptr) return {};
  const SplitFiles& split = *elf_->split;
  if (split.refused.empty() && split.missing != 0) return missing_split(split);
  return split.more_refused == 0 ? split.refused : fmt::format("{} (and {} more)", split.refused, split.more_refused);
}

u64 CodeFile::image_base() const {
  return is_image() ? pe()->image_base() : 0;
}

Rva CodeFile::rva_of(u64 address) const {
  return Rva{static_cast<u32>(address - image_base())};
}

std::optional<u64> CodeFile::address_of_offset(u64 offset) const {
  if (is_windows()) return offset <= ~u32{0} ? std::optional(image_base() + offset) : std::nullopt;
  return elf_.has_value() && elf_->symbols.has_value() ? elf_->symbols->address_of_offset(offset) : std::nullopt;
}

Symbolization CodeFile::answer_of_image(const std::vector<u64>& addresses, const SymbolQuery& query) const {
  std::vector<Rva> rvas;
  rvas.reserve(addresses.size());
  for (const u64 address : addresses) rvas.push_back(rva_of(address));
  const u64 base = image_base();
  Symbolization out;
  out.answers.reserve(addresses.size());
  for (const symbols::Answer& known : image_->symbols->answer(rvas, query)) {
    SymbolizedAddress& answer = out.answers.emplace_back();
    answer.address = base + known.address.value;
    answer.source = known.source;
    answer.function = known.function;
    if (known.bounds.begin.value != known.bounds.end.value) {
      answer.begin = base + known.bounds.begin.value;
      answer.end = base + known.bounds.end.value;
    }
    if (!query.lines) continue;
    answer.first_frame = static_cast<u32>(out.frames.size());
    answer.frame_count = static_cast<u32>(known.frames.size());
    out.frames.insert(out.frames.end(), known.frames.begin(), known.frames.end());
  }
  return out;
}

Symbolization CodeFile::answer(const std::vector<u64>& addresses, const SymbolQuery& query) const {
  if (is_windows()) return answer_of_image(addresses, query);
  return elf_->symbols->answer(addresses, query);
}

SymbolizedAddress CodeFile::function_at(u64 address, bool decorated) const {
  if (is_windows()) return answer_of_image({address}, {.lines = false, .decorated = decorated}).answers.front();
  return elf_->symbols->function_at(address, decorated);
}

std::vector<code::AddressRange> CodeFile::pieces_at(u64 address) const {
  if (!has_symbols()) return {};
  return is_windows() ? image_->symbols->pieces_at(rva_of(address)) : elf_->symbols->pieces_at(address);
}

std::optional<CodeBytes> CodeFile::code(u64 begin, u64 end) const {
  if (begin > end) return {};
  if (is_image()) {
    const Rva rva = rva_of(begin);
    return CodeBytes{.instructions = instruction_set(*pe(), rva),
                     .bytes = pe()->bytes_at(rva, static_cast<u32>(std::min<u64>(end - begin, ~u32{0}))),
                     .base = pe()->image_base(),
                     .first = rva.value};
  }
  const auto offset = elf() != nullptr ? elf()->offset_of_address(begin) : std::nullopt;
  if (!offset.has_value() || *offset + (end - begin) > ~u32{0}) return {};
  return code_of(*elf_, static_cast<u32>(*offset), static_cast<u32>(*offset + (end - begin)));
}

std::optional<u64> CodeFile::code_hash(code::AddressRange function) const {
  if (!has_symbols()) return {};
  const std::optional<CodeBytes> bytes = code(function.begin, function.end);
  if (!bytes.has_value() || bytes->bytes.size() < function.end - function.begin) return {};
  code::AddressRange image;
  if (is_image()) {
    image = {image_base(), image_base() + pe()->image_size()};
  } else {
    image.begin = ~u64{0};
    for (const symbols::ElfSegment& segment : elf()->segments()) {
      if (segment.type != symbols::elf::kSegmentLoad) continue;
      image.begin = std::min(image.begin, segment.address);
      image.end = std::max(image.end, segment.address + segment.memory_size);
    }
  }
  const auto hash = symbols::code_hash({.instructions = bytes->instructions,
                                        .bytes = bytes->bytes,
                                        .address = function.begin,
                                        .image_begin = image.begin,
                                        .image_end = image.end});
  return hash.has_value() ? std::optional(hash.value()) : std::nullopt;
}

void CodeFile::for_each_name(bool decorated, const symbols::CodeNameVisitor& visit) const {
  if (is_windows()) {
    image_->symbols->for_each_name(decorated,
                                   [&](Rva rva, std::string_view name) { visit(image_base() + rva.value, name); });
  } else if (has_symbols()) {
    elf_->symbols->for_each_name(decorated, visit);
  }
}

std::vector<code::AddressRange> CodeFile::line_ranges(const Symbolization& known) const {
  std::vector<code::AddressRange> ranges(known.answers.size());
  if (const symbols::PdbFile* pdb = is_windows() ? image_->symbols->pdb() : nullptr; pdb != nullptr) {
    for (size_t i = 0; i < ranges.size(); ++i) {
      const auto line = pdb->line_at(rva_of(known.answers[i].address));
      if (!line.has_value()) continue;
      ranges[i].begin = image_base() + line->rva.value;
      ranges[i].end = ranges[i].begin + line->size;
    }
    return ranges;
  }
  code::AddressRange function;
  std::vector<u32> lines;  // the line of each byte of the function that was read last
  for (size_t i = 0; i < ranges.size(); ++i) {
    const SymbolizedAddress& one = known.answers[i];
    const bool whole = one.address >= one.begin && one.address < one.end && one.end - one.begin <= kMostBytesOfLines;
    if (!whole || line_of_function(known, one) == 0) continue;
    if (one.begin != function.begin || one.end != function.end) {
      std::vector<u64> all(one.end - one.begin);
      std::iota(all.begin(), all.end(), one.begin);
      const Symbolization each = answer(all, {.lines = true, .decorated = true});
      lines.assign(all.size(), 0);
      for (size_t byte = 0; byte < all.size(); ++byte) lines[byte] = line_of_function(each, each.answers[byte]);
      function = {one.begin, one.end};
    }
    u64 first = one.address - one.begin, last = first;
    const u32 line = lines[first];
    while (first > 0 && lines[first - 1] == line) --first;
    while (last < lines.size() && lines[last] == line) ++last;
    ranges[i] = {one.begin + first, one.begin + last};
  }
  return ranges;
}

std::optional<code::CallerPlace> CodeFile::caller_place(u64 address) const {
  return is_image() ? pe()->caller_place(rva_of(address)) : std::nullopt;
}

bool CodeFile::is_call(u64 address) const {
  const std::optional<CodeBytes> found = code(address, address + 4);
  return found.has_value() && found->instructions == symbols::InstructionSet::arm64 &&
         is_call_instruction(found->bytes);
}

}  // namespace wperf::modules
