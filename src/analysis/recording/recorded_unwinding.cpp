// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_unwinding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "code/symbols/elf/elf_format.h"
#include "code/unwind/call_stub.h"
#include "code/unwind/frame_table.h"
#include "code/unwind/unwinder.h"
#include "ground/os/process.h"

namespace wperf::recording {
namespace {

using perf_data::CodePlace;
using perf_data::kNoCode;
using perf_data::MappedCode;
using perf_data::Sample;
using symbols::ElfFile;
using unwind::CodeAt;
using unwind::FrameTable;

constexpr u64 kAbi32 = 1;

// The kernel's register numbers (arch/x86/include/uapi/asm/perf_regs.h) → DWARF's. Arm's numbers are the same.
constexpr u8 kNoRegister = 0xff;
constexpr std::array<u8, 24> kX64Registers = {
    0,           3,           2,           1,           4, 5, 6,  7,  16, kNoRegister, kNoRegister, kNoRegister,
    kNoRegister, kNoRegister, kNoRegister, kNoRegister, 8, 9, 10, 11, 12, 13,          14,          15};

u8 dwarf_number(unwind::Architecture architecture, u32 bit) {
  if (architecture == unwind::Architecture::aarch64)
    return bit < unwind::Registers::kCount ? static_cast<u8>(bit) : kNoRegister;
  return bit < kX64Registers.size() ? kX64Registers[bit] : kNoRegister;
}

unwind::Registers registers_of(unwind::Architecture architecture, const perf_data::Registers& recorded) {
  unwind::Registers out;
  usize index = 0;
  for (u64 rest = recorded.mask; rest != 0 && index < recorded.values.size(); rest &= rest - 1, ++index) {
    const u8 number = dwarf_number(architecture, static_cast<u32>(std::countr_zero(rest)));
    if (number != kNoRegister) out.set(number, recorded.values[index]);
  }
  return out;
}

}  // namespace

// Frame information of one file. Has external linkage, because a class in a header has a member of this type.
struct FrameFile {
  modules::LoadedElf loaded;
  std::optional<ElfFile> image, debug;
  std::optional<FrameTable> table;        // .eh_frame
  std::optional<FrameTable> debug_table;  // .debug_frame, read if .eh_frame has no entry
  bool has_read_debug = false;

  const unwind::FrameRow* row_at(u64 address);
  // Is it code without frame information in the function in which the program begins?
  bool is_in_entry(u64 address);
};

const unwind::FrameRow* FrameFile::row_at(u64 address) {
  if (!table.has_value()) return nullptr;
  if (const unwind::FrameRow* row = table->row_at(address)) return row;
  if (!has_read_debug) {
    has_read_debug = true;
    unwind::FrameSections sections = unwind::debug_frame_of(*image);
    if (sections.frames.empty() && debug.has_value()) sections = unwind::debug_frame_of(*debug);
    if (!sections.frames.empty()) debug_table.emplace(sections);
  }
  return debug_table.has_value() ? debug_table->row_at(address) : nullptr;
}

// Symbols often do not name this function, so it ends where code with frame information begins.
bool FrameFile::is_in_entry(u64 address) {
  constexpr u64 kMostBytes = 256;
  const u64 entry = image->entry();
  if (entry == 0 || address < entry || address - entry >= kMostBytes) return false;
  for (u64 before = entry; before <= address; ++before) {
    if (row_at(before) != nullptr) return false;
  }
  return true;
}

class RecordedUnwinder::Files {
 public:
  // `file` is null for programs on this machine, without a recording.
  Files(const perf_data::PerfFile* file, const CodeMap& map, modules::ElfSearch search)
      : file_(file), map_(map), search_(std::move(search)) {
    search_.lines = false;
    find_ = [this](u64 address) { return code_at(address); };
  }

  unwind::Ending add_callers(const Sample& sample, u32 space, std::vector<u64>& callers);
  Incomplete incomplete_;
  unwind::VisitFrame visit_;  // may be empty
  ReadCode read_jit_code_;    // may be empty

 private:
  struct Known {
    u32 space = kNoCode;
    u64 address = 0;
    CodeAt code;
  };
  static constexpr usize kKnown = 1 << 14;

  unwind::Architecture architecture_of(const perf_data::Registers& registers) const;
  CodeAt code_at(u64 address);
  CodeAt find_code(u64 address);
  const unwind::FrameRow* row_of_jit_code(u64 address) const;
  FrameFile& file_of(u32 number);
  void open_vdso(const MappedCode& code, FrameFile& out);

  const perf_data::PerfFile* file_;
  const CodeMap& map_;
  modules::ElfSearch search_;
  std::vector<std::unique_ptr<FrameFile>> files_;  // by the code's number; null if not opened yet
  std::vector<Known> known_ = std::vector<Known>(kKnown);
  unwind::FindCode find_;
  u32 space_ = 0;
  unwind::Architecture architecture_ = unwind::Architecture::x86_64;
};

unwind::Architecture RecordedUnwinder::Files::architecture_of(const perf_data::Registers& registers) const {
  if (file_ == nullptr) return unwind::architecture_here();
  const std::string_view named = file_->features().text(perf_data::Feature::architecture);
  if (named == "aarch64" || named == "arm64") return unwind::Architecture::aarch64;
  if (named == "x86_64") return unwind::Architecture::x86_64;
  constexpr u32 kArmInstructionPointer = 32;  // on x86 only vector registers have such high numbers
  return ((registers.mask >> kArmInstructionPointer) & 1) != 0 ? unwind::Architecture::aarch64
                                                               : unwind::Architecture::x86_64;
}

unwind::Ending RecordedUnwinder::Files::add_callers(const Sample& sample, u32 space, std::vector<u64>& callers) {
  constexpr usize kMostFrames = 4096;  // more than the largest copy can hold
  if (sample.user_registers.abi == kAbi32) {
    ++incomplete_.of_32_bits;
    return unwind::Ending::no_table;
  }
  space_ = space;
  architecture_ = architecture_of(sample.user_registers);
  const unwind::Registers registers = registers_of(architecture_, sample.user_registers);
  const u8 pc = unwind::instruction_pointer(architecture_), sp = unwind::stack_pointer(architecture_);
  if (sample.cpu_mode() != perf_data::kUserMode && registers.knows(pc)) callers.push_back(registers.value[pc] + 1);
  const perf_data::UserStack& copy = sample.user_stack;
  const unwind::StackCopy stack{.address = registers.value[sp],
                                .bytes = copy.bytes.first(static_cast<usize>(copy.written)),
                                .is_whole = copy.written != 0 && copy.written < copy.bytes.size()};
  const unwind::Ending ending =
      unwind::unwind({architecture_, registers}, stack, find_, {kMostFrames, visit_ ? &visit_ : nullptr}, callers);
  switch (ending) {
    case unwind::Ending::outermost:
      break;
    case unwind::Ending::stack_copy_too_short:
      ++incomplete_.stack_copy_too_short;
      break;
    case unwind::Ending::no_table:
      ++incomplete_.no_table;
      break;
    case unwind::Ending::damaged:
    case unwind::Ending::too_many_frames:
      ++incomplete_.damaged;
      break;
  }
  return ending;
}

CodeAt RecordedUnwinder::Files::code_at(u64 address) {
  Known& known = known_[(address ^ (address >> 14) ^ space_ * 0x9e3779b9) % kKnown];
  if (known.space != space_ || known.address != address) known = {space_, address, find_code(address)};
  return known.code;
}

CodeAt RecordedUnwinder::Files::find_code(u64 address) {
  const CodePlace place = map_.place_in(space_, address);
  CodeAt out;
  out.is_code = place.code != kNoCode;
  if (!out.is_code) return out;
  FrameFile& file = file_of(place.code);
  if (!file.image.has_value()) {
    if (map_.code(place.code).is_anonymous) out.row = row_of_jit_code(address);
    return out;
  }
  const u64 offset = map_.code(place.code).is_anonymous ? address - place.mapped_from : place.offset;
  const auto linked = file.image->address_of_offset(offset);
  if (!linked.has_value()) return out;
  out.moved_by = address - *linked;
  out.row = file.row_at(*linked);
  out.is_entry = out.row == nullptr && file.is_in_entry(*linked);
  return out;
}

const unwind::FrameRow* RecordedUnwinder::Files::row_of_jit_code(u64 address) const {
  if (!read_jit_code_ || architecture_ != unwind::Architecture::x86_64) return nullptr;
  // The pages before and after the page of this address may not be mapped.
  constexpr u64 kPage = 4096, kReach = unwind::kCallStubReach;
  std::array<std::byte, 2 * kReach + 1> code{};
  const u64 page = address & ~(kPage - 1), wanted = address - kReach;
  const u64 begin = std::max(wanted, page), end = std::min(wanted + code.size(), page + kPage);
  const auto there = std::span(code).subspan(static_cast<usize>(begin - wanted), static_cast<usize>(end - begin));
  return read_jit_code_(begin, there) ? unwind::call_stub_row(code) : nullptr;
}

FrameFile& RecordedUnwinder::Files::file_of(u32 number) {
  if (number >= files_.size()) files_.resize(usize{number} + 1);
  std::unique_ptr<FrameFile>& file = files_[number];
  if (file != nullptr) return *file;
  file = std::make_unique<FrameFile>();
  const MappedCode& code = map_.code(number);
  if (code.path == "[vdso]") {
    open_vdso(code, *file);
  } else if (!code.is_anonymous) {
    file->loaded = modules::find_elf(recorded_elf(code), search_);
    file->image = modules::parsed_elf(file->loaded.image);
    file->debug = modules::parsed_elf(file->loaded.debug);
  }
  const u16 wanted =
      architecture_ == unwind::Architecture::aarch64 ? symbols::elf::kMachineArm64 : symbols::elf::kMachineX86_64;
  if (file->image.has_value() && file->image->machine() != wanted) file->image.reset();
  if (file->image.has_value()) file->table.emplace(unwind::eh_frame_of(*file->image));
  return *file;
}

// This process's vDSO, if the recording has the same build id.
void RecordedUnwinder::Files::open_vdso(const MappedCode& code, FrameFile& out) {
  auto parsed = ElfFile::parse(os::vdso_image());
  if (!parsed.has_value()) return;
  const symbols::Bytes here = parsed.value().build_id();
  const auto is_here = [&](symbols::Bytes recorded) {
    return !here.empty() && recorded.size() >= here.size() && std::equal(here.begin(), here.end(), recorded.begin());
  };
  bool is_same = file_ == nullptr || is_here(code.build_id);
  if (file_ != nullptr) {
    for (const perf_data::BuildId& one : file_->features().build_ids()) {
      is_same = is_same || (one.file == "[vdso]" && is_here(one.id));
    }
  }
  if (is_same) out.image = std::move(parsed).value();
}

RecordedUnwinder::RecordedUnwinder(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                                   modules::ElfSearch search)
    : history_(std::make_unique<HistoryCodeMap>(history)),
      files_(std::make_unique<Files>(&file, *history_, std::move(search))) {}

RecordedUnwinder::RecordedUnwinder(const CodeMap& code, modules::ElfSearch search)
    : files_(std::make_unique<Files>(nullptr, code, std::move(search))) {}

RecordedUnwinder::~RecordedUnwinder() = default;

unwind::Ending RecordedUnwinder::add_callers(const Sample& sample, u32 space, std::vector<u64>& callers) {
  return files_->add_callers(sample, space, callers);
}

void RecordedUnwinder::show_frames_to(unwind::VisitFrame visit) {
  files_->visit_ = std::move(visit);
}

void RecordedUnwinder::read_jit_code_with(ReadCode read) {
  files_->read_jit_code_ = std::move(read);
}

const RecordedUnwinder::Incomplete& RecordedUnwinder::incomplete() const {
  return files_->incomplete_;
}

DeferredStacks::DeferredStacks(const perf_data::PerfFile& file) {
  const bool may_defer = std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    return event.attributes.defers_callchains();
  });
  if (!may_defer) return;
  file.for_each_record(perf_data::Visitors{[&](const perf_data::DeferredCallchain& part, const perf_data::Record&) {
    parts_.insert_or_assign(part.cookie, Part{part.identity.tid, part.callchain});
  }});
}

bool DeferredStacks::is_put_off(const perf_data::Sample& sample) {
  const usize size = sample.callchain.size();
  return size >= 2 && sample.callchain[size - 2] == perf_data::kCallchainDeferred;
}

bool DeferredStacks::append_to(std::vector<stacks::StackFrame>& frames, const perf_data::Sample& sample) const {
  const auto found = parts_.find(sample.callchain[sample.callchain.size() - 1]);
  if (found == parts_.end() || found->second.tid != sample.tid) return false;
  const bytes::Words& chain = found->second.chain;
  bool is_first = true;
  for (usize i = 0; i < chain.size(); ++i) {
    if (chain[i] >= perf_data::kCallchainMarks) continue;
    // The deferred part begins at the address to which the thread returns. A sample in user mode already has this
    // address.
    const bool again = is_first && frames.size() == 1 && frames[0].address == chain[i];
    is_first = false;
    if (!again) frames.push_back({chain[i], stacks::AddressKind::user});
  }
  return true;
}

bool continue_by_pointers(std::vector<u64>& unwound, const std::vector<u64>& pointers) {
  // Both lists begin at the sample, so callers that occur several times (recursion) are matched in order.
  auto from = unwound.begin();
  auto next = pointers.begin();
  for (; next != pointers.end(); ++next) {
    const auto same = std::find(from, unwound.end(), *next);
    if (same == unwound.end()) break;
    from = same + 1;
  }
  if (next == pointers.begin() || next == pointers.end()) return false;
  unwound.insert(unwound.end(), next, pointers.end());
  return true;
}

}  // namespace wperf::recording
