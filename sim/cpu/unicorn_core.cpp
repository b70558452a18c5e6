// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/unicorn_core.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace wperf::sim {
namespace {

// An address at which no block starts, so that uc_emu_start runs until it is stopped.
constexpr u64 kNowhere = ~u64{0} - 3;
// Unicorn's exception numbers (QEMU's EXCP_UDEF, EXCP_SWI, EXCP_BKPT).
constexpr u32 kSupervisorCall = 2;
constexpr u32 kBreakpoint = 7;
// The generic timer as a program sees it; its rate is correct only on the default machine with 25 MHz.
constexpr u64 kCyclesPerTimerTick = 1;
constexpr u64 kTimerFrequency = 25'000'000;

std::string with_number(const char* text, u64 number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%s 0x%llx", text, static_cast<unsigned long long>(number));
  return buffer;
}

bool is_clrex(u32 word) {
  return (word & 0xfffff0ff) == 0xd503305f;
}

const char* describe(uc_mem_type type) {
  switch (type) {
    case UC_MEM_READ_UNMAPPED:
      return "read of unmapped address";
    case UC_MEM_WRITE_UNMAPPED:
      return "write to unmapped address";
    case UC_MEM_FETCH_UNMAPPED:
      return "jump to unmapped address";
    case UC_MEM_READ_PROT:
      return "read of protected address";
    case UC_MEM_WRITE_PROT:
      return "write to read-only address";
    case UC_MEM_FETCH_PROT:
      return "jump to non-executable address";
    default:
      return "bad access to address";
  }
}

}  // namespace

UnicornCore::UnicornCore(const UnicornLibrary& library, CoreModel& model, Truth& truth, bool translates)
    : model_(model),
      cpu_(library),
      registers_(library, cpu_.handle()),
      watch_(model),
      translates_(translates),
      truth_(truth) {
  if (!cpu_.failure().empty()) return;
  cpu_.add_hook(UC_HOOK_BLOCK, reinterpret_cast<void*>(&on_block), this);
  cpu_.add_hook(UC_HOOK_MEM_READ, reinterpret_cast<void*>(&on_read), this);
  cpu_.add_hook(UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(&on_write), this);
  cpu_.add_hook(UC_HOOK_MEM_INVALID, reinterpret_cast<void*>(&on_bad_access), this);
  cpu_.add_hook(UC_HOOK_INTR, reinterpret_cast<void*>(&on_exception), this);
  cpu_.add_hook(UC_HOOK_INSN, reinterpret_cast<void*>(&on_system_read), this, UC_ARM64_INS_MRS);
}

Stop UnicornCore::run(AddressSpace& space, ThreadState& thread, u64 cycle_budget, std::span<const EventWatch> watches,
                      Profiler* profiler) {
  space_ = &space;
  if (!cpu_.failure().empty()) return fault(thread.pc, cpu_.failure());
  if (space.generation() != cpu_.generation() && !refresh()) return fault(thread.pc, cpu_.failure());
  model_.select(Level::user, space.id());
  const u64 budget = std::clamp<u64>(cycle_budget, 1, ~u64{0} >> (kCycleBits + 1));
  whole_reach_ = reach_ = budget_end_ = model_.spent() + budget * kOneCycle;
  current_ = resumed_ = nullptr;
  vectors_used_ = false;
  special_ = 0;
  begin_profiling(profiler);
  begin_watching(watches);
  const u64 executed_before = model_.signals()(Level::user, Signal::inst_spec);

  Stop result = execute(thread);

  if (watching_ || far_) end_watching(result);
  if (truth_.totals.kept()) fold_with_totals();
  blocks_.fold([this](const Block& block) { model_.retire(block); });
  if (profiler_ != nullptr) end_profiling(model_.signals()(Level::user, Signal::inst_spec) - executed_before);
  if (!registers_in_thread_) registers_.save(thread, vectors_used_);
  if (stop_cause_ == StopCause::unaligned_pc) thread.pc = result.fault_address;
  if (result.reason == StopReason::fault) model_.take_fault(stop_cause_ == StopCause::bad_access);
  model_.settle();
  return result;
}

// Follows the changes of memory since the last run.
bool UnicornCore::refresh() {
  if (const auto changes = space_->changes_since(cpu_.generation())) {
    if (translator_ != nullptr) translator_->forget_memory(*changes);
    for (const MemoryChange& change : *changes) {
      if (change.code) forget_code(change.base, change.size);
    }
  } else {
    if (translator_ != nullptr) translator_->clear();
    blocks_.clear();
  }
  return cpu_.refresh(*space_);
}

void UnicornCore::forget_code(u64 base, u64 size) {
  blocks_.forget(base, size, [this](Block& block) {
    if (translator_ != nullptr) translator_->unlink(block);
  });
}

Stop UnicornCore::execute(ThreadState& thread) {
  registers_in_thread_ = true;
  next_translation_ = model_.spent();  // try at once: an attempt costs no more than starting Unicorn
  stop_cause_ = wants_translation(thread.pc) ? StopCause::translation : StopCause::nothing;
  if (!watching_ && stop_cause_ == StopCause::nothing) set_limit();
  u64 pc = thread.pc;
  for (;;) {
    if (stop_cause_ == StopCause::translation) {
      if (!registers_in_thread_) registers_.save(thread, vectors_used_);
      registers_in_thread_ = true;
      stop_cause_ = StopCause::budget;
      if (std::optional<Stop> ended = execute_translated(thread)) return *std::move(ended);
      pc = thread.pc;
    }
    if (registers_in_thread_) registers_.load(thread);
    if (translator_ != nullptr && translator_->monitor() != monitor_) {
      monitor_ = translator_->monitor();
      cpu_.set_monitor(monitor_);
    }
    registers_in_thread_ = false;
    stop_cause_ = StopCause::nothing;
    blocks_entered_ = 0;
    const uc_err error = cpu_.library().emu_start(cpu_.handle(), pc, kNowhere, 0, 0);
    if (stop_cause_ == StopCause::translation) continue;
    // WFI ends emulation without an error; this engine treats it as an ordinary instruction.
    const bool waited = stop_cause_ == StopCause::nothing && error == UC_ERR_OK && blocks_entered_ != 0;
    if (!waited) return stopped(error);
    pc = registers_.read(UC_ARM64_REG_PC);
  }
}

Stop UnicornCore::stopped(uc_err error) {
  if (stop_cause_ == StopCause::budget) return {};
  if (stop_cause_ == StopCause::overflow) {
    Stop result;
    result.reason = StopReason::overflow;
    return result;
  }
  if (stop_cause_ == StopCause::unaligned_pc)
    return fault(bad_address_, with_number("jump to unaligned address", bad_address_));
  const u64 pc = registers_.read(UC_ARM64_REG_PC);
  if (stop_cause_ == StopCause::exception) return exception_ == kSupervisorCall ? kernel_call(pc) : exception(pc);
  if (stop_cause_ == StopCause::bad_access) return bad_access(pc);
  cut_short(pc);
  return fault(pc, error == UC_ERR_OK ? with_number("execution makes no progress at address", pc)
                                      : std::string("Unicorn stopped: ") + cpu_.library().strerror(error));
}

Stop UnicornCore::kernel_call(u64 pc) {
  Stop result;
  result.reason = StopReason::kernel_call;
  result.immediate = word_at(pc - 4) >> 5 & 0xffff;
  return result;
}

Stop UnicornCore::exception(u64 pc) {
  cut_short(pc);
  const u32 word = word_at(pc);
  if (exception_ != kBreakpoint) {
    Stop result = fault(pc, with_number("undefined instruction", word));
    result.fault_kind = FaultKind::instruction;
    return result;
  }
  const u32 number = word >> 5 & 0xffff;
  Stop result = fault(pc, with_number("breakpoint instruction brk", number));
  result.fault_kind = FaultKind::breakpoint;
  result.immediate = number;
  return result;
}

Stop UnicornCore::bad_access(u64 pc) {
  if (bad_type_ == UC_MEM_FETCH_UNMAPPED || bad_type_ == UC_MEM_FETCH_PROT) {
    if (current_ != nullptr) model_.leave(*current_, pc);
  } else {
    cut_short(pc);
  }
  return fault(bad_address_, with_number(describe(bad_type_), bad_address_));
}

Stop UnicornCore::fault(u64 address, std::string text) {
  Stop result;
  result.reason = StopReason::fault;
  result.fault_address = address;
  result.text = std::move(text);
  return result;
}

// Undoes the instruction at pc and the later ones of its block, which were not executed.
void UnicornCore::cut_short(u64 pc) {
  Block* const block = current_;
  if (block == nullptr || pc < block->address || pc - block->address >= block->size) return;
  const u64 size = pc - block->address;
  const auto bytes = space_->view(block->address, size);
  if (bytes.size() != size) return;
  std::vector<u32> code(size / 4);
  if (size != 0) std::memcpy(code.data(), bytes.data(), size);
  --block->runs;
  model_.retire_part(*block, sum_up(code));
}

u32 UnicornCore::word_at(u64 address) {
  u32 word = 0;
  space_->read(address, &word, sizeof word);
  return word;
}

Block& UnicornCore::decode(u64 address, u32 size) {
  Block& block = blocks_.add(address);
  block.size = size;
  const std::span<const u32> code = code_of(block);
  block.contents = sum_up(code);
  const auto has = [&block](Trait trait) { return block.contents.traits[static_cast<usize>(trait)] != 0; };
  block.uses_monitor =
      has(Trait::load_exclusive) || has(Trait::store_exclusive) || std::any_of(code.begin(), code.end(), is_clrex);
  if (!code.empty()) {
    const Instruction last = classify_instruction(code.back());
    const auto offset = static_cast<u64>(static_cast<std::int32_t>(last.branch_offset));
    block.end = last.branch;
    block.taken_target = block.branch_address() + offset;
  }
  const Region* const region = space_->region_of(address);
  if (region != nullptr && (region->permissions & kWrite) != 0) {
    space_->executed(address);
    block.translatable = space_->rarely_changes(address);
  }
  model_.price(block);
  return block;
}

void UnicornCore::stop(StopCause why) {
  stop_cause_ = why;
  cpu_.library().emu_stop(cpu_.handle());
}

inline void UnicornCore::enter_block(u64 address, u32 size) {
  Block* const block = current_;
  if (block != nullptr) [[likely]] {
    model_.leave(*block, address);
    if (block->address == address && block->size == size && !block->forgotten && model_.spent() < limit_) {
      ++block->runs;
      model_.enter_again(*block);
      return;
    }
  }
  enter_other_block(address, size);
}

// Returns null if the run ends, or if the block was handled in another way.
Block* UnicornCore::begin_new_block(u64 address, u32 size) {
  if ((address & 3) != 0) {
    bad_address_ = address;
    stop(StopCause::unaligned_pc);
    return nullptr;
  }
  Block& block = decode(address, size);
  if (!largest_.include(block) || !far_) return &block;
  come_nearer();  // the limit may be too far away now
  enter_other_block(address, size);
  return nullptr;
}

// Returns the block that starts here, or null as in begin_new_block().
inline Block* UnicornCore::begin_block(u64 address, u32 size) {
  current_ = nullptr;
  Block* block = blocks_.find(address, size);
  if (block == nullptr) [[unlikely]] {
    block = begin_new_block(address, size);
    if (block == nullptr) return nullptr;
  }
  execute_here(*block);
  blocks_.ran(*block);
  return block;
}

inline void UnicornCore::execute_here(Block& block) {
  vectors_used_ |= block.uses_vectors;
  monitor_used_ |= block.uses_monitor;
  current_ = &block;
  ++blocks_entered_;
}

void UnicornCore::enter_other_block(u64 address, u32 size) {
  if (resumed_ != nullptr) [[unlikely]] {  // the block has already begun
    execute_here(*resumed_);
    resumed_ = nullptr;
    return;
  }
  if (model_.spent() >= limit_) return limit_reached(address, size);
  if (Block* const block = begin_block(address, size); block != nullptr) model_.enter(*block);
}

Block* UnicornCore::next_block(u64 address, u32 size) {
  return begin_block(address, size);
}

void UnicornCore::limit_reached(u64 address, u32 size) {
  if (watching_) return enter_watched(address, size);
  current_ = nullptr;
  if (model_.spent() >= budget_end_) return stop(StopCause::budget);  // so the block is not executed
  if (far_ && model_.spent() >= reach_) come_nearer();
  if (wants_translation(address)) return stop(StopCause::translation);  // the block is not executed in this case either
  if (!watching_) set_limit();
  enter_other_block(address, size);
}

void UnicornCore::on_block(uc_engine*, u64 address, u32 size, void* self) {
  static_cast<UnicornCore*>(self)->enter_block(address, size);
}

bool UnicornCore::on_bad_access(uc_engine*, uc_mem_type type, u64 address, int, int64_t, void* self) {
  auto* const core = static_cast<UnicornCore*>(self);
  core->stop_cause_ = StopCause::bad_access;
  core->bad_type_ = type;
  core->bad_address_ = address;
  return false;
}

void UnicornCore::on_exception(uc_engine*, u32 number, void* self) {
  auto* const core = static_cast<UnicornCore*>(self);
  core->exception_ = number;
  core->stop(StopCause::exception);
}

// Unicorn's timer runs with the host's clock. A non-zero result means that this function has written the register.
u32 UnicornCore::on_system_read(uc_engine* cpu, uc_arm64_reg to, const uc_arm64_cp_reg* from, void* self) {
  const auto* const core = static_cast<UnicornCore*>(self);
  const auto is = [from](u32 crn, u32 crm, u32 op2) {
    return from->op0 == 3 && from->op1 == 3 && from->crn == crn && from->crm == crm && from->op2 == op2;
  };
  const bool counter = is(14, 0, 1) || is(14, 0, 2);  // CNTPCT_EL0, CNTVCT_EL0
  const bool frequency = is(14, 0, 0);
  const bool cycles = is(9, 13, 0);  // PMCCNTR_EL0, which Windows lets programs read
  if (!counter && !frequency && !cycles) return 0;
  const u64 value = frequency ? kTimerFrequency : core->model_.cycles() / (counter ? kCyclesPerTimerTick : 1);
  core->cpu_.library().reg_write(cpu, to, &value);
  return 1;
}

}  // namespace wperf::sim
