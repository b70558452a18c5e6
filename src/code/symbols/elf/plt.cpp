// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/plt.h"

#include <algorithm>
#include <unordered_map>

#include "code/ordered.h"
#include "code/symbols/elf/elf_format.h"

namespace wperf::symbols::elf {
namespace {

struct Relocation {
  u64 slot = 0;  // the address that the dynamic linker fills in
  std::string_view target;
};

std::string_view dynamic_symbol_name(const ElfFile& file, const ElfSection& table, u64 index) {
  const u64 entry = file.is_64_bit() ? 24 : 16;
  const u32 name = file.stored(table).slice(index * entry, entry).at_or_zero<u32>(0);
  if (table.link >= file.sections().size()) return {};
  return file.stored(file.sections()[table.link]).text(name).value_or("");
}

// Most relocations in a large library are for tables of pointers, which no stub uses.
class OffsetTables {
 public:
  explicit OffsetTables(const ElfFile& file) {
    for (const ElfSection& section : file.sections()) {
      if (section.name.starts_with(".got")) tables_.push_back(&section);
    }
  }
  bool has(u64 slot) const {
    return std::any_of(tables_.begin(), tables_.end(), [&](const ElfSection* one) { return one->contains(slot); });
  }

 private:
  std::vector<const ElfSection*> tables_;
};

template <typename Wanted>
void read_relocations(const ElfFile& file, const ElfSection& section, std::vector<Relocation>& out, Wanted wanted) {
  if (section.link >= file.sections().size()) return;
  const ElfSection& symbols = file.sections()[section.link];
  if (symbols.type != kSectionDynsym && symbols.type != kSectionSymtab) return;
  const bool wide = file.is_64_bit();
  const u64 entry = section.type == kSectionRela ? (wide ? 24 : 12) : (wide ? 16 : 8);
  const EndianBytes bytes = file.stored(section);
  for (u64 at = 0; bytes.holds(at, entry); at += entry) {
    const u64 slot = wide ? bytes.at_or_zero<u64>(at) : bytes.at_or_zero<u32>(at);
    const u64 symbol = wide ? bytes.at_or_zero<u64>(at + 8) >> 32 : bytes.at_or_zero<u32>(at + 4) >> 8;
    if (!wanted(slot, symbol)) continue;
    out.push_back({slot, symbol != 0 ? dynamic_symbol_name(file, symbols, symbol) : std::string_view()});
  }
}

bool is_plt_name(std::string_view name) {
  return name == ".plt" || name == ".plt.sec" || name == ".plt.got" || name == ".plt.bnd" || name == ".iplt";
}

// Returns the slot through which the stub jumps, or 0 if the code is not a stub. A stub of x86 is an indirect jump (FF
// 25), perhaps with ENDBR or BND before it.
u64 slot_of_x86_stub(EndianBytes stub, u64 address, bool wide) {
  for (u64 at = 0; stub.holds(at, 6) && at < 6; ++at) {
    if (stub.at_or_zero<u8>(at) != 0xff || stub.at_or_zero<u8>(at + 1) != 0x25) continue;
    const u32 operand = stub.at_or_zero<u32>(at + 2);
    if (!wide) return operand;
    return address + at + 6 + static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int32_t>(operand)));
  }
  return 0;
}

// ADRP x16 and LDR x17 [x16, …], perhaps with a BTI before them.
u64 slot_of_arm64_stub(EndianBytes stub, u64 address) {
  for (u64 at = 0; at <= 4; at += 4) {
    u32 adrp = 0, load = 0;
    // Instructions are little-endian even if data is big-endian.
    const EndianBytes code(stub.span(), false);
    if (!code.load(at, adrp) || !code.load(at + 4, load)) return 0;
    if ((adrp & 0x9f00001fu) != 0x90000010u || (load & 0xffc003ffu) != 0xf9400211u) continue;
    u64 pages = ((adrp >> 5) & 0x7ffffu) << 2 | ((adrp >> 29) & 3u);
    if ((pages & 0x100000u) != 0) pages |= ~u64{0x1fffff};
    return ((address + at) & ~u64{0xfff}) + (pages << 12) + (((load >> 10) & 0xfffu) << 3);
  }
  return 0;
}

void read_stubs_by_code(const ElfFile& file, const ElfSection& section, u64 stub_size,
                        const std::unordered_map<u64, std::string_view>& targets, std::vector<PltStub>& out) {
  const EndianBytes code = file.stored(section);
  const bool arm64 = file.machine() == kMachineArm64;
  const u64 step = arm64 ? 4 : stub_size;
  for (u64 at = 0; code.holds(at, 8);) {
    const u64 address = section.address + at;
    const EndianBytes stub = code.slice(at, stub_size);
    const u64 slot = arm64 ? slot_of_arm64_stub(stub, address) : slot_of_x86_stub(stub, address, file.is_64_bit());
    const auto target = slot != 0 ? targets.find(slot) : targets.end();
    if (target == targets.end()) {
      at += step;
      continue;
    }
    // Stubs with BTI have 24 bytes, the others 16.
    const u64 size = arm64 && (EndianBytes(stub.span(), false).at_or_zero<u32>(0) == 0xd503245fu) ? 24 : stub_size;
    out.push_back({address, std::min(size, section.size - at), target->second});
    at += size;
  }
}

// Used if the code of stubs cannot be decoded: the section has a header, then one stub for each relocation in
// .rela.plt.
void read_stubs_by_order(const ElfFile& file, const ElfSection& section, const std::vector<Relocation>& relocations,
                         std::vector<PltStub>& out) {
  const bool arm = file.machine() == kMachineArm;
  const u64 header = arm ? 20 : 32, entry = arm ? 12 : 16;
  for (usize i = 0; i < relocations.size(); ++i) {
    const u64 at = header + i * entry;
    if (at + entry > section.size) break;
    out.push_back({section.address + at, entry, relocations[i].target});
  }
}

}  // namespace

std::vector<PltStub> read_plt(const ElfFile& file) {
  std::vector<Relocation> all, of_plt;
  const OffsetTables tables(file);
  for (const ElfSection& section : file.sections()) {
    if (section.type != kSectionRela && section.type != kSectionRel) continue;
    if (section.name == ".rela.plt" || section.name == ".rel.plt") {
      read_relocations(file, section, of_plt, [](u64, u64) { return true; });
    }
    if (section.name == ".rela.dyn" || section.name == ".rel.dyn") {
      read_relocations(file, section, all, [&](u64 slot, u64 symbol) { return symbol != 0 && tables.has(slot); });
    }
  }
  std::unordered_map<u64, std::string_view> targets;
  for (const Relocation& one : all) {
    if (!one.target.empty()) targets.emplace(one.slot, one.target);
  }
  for (const Relocation& one : of_plt) targets[one.slot] = one.target;

  std::vector<PltStub> stubs;
  const bool x86 = file.machine() == kMachineX86_64 || file.machine() == kMachineI386;
  for (const ElfSection& section : file.sections()) {
    if (!is_plt_name(section.name) || (section.flags & kFlagExecutable) == 0) continue;
    if (x86) {
      const u64 size = section.name == ".plt.got" && section.entry_size == 8 ? 8 : 16;
      read_stubs_by_code(file, section, size, targets, stubs);
    } else if (file.machine() == kMachineArm64) {
      read_stubs_by_code(file, section, 16, targets, stubs);
    } else if (section.name == ".plt") {
      read_stubs_by_order(file, section, of_plt, stubs);
    }
  }
  code::order_by(stubs, [](const PltStub& one) { return one.address; });
  return stubs;
}

}  // namespace wperf::symbols::elf
