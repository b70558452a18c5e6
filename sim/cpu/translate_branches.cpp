// SPDX-License-Identifier: BSD-3-Clause
// The end of a block: the block that follows, and the branch predictor's guess.
#include <cstddef>

#include "sim/cpu/block_translator.h"
#include "sim/cpu/branch_predictor.h"
#include "sim/cpu/cycle_costs.h"

#if WPERF_TRANSLATES

namespace wperf::sim {

bool BlockTranslator::branch(u32 code) {
  const u64 after = pc_ + 4;
  switch (block_.end) {
    case BranchKind::jump:
      inc(qword[part(context_.parts.taken_branches)]);
      go_on(block_.taken_target);
      return true;
    case BranchKind::call:
      inc(qword[part(context_.parts.taken_branches)]);
      push_return(after);
      go_on(block_.taken_target);
      return true;
    case BranchKind::conditional:
      return conditional_branch(code);
    case BranchKind::indirect_jump:
    case BranchKind::indirect_call:
      if ((code & 0xffdffc1f) != 0xd61f0000) return false;  // with authentication
      load(rdx, code >> 5 & 31, true);
      mov(qword[in_frame(offsetof(TranslatedFrame, address))], rdx);
      if (block_.end == BranchKind::indirect_call) {
        mov(rax, after);
        mov(guest(30), rax);
      }
      mov(rsi, reinterpret_cast<u64>(&block_));
      call_engine(offsetof(TranslatedCalls, leave));
      mov(rax, qword[in_frame(offsetof(TranslatedFrame, address))]);
      go_on_indirectly();
      return true;
    case BranchKind::procedure_return:
      if ((code & 0xfffffc1f) != 0xd65f0000) return false;
      end_return(code >> 5 & 31);
      return true;
    default:
      return false;
  }
}

bool BlockTranslator::conditional_branch(u32 code) {
  Label taken;
  const u32 number = code & 31;
  if ((code & 0xff000010) == 0x54000000) {
    const u32 condition = code & 15;
    if (condition >= 14) {  // always
      end_conditional(block_.taken_target);
      return true;
    }
    need_flags();
    jump_if(condition, taken);
  } else if ((code & 0x7e000000) == 0x34000000) {  // CBZ, CBNZ
    load(rax, number, (code >> 31) != 0);
    test(rax, rax);
    (code >> 24 & 1) != 0 ? jnz(taken, T_NEAR) : jz(taken, T_NEAR);
  } else if ((code & 0x7e000000) == 0x36000000) {  // TBZ, TBNZ
    load(rax, number, true);
    bt(rax, static_cast<u8>((code >> 31) << 5 | (code >> 19 & 31)));
    (code >> 24 & 1) != 0 ? jc(taken, T_NEAR) : jnc(taken, T_NEAR);
  } else {
    return false;
  }
  end_conditional(pc_ + 4);
  L(taken);
  end_conditional(block_.taken_target);
  return true;
}

// Like BranchPredictor::resolve(), with known kind and direction.
void BlockTranslator::end_conditional(u64 next) {
  const ModelParts& parts = context_.parts;
  const bool taken = next == block_.taken_target;
  const u32 own = static_cast<u32>(pc_ >> 2) % BranchPredictor::kCounters;
  mov(eax, dword[part(parts.history)]);
  lea(ecx, ptr[rax * 4]);
  xor_(ecx, own);
  and_(ecx, BranchPredictor::kCounters - 1);
  lea(eax, ptr[rax + rax + usize{taken}]);
  and_(eax, (1U << BranchPredictor::kHistoryBits) - 1);
  mov(dword[part(parts.history)], eax);
  if (taken) inc(qword[part(parts.taken_branches)]);
  auto back = std::make_shared<Label>();
  const Xbyak::RegExp branch = part(parts.branches) + usize{own} * 2, by_history = part(parts.histories) + rcx;
  // Written without branches: the direction of a branch that is still being learnt is unpredictable for the host, too.
  Label& learn = later([this, branch, by_history, taken, back] {
    const usize table = offsetof(TranslatedFrame, learnt) + usize{taken} * sizeof(TranslatedFrame::learnt[0]);
    movzx(eax, word[branch]);
    lea(eax, ptr[rax + rdx * 4]);
    mov(eax, dword[in_frame(table) + rax * 4]);
    mov(word[branch], ax);
    shr(eax, 16);
    mov(byte[by_history], al);
    shr(eax, 8);
    add(qword[in_frame(offsetof(TranslatedFrame, mispredicts))], rax);
    imul(eax, eax, static_cast<int>(kMispredictWait * kOneCycle));
    add(qword[part(context_.parts.cycles)], rax);
    jmp(*back, T_NEAR);
  });
  movzx(eax, byte[branch]);
  movzx(edx, byte[by_history]);
  add(eax, edx);
  cmp(eax, taken ? 6 : 0);  // both are saturated: nothing to learn
  jne(learn, T_NEAR);
  L(*back);
  go_on(next);
}

void BlockTranslator::push_return(u64 address) {
  mov(rax, address);
  mov(guest(30), rax);
  mov(ecx, dword[part(context_.parts.return_top)]);
  inc(dword[part(context_.parts.return_top)]);
  and_(ecx, BranchPredictor::kReturns - 1);
  mov(qword[part(context_.parts.returns) + rcx * 8], rax);
}

void BlockTranslator::end_return(u32 number) {
  const ModelParts& parts = context_.parts;
  auto back = std::make_shared<Label>();
  Label& missed = later([this, back] {
    inc(qword[in_frame(offsetof(TranslatedFrame, mispredicts))]);
    add(qword[part(context_.parts.cycles)], static_cast<u32>(kMispredictWait * kOneCycle));
    jmp(*back, T_NEAR);
  });
  inc(qword[part(parts.taken_branches)]);
  load(rax, number, true);
  mov(ecx, dword[part(parts.return_top)]);
  dec(ecx);
  mov(dword[part(parts.return_top)], ecx);
  and_(ecx, BranchPredictor::kReturns - 1);
  cmp(qword[part(parts.returns) + rcx * 8], rax);
  jne(missed, T_NEAR);
  L(*back);
  go_on_indirectly();
}

// The host's flags equal the guest's, except for the carry: see TranslatedFrame::flags.
void BlockTranslator::jump_if(u32 condition, Label& to) {
  using Jump = void (Xbyak::CodeGenerator::*)(const Label&, Xbyak::CodeGenerator::LabelType);
  using Generator = Xbyak::CodeGenerator;
  static constexpr Jump kJumps[] = {&Generator::je,  &Generator::jne, &Generator::jae, &Generator::jb, &Generator::js,
                                    &Generator::jns, &Generator::jo,  &Generator::jno, &Generator::ja, &Generator::jbe,
                                    &Generator::jge, &Generator::jl,  &Generator::jg,  &Generator::jle};
  (this->*kJumps[condition])(to, T_NEAR);
}

}  // namespace wperf::sim

#endif
