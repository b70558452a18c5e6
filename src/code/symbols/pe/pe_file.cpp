// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/pe_file.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "code/symbols/pe/arm64_unwind.h"
#include "code/symbols/pe/function_extents.h"
#include "code/symbols/pe/image_tables.h"

namespace wperf::symbols {
namespace {

constexpr u16 kMachineX64 = 0x8664, kMachineArm64 = 0xaa64, kMachineArm64Ec = 0xa641, kMachineArm64X = 0xa64e;

struct CoffHeader {
  u16 machine, section_count;
  u32 time_stamp, symbol_table, symbol_count;
  u16 optional_size, characteristics;
};

struct SectionHeader {
  char name[8];
  u32 virtual_size, rva, file_size, file_offset, relocations, lines;
  u16 relocation_count, line_count;
  u32 characteristics;
};

enum DirectoryIndex : u32 { kExports = 0, kExceptions = 3, kDebug = 6, kLoadConfig = 10 };

struct OptionalHeader {
  bool is_64_bit = false;
  u64 image_base = 0;
  u32 entry_rva = 0, image_size = 0, headers_size = 0;
  DirectoryEntry directories[16] = {};
};

diag::Error bad_image(const char* what) {
  return {.text = what, .hint = {}, .code = diag::ExitCode::damaged_input};
}

bool read_optional_header(Bytes bytes, OptionalHeader& out) {
  constexpr u16 kPe32 = 0x10b, kPe32Plus = 0x20b;
  u16 magic = 0;
  if (!bytes::read_at(bytes, 0, magic) || (magic != kPe32 && magic != kPe32Plus)) return false;
  out.is_64_bit = magic == kPe32Plus;
  u32 base_32 = 0, count = 0;
  const bool sound = bytes::read_at(bytes, 16, out.entry_rva) && bytes::read_at(bytes, 56, out.image_size) &&
                     bytes::read_at(bytes, 60, out.headers_size) &&
                     (out.is_64_bit ? bytes::read_at(bytes, 24, out.image_base) : bytes::read_at(bytes, 28, base_32)) &&
                     bytes::read_at(bytes, out.is_64_bit ? 108 : 92, count);
  if (!sound) return false;
  if (!out.is_64_bit) out.image_base = base_32;
  const u64 directories = out.is_64_bit ? 112 : 96;
  for (u64 i = 0; i < std::min<u32>(count, 16); ++i) {
    if (!bytes::read_at(bytes, directories + i * sizeof(DirectoryEntry), out.directories[i])) return false;
  }
  return true;
}

// Reads sections in the order of the file, which must also be the order of their addresses.
bool read_sections(Bytes table, u16 count, const CoffSymbols& texts, std::vector<Section>& out) {
  SectionHeader header{};
  for (u64 i = 0; i < count; ++i) {
    if (!bytes::read_at(table, i * sizeof header, header)) return false;
    if (!out.empty() && header.rva <= out.back().rva) return false;
    if (std::max(header.virtual_size, header.file_size) > ~header.rva) return false;
    const char* end = std::find(header.name, header.name + sizeof header.name, '\0');
    Section section;
    section.name = texts.section_name({static_cast<const char*>(header.name), end});
    section.rva = header.rva;
    section.virtual_size = header.virtual_size;
    section.file_offset = header.file_offset;
    section.file_size = header.file_size;
    section.characteristics = header.characteristics;
    out.push_back(std::move(section));
  }
  return true;
}

PeMachine machine_of(u16 machine, bool hybrid) {
  switch (machine) {
    case kMachineArm64:
    case kMachineArm64X:
      return PeMachine::arm64;
    case kMachineArm64Ec:
      return PeMachine::arm64ec;
    case kMachineX64:
      return hybrid ? PeMachine::arm64ec : PeMachine::x64;
    default:
      return PeMachine::other;
  }
}

// The records of all .pdata tables, ordered by RVA.
std::vector<ExceptionRecord> read_functions(const ImageBytes& image, DirectoryEntry exceptions, PeMachine machine,
                                            const std::optional<HybridCode>& hybrid) {
  std::vector<ExceptionRecord> records;
  const Bytes directory = directory_bytes(image, exceptions);
  if (machine == PeMachine::arm64) {
    read_arm64_exceptions(image, directory, records);
  } else if (machine != PeMachine::other) {
    read_x64_exceptions(image, directory, records);
  }
  // The native view of ARM64X lists one table twice; its x64 table is only visible in an x64 process.
  if (hybrid.has_value() && (machine != PeMachine::arm64 || hybrid->extra_functions_rva != exceptions.rva)) {
    const DirectoryEntry extra = {hybrid->extra_functions_rva, hybrid->extra_functions_size};
    read_arm64_exceptions(image, directory_bytes(image, extra), records);
  }
  std::sort(records.begin(), records.end(), [](const ExceptionRecord& a, const ExceptionRecord& b) {
    return std::tie(a.range.begin, a.range.end, a.unwind_word) < std::tie(b.range.begin, b.range.end, b.unwind_word);
  });
  return records;
}

}  // namespace

diag::Result<PeFile> PeFile::parse(Bytes file) {
  constexpr u16 kDosSignature = 0x5a4d;  // MZ
  constexpr u32 kPeSignature = 0x4550;   // PE
  u16 dos = 0;
  u32 pe_offset = 0, signature = 0;
  CoffHeader coff{};
  if (!bytes::read_at(file, 0, dos) || dos != kDosSignature) return bad_image("it does not start like a Windows image");
  if (!bytes::read_at(file, 0x3c, pe_offset) || !bytes::read_at(file, pe_offset, signature) ||
      signature != kPeSignature || !bytes::read_at(file, u64{pe_offset} + sizeof signature, coff)) {
    return bad_image("its PE header is damaged or cut off");
  }
  const u64 optional_at = u64{pe_offset} + sizeof signature + sizeof coff;
  const Bytes optional_bytes = bytes::from(file, optional_at);
  OptionalHeader header;
  if (!read_optional_header(optional_bytes.first(std::min<usize>(optional_bytes.size(), coff.optional_size)), header)) {
    return bad_image("its optional header is damaged or cut off");
  }

  PeFile out;
  const CoffSymbols symbols(file, coff.symbol_table, coff.symbol_count);
  const Bytes section_table = bytes::from(file, optional_at + coff.optional_size);
  if (!read_sections(section_table, coff.section_count, symbols, out.sections_)) {
    return bad_image("its section table is damaged or cut off");
  }
  out.file_ = file;
  out.is_64_bit_ = header.is_64_bit;
  out.image_base_ = header.image_base;
  out.image_size_ = header.image_size;
  out.entry_rva_ = header.entry_rva;
  out.headers_size_ = header.headers_size;
  out.time_stamp_ = coff.time_stamp;
  out.symbol_table_ = coff.symbol_table;
  out.symbol_count_ = coff.symbol_count;

  const ImageBytes image(file, out.sections_, out.headers_size_);
  out.codeview_ = read_codeview(file, image, header.directories[kDebug]);
  out.exports_ = read_exports(image, header.directories[kExports], out.image_size_);
  std::optional<HybridCode> hybrid;
  if (header.is_64_bit) {
    hybrid = read_hybrid_code(image, directory_bytes(image, header.directories[kLoadConfig]), out.image_base_);
  }
  out.machine_ = machine_of(coff.machine, hybrid.has_value());

  const std::vector<ExceptionRecord> records =
      read_functions(image, header.directories[kExceptions], out.machine_, hybrid);
  if (hybrid.has_value()) out.code_ranges_ = std::move(hybrid->ranges);
  out.functions_.reserve(records.size());
  out.unwind_words_.reserve(records.size());
  for (const ExceptionRecord& record : records) {
    if (!out.functions_.empty() && out.functions_.back().begin == record.range.begin) continue;
    out.functions_.push_back(record.range);
    out.unwind_words_.push_back(record.unwind_word);
  }
  return out;
}

const Section* PeFile::section(std::string_view name) const {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](const Section& one) { return one.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

Bytes PeFile::section_bytes(const Section& section) const {
  return bytes::slice(file_, section.file_offset, section.stored_size());
}

std::vector<CoffFunction> PeFile::coff_functions() const {
  std::vector<CoffFunction> out = CoffSymbols(file_, symbol_table_, symbol_count_).functions(sections_);
  auto record = functions_.begin();  // the first record that begins after the function's start
  for (auto& [range, name] : out) {
    while (record != functions_.end() && record->begin <= range.begin) ++record;
    if (record == functions_.begin() || !(record - 1)->contains(range.begin)) {
      // A function without a record ends before the next function that has a record.
      if (record != functions_.end()) range.end = std::min(range.end, record->begin);
      continue;
    }
    // Large functions have several records without gaps.
    code::Rva end = (record - 1)->end;
    for (auto next = record; next != functions_.end() && next->begin <= end && next->begin < range.end; ++next) {
      end = std::max(end, next->end);
    }
    range.end = std::min(range.end, end);
  }
  return out;
}

std::optional<code::RvaRange> PeFile::function_at(code::Rva rva) const {
  const usize index = find_function(functions_, rva);
  if (index == functions_.size()) return std::nullopt;
  return functions_[index];
}

std::vector<code::RvaRange> PeFile::unlisted_functions() const {
  std::vector<code::RvaRange> out;
  u64 left = file_.size();  // sections of a damaged file may share their bytes
  for (const Section& section : sections_) {
    const Bytes code = section_bytes(section);
    if (!section.executable() || code.size() > std::min<u64>(left, ~section.rva)) continue;
    left -= code.size();
    if (!out.empty() && section.rva < out.back().end.value) continue;
    const u32 end = section.rva + static_cast<u32>(code.size());
    u32 at = section.rva;
    const auto append_up_to = [&](u32 to) {
      if (at < to && is_arm64_code({at})) append_arm64_functions(code.subspan(at - section.rva, to - at), {at}, out);
    };
    // Starts with the function in which the section may begin.
    for (usize i = std::max<usize>(function_after(functions_, {section.rva}), 1) - 1; i < functions_.size(); ++i) {
      append_up_to(std::min(functions_[i].begin.value, end));
      at = std::max(at, functions_[i].end.value);
      if (at >= end) break;
    }
    append_up_to(end);
  }
  return out;
}

code::Rva PeFile::furthest_end(code::Rva start) const {
  const usize next = function_after(functions_, start);
  const u32 limit = next < functions_.size() ? functions_[next].begin.value : ~u32{0};
  if (next > 0 && functions_[next - 1].contains(start)) return {std::min(limit, functions_[next - 1].end.value)};
  const ImageBytes image(file_, sections_, headers_size_);
  const Section* section = image.section_at(start.value);
  if (section == nullptr) return start;
  u64 end = u64{section->rva} + std::max(section->virtual_size, section->file_size);
  // The next function may also be a leaf function without a name.
  if (section->executable() && is_arm64_code(start))
    end = std::min(end, u64{start.value} + arm64_flow_length(image.from(start.value)));
  return {static_cast<u32>(std::min<u64>(end, limit))};
}

const CodeRange* PeFile::code_range_at(code::Rva rva) const {
  const auto after = std::upper_bound(code_ranges_.begin(), code_ranges_.end(), rva,
                                      [](code::Rva wanted, const CodeRange& one) { return wanted < one.range.begin; });
  return after != code_ranges_.begin() && (after - 1)->range.contains(rva) ? &*(after - 1) : nullptr;
}

PeMachine PeFile::machine_at(code::Rva rva) const {
  const CodeRange* range = code_range_at(rva);
  return range != nullptr ? range->machine : machine_;
}

bool PeFile::is_arm64_code(code::Rva rva) const {
  const CodeRange* range = code_range_at(rva);
  if (range != nullptr) return range->machine != PeMachine::x64;
  return machine_ == PeMachine::arm64 || (machine_ == PeMachine::arm64ec && code_ranges_.empty());
}

const Export* PeFile::export_before(code::Rva rva) const {
  const auto after = std::upper_bound(exports_.begin(), exports_.end(), rva,
                                      [](code::Rva wanted, const Export& entry) { return wanted < entry.rva; });
  if (after == exports_.begin()) return nullptr;
  const code::Rva found = (after - 1)->rva;
  return &*std::lower_bound(exports_.begin(), after, found,
                            [](const Export& entry, code::Rva wanted) { return entry.rva < wanted; });
}

Bytes PeFile::bytes_at(code::Rva rva, u32 size) const {
  const Bytes stored = ImageBytes(file_, sections_, headers_size_).from(rva.value);
  return stored.first(std::min<usize>(stored.size(), size));
}

std::optional<code::CallerPlace> PeFile::caller_place(code::Rva rva) const {
  if (!is_arm64_code(rva)) return std::nullopt;
  const usize index = find_function(functions_, rva);
  if (index == functions_.size()) return code::CallerPlace::link_register;
  if (unwind_words_[index] == kX64Unwind) return std::nullopt;
  const ImageBytes image(file_, sections_, headers_size_);
  return arm64_caller_place(image, unwind_words_[index], rva.value - functions_[index].begin.value);
}

bool PeFile::saves_return_address(code::Rva rva) const {
  const usize index = find_function(functions_, rva);
  // x64 has no link register; the call pushes the return address onto the stack.
  if (index == functions_.size()) return machine_ == PeMachine::x64 || machine_ == PeMachine::other;
  if (unwind_words_[index] == kX64Unwind) return true;
  const ImageBytes image(file_, sections_, headers_size_);
  return arm64_return_address_saved(image, unwind_words_[index], rva.value - functions_[index].begin.value);
}

}  // namespace wperf::symbols
