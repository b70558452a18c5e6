// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/pe_image.h"

#include <array>

#include "sim/memory/address_space.h"
#include "sim/nt/pe_bytes.h"

namespace wperf::sim {
namespace {

constexpr u32 kPeSignature = 0x4550;  // "PE\0\0"
constexpr u16 kMachineArm64 = 0xaa64;
constexpr u16 kOptionalPe32Plus = 0x20b;
constexpr u16 kRelocationsStripped = 0x0001;
constexpr u16 kExecutable = 0x0002;
constexpr u16 kDll = 0x2000;
constexpr u16 kDynamicBase = 0x0040;
constexpr u16 kSubsystemNative = 1;
constexpr u32 kSectionDiscardable = 0x02000000;
constexpr u32 kSectionCode = 0x20000000;
constexpr u32 kSectionRead = 0x40000000;
constexpr u32 kSectionWrite = 0x80000000;
constexpr u32 kDirectoryCount = 16;
constexpr u32 kExportDirectory = 0, kImportDirectory = 1, kRelocationDirectory = 5, kTlsDirectory = 9,
              kLoadConfigDirectory = 10, kDelayImportDirectory = 13, kClrDirectory = 14;
constexpr u64 kLargestImage = 1ull << 30;
constexpr u64 kHighestBase = 0x7ffe'0000'0000;
constexpr u32 kMostSections = 96;  // the Windows loader's own limit

struct CoffHeader {
  u16 machine, section_count;
  u32 time, symbols, symbol_count;
  u16 optional_size, characteristics;
};
static_assert(sizeof(CoffHeader) == 20);

struct OptionalHeader {  // PE32+, up to the directories
  u16 magic;
  u8 linker_major, linker_minor;
  u32 code_size, data_size, bss_size, entry_rva, code_rva;
  u64 image_base;
  u32 section_alignment, file_alignment;
  u16 os_major, os_minor, image_major, image_minor, subsystem_major, subsystem_minor;
  u32 win32_version, image_size, headers_size, checksum;
  u16 subsystem, dll_characteristics;
  u64 stack_reserve, stack_commit, heap_reserve, heap_commit;
  u32 loader_flags, directory_count;
};
static_assert(sizeof(OptionalHeader) == 112);

struct SectionHeader {
  std::array<char, 8> name;
  u32 virtual_size, rva, file_size, file_offset, relocations, lines;
  u16 relocation_count, line_count;
  u32 characteristics;
};
static_assert(sizeof(SectionHeader) == 40);

struct Headers {
  CoffHeader coff{};
  OptionalHeader optional{};
  std::array<PeDirectory, kDirectoryCount> directories{};
  u64 section_table = 0;
};

const char* foreign_machine(u16 machine) {
  switch (machine) {
    case 0x8664:
      return "an x64";
    case 0x014c:
      return "an x86";
    case 0x01c0:
    case 0x01c2:
    case 0x01c4:
      return "a 32-bit Arm";
    case 0xa641:
      return "an ARM64EC";
    case 0x0200:
      return "an Itanium";
    default:
      return nullptr;
  }
}

std::string wrong_machine(const PeBytes& bytes, const Headers& headers, bool sections_known) {
  // The header of an ARM64EC image says x64; its load configuration has a CHPE metadata pointer.
  constexpr u64 kChpePointerOffset = 0xc8;
  const std::string kind = (headers.coff.characteristics & kDll) != 0 ? "DLL" : "program";
  u64 chpe = 0;
  if (headers.coff.machine == 0x8664 && sections_known &&
      bytes.at_rva(u64{headers.directories[kLoadConfigDirectory].rva} + kChpePointerOffset, chpe) && chpe != 0 &&
      headers.directories[kLoadConfigDirectory].size > kChpePointerOffset) {
    return "is an ARM64EC " + kind + "; the simulated machine runs plain ARM64 programs";
  }
  if (const char* name = foreign_machine(headers.coff.machine)) {
    return std::string("is ") + name + " " + kind + "; the simulated machine runs ARM64 programs";
  }
  return "is for an unknown machine; the simulated machine runs ARM64 programs";
}

std::string parse_headers(const PeBytes& bytes, Headers& out) {
  u16 dos = 0;
  if (!bytes.at_offset(0, dos) || dos != 0x5a4d) return "is not a Windows program";
  u32 pe_offset = 0;
  u32 signature = 0;
  if (!bytes.at_offset(0x3c, pe_offset)) return "is not a Windows program";
  if (!bytes.at_offset(pe_offset, signature)) return "is damaged or truncated: its PE header is missing";
  if (signature != kPeSignature) return "is not a Windows program (it has an MZ header, but no PE header)";
  const u64 coff_offset = u64{pe_offset} + 4;
  if (!bytes.at_offset(coff_offset, out.coff)) return "is damaged or truncated: its PE header is incomplete";
  const u64 optional_offset = coff_offset + sizeof(CoffHeader);
  const bool has_optional = bytes.at_offset(optional_offset, out.optional);
  if (out.coff.machine != kMachineArm64 && out.coff.machine != 0x8664) return wrong_machine(bytes, out, false);
  if (!has_optional || out.coff.optional_size < sizeof(OptionalHeader)) {
    return "is damaged or truncated: its optional header is incomplete";
  }
  if (out.optional.magic != kOptionalPe32Plus) return "is damaged: its optional header is not PE32+";
  const u32 directory_count = std::min(out.optional.directory_count, kDirectoryCount);
  if (out.coff.optional_size - sizeof(OptionalHeader) < directory_count * sizeof(PeDirectory)) {
    return "is damaged: its data directories do not fit into the optional header";
  }
  for (u32 index = 0; index < directory_count; ++index) {
    if (!bytes.at_offset(optional_offset + sizeof(OptionalHeader) + index * sizeof(PeDirectory),
                         out.directories[index])) {
      return "is damaged or truncated: its data directories are incomplete";
    }
  }
  out.section_table = optional_offset + out.coff.optional_size;
  return {};
}

std::string check_layout(const Headers& headers, u64 file_size, PeImage& out) {
  const OptionalHeader& optional = headers.optional;
  if (optional.section_alignment < kPageSize || optional.section_alignment % kPageSize != 0) {
    return "has sections that are not aligned to pages, which the simulator does not support";
  }
  const u64 image_size = page_up(optional.image_size);
  if (image_size == 0 || image_size > kLargestImage) return "is damaged: its image size is invalid";
  if (optional.headers_size == 0 || optional.headers_size > file_size || optional.headers_size > image_size) {
    return "is damaged or truncated: its headers are larger than the file";
  }
  if (optional.image_base % 0x10000 != 0 || optional.image_base > kHighestBase) {
    return "is damaged: its image base is invalid";
  }
  if (headers.coff.section_count == 0 || headers.coff.section_count > kMostSections) {
    return "is damaged: its number of sections is invalid";
  }
  out.preferred_base = optional.image_base;
  out.image_size = static_cast<u32>(image_size);
  out.headers_size = optional.headers_size;
  out.entry_rva = optional.entry_rva;
  out.stack_reserve = optional.stack_reserve;
  out.is_dll = (headers.coff.characteristics & kDll) != 0;
  out.relocatable =
      (headers.coff.characteristics & kRelocationsStripped) == 0 && (optional.dll_characteristics & kDynamicBase) != 0;
  return {};
}

u32 section_permissions(u32 characteristics) {
  u32 permissions = 0;
  if (characteristics & kSectionRead) permissions |= kRead;
  if (characteristics & kSectionWrite) permissions |= kWrite;
  if (characteristics & kSectionCode) permissions |= kExecute;
  return permissions;
}

std::string section_name(const SectionHeader& header) {
  std::string name;
  for (char character : header.name) {
    if (character == 0) break;
    name += character >= 0x20 && character < 0x7f ? character : '?';
  }
  return name;
}

std::string parse_sections(const PeBytes& bytes, const Headers& headers, u64 file_size, PeImage& out) {
  u64 previous_end = page_up(out.headers_size);
  for (u32 index = 0; index < headers.coff.section_count; ++index) {
    SectionHeader header{};
    if (!bytes.at_offset(headers.section_table + index * sizeof(SectionHeader), header)) {
      return "is damaged or truncated: its section table is incomplete";
    }
    PeSection section;
    section.name = section_name(header);
    const u64 mapped = page_up(header.virtual_size != 0 ? header.virtual_size : header.file_size);
    if (mapped == 0) continue;
    if (header.rva % kPageSize != 0 || header.rva < previous_end || u64{header.rva} + mapped > out.image_size) {
      return "is damaged: section " + section.name + " does not fit into the image";
    }
    section.rva = header.rva;
    section.mapped_size = static_cast<u32>(mapped);
    section.permissions = section_permissions(header.characteristics);
    section.discardable = (header.characteristics & kSectionDiscardable) != 0;
    section.file_size = static_cast<u32>(std::min<u64>(header.file_size, mapped));
    section.file_offset = section.file_size != 0 ? header.file_offset : 0;
    if (u64{section.file_offset} + section.file_size > file_size) {
      return "is damaged or truncated: section " + section.name + " extends past the end of the file";
    }
    previous_end = u64{section.rva} + mapped;
    out.sections.push_back(std::move(section));
  }
  return {};
}

std::string check_kind(const PeBytes& bytes, const Headers& headers, const PeImage& image) {
  if (headers.coff.machine != kMachineArm64) return wrong_machine(bytes, headers, true);
  if ((headers.coff.characteristics & kExecutable) == 0) return "was not linked completely and cannot run";
  if (headers.optional.subsystem == kSubsystemNative) {
    return "is a driver or boot program; the simulated machine runs ordinary programs";
  }
  if (headers.directories[kClrDirectory].rva != 0) {
    return "is a .NET program; the simulated machine runs native ARM64 programs";
  }
  if (image.entry_rva != 0) {
    if (image.entry_rva % 4 != 0) return "is damaged: its entry point is not aligned";
    bool executable = false;
    for (const PeSection& section : image.sections) {
      if (image.entry_rva < section.rva || image.entry_rva - section.rva >= section.mapped_size) continue;
      executable = (section.permissions & kExecute) != 0;
    }
    if (!executable) return "is damaged: its entry point is outside its code";
  } else if (!image.is_dll) {
    return "has no entry point";
  }
  return {};
}

}  // namespace

std::string parse_pe(std::span<const std::byte> file, PeImage& out) {
  out = PeImage{};
  const PeBytes bytes(file, out);
  Headers headers;
  std::string error = parse_headers(bytes, headers);
  if (error.empty()) error = check_layout(headers, file.size(), out);
  if (error.empty()) error = parse_sections(bytes, headers, file.size(), out);
  if (headers.coff.machine == 0x8664 && !error.empty()) error = wrong_machine(bytes, headers, false);
  if (error.empty()) error = check_kind(bytes, headers, out);
  const auto& directories = headers.directories;
  for (const u32 one : {kImportDirectory, kDelayImportDirectory, kTlsDirectory})
    out.needs_loader = out.needs_loader || directories[one].rva != 0;
  if (error.empty()) error = parse_exports(bytes, directories[kExportDirectory], out.exports);
  if (error.empty()) error = parse_relocations(bytes, directories[kRelocationDirectory], out.relocation_rvas);
  return error;
}

}  // namespace wperf::sim
