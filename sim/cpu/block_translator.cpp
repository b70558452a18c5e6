// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/block_translator.h"

#if WPERF_TRANSLATES

#include <cstddef>

#include "sim/cpu/cycle_costs.h"

namespace wperf::sim {

BlockTranslator::BlockTranslator(u8* to, usize room, Block& block, TranslationContext& context)
    : Xbyak::CodeGenerator(room, to), block_(block), context_(context) {}

Xbyak::RegExp BlockTranslator::part(const void* at) const {
  const auto offset = static_cast<const u8*>(at) - reinterpret_cast<const u8*>(context_.parts.cycles);
  return r12 + static_cast<usize>(offset);
}
Xbyak::RegExp BlockTranslator::in_frame(usize offset) const {
  return r13 + offset;
}
Xbyak::Address BlockTranslator::guest(u32 number) const {
  static_assert(offsetof(ThreadState, x) == 0 && offsetof(ThreadState, sp) == usize{31} * 8);
  return qword[rbx + usize{number} * 8];
}

Xbyak::Label& BlockTranslator::later(std::function<void()> write) {
  later_.push_back(std::make_unique<Later>());
  later_.back()->write = std::move(write);
  return later_.back()->at;
}

// Calls the function of TranslatedCalls at this offset; its other arguments are already in their registers.
void BlockTranslator::call_engine(usize function) {
  mov(rdi, qword[in_frame(offsetof(TranslatedFrame, translator))]);
  call(qword[in_frame(offsetof(TranslatedFrame, calls) + function)]);
}

bool BlockTranslator::translate(std::span<const u32> code) {
  Xbyak::ClearError();
  if (code.empty() || context_.links_used + 2 > TranslatedFrame::kLinks ||
      context_.sites_used + code.size() > TranslatedFrame::kSites) {
    return false;
  }
  longest_ = longest_time(code);
  begin_block();
  pc_ = block_.address;
  for (const u32 one : code.first(code.size() - 1)) {
    if (!instruction(one)) return false;
    pc_ += 4;
  }
  if (block_.end != BranchKind::none) {
    if (!branch(code.back())) return false;
  } else {
    if (!instruction(code.back())) return false;
    go_on(block_.address + block_.size);
  }
  for (usize i = 0; i < later_.size(); ++i) {  // later_ may grow in the loop
    L(later_[i]->at);
    later_[i]->write();
  }
  return Xbyak::GetError() == Xbyak::ERR_NONE;
}

std::vector<BlockTranslator::Link> BlockTranslator::links() const {
  std::vector<Link> result;
  for (const Unlinked& link : links_) result.push_back({link.index, link.code->getAddress()});
  return result;
}

// The longest possible time of the block, in fixed-point cycles.
u64 BlockTranslator::longest_time(std::span<const u32> code) const {
  u64 lines = block_.line_count;
  for (const u32 one : code) {
    const Instruction instruction = classify_instruction(one);
    const u64 bytes = u64{instruction.access_count} * instruction.access_bytes;
    if (bytes != 0) lines += bytes / kLineSize + 2;
  }
  return block_.cost + (lines * (kDramWait + kWalkWait) + kMispredictWait) * kOneCycle;
}

// The entry from other blocks: the lines of the block are fetched. A block that loops jumps to counted_ directly, see
// go_on().
void BlockTranslator::begin_block() {
  jae(check_limit(entered_), T_NEAR);
  L(entered_);
  const auto this_block = reinterpret_cast<u64>(&block_);
  mov(rcx, this_block);
  cmp(byte[rcx + offsetof(Block, listed)], 0);
  Label listed;
  jne(listed);
  mov(rsi, rcx);
  call_engine(offsetof(TranslatedCalls, list));
  L(listed);
  Label fetched;
  if (block_.line_count == 1) {
    mov(rax, block_.address / 64);
    cmp(qword[part(context_.parts.last_fetch_line)], rax);
    je(fetched);
  }
  mov(rsi, this_block);
  call_engine(offsetof(TranslatedCalls, fetch));
  L(fetched);
  L(counted_);
  mov(rcx, this_block);
  inc(qword[rcx + offsetof(Block, runs)]);
  add(qword[part(context_.parts.cycles)], block_.cost);
}

// Compares with the limit. If the result is "above or equal", the code at the returned label decides, and jumps back to
// `go` if the block may run.
Xbyak::Label& BlockTranslator::check_limit(Label& go) {
  mov(rax, longest_);
  add(rax, qword[part(context_.parts.cycles)]);
  cmp(rax, rbp);
  return later([this, &go] {
    Label stop;
    cmp(byte[in_frame(offsetof(TranslatedFrame, bounds_blocks))], 0);
    jne(stop);
    cmp(qword[part(context_.parts.cycles)], rbp);
    jb(go, T_NEAR);
    L(stop);
    set_pc(block_.address);
    leave_to(TranslatedExit::limit);
  });
}

void BlockTranslator::set_pc(u64 pc) {
  mov(rax, pc);
  mov(qword[rbx + offsetof(ThreadState, pc)], rax);
}

void BlockTranslator::leave_to(TranslatedExit exit) {
  mov(dword[in_frame(offsetof(TranslatedFrame, exit))], static_cast<u32>(exit));
  jmp(context_.exit, T_NEAR);
}

void BlockTranslator::hand_back(u64 pc) {
  set_pc(pc);
  mov(rax, reinterpret_cast<u64>(&block_));
  mov(qword[in_frame(offsetof(TranslatedFrame, block))], rax);
  leave_to(TranslatedExit::hand_back);
}

// Returns the target of a jump that hands back the instruction being translated.
BlockTranslator::Label& BlockTranslator::unicorn_executes() {
  return later([this, pc = pc_] { hand_back(pc); });
}

// Continues with the block at `next`.
void BlockTranslator::go_on(u64 next) {
  if (next == block_.address) {
    Label& near = check_limit(counted_);
    jb(counted_, T_NEAR);
    jmp(near, T_NEAR);
    return;
  }
  const u32 link = context_.links_used++;
  jmp(qword[in_frame(offsetof(TranslatedFrame, links) + usize{link} * 8)]);
  Label& unlinked = later([this, next, link] {
    set_pc(next);
    mov(dword[in_frame(offsetof(TranslatedFrame, link))], link);
    leave_to(TranslatedExit::block);
  });
  links_.push_back({link, &unlinked});
}

// Continues with the block at rax.
void BlockTranslator::go_on_indirectly() {
  Label& unknown = later([this] {
    mov(qword[rbx + offsetof(ThreadState, pc)], rax);
    mov(dword[in_frame(offsetof(TranslatedFrame, link))], Block::kNoLink);
    leave_to(TranslatedExit::block);
  });
  mov(rcx, rax);
  shr(rcx, 2);
  and_(ecx, static_cast<u32>(BlockCache::kSlots - 1));
  mov(rdx, reinterpret_cast<u64>(context_.slots));
  mov(rdx, qword[rdx + rcx * 8]);
  test(rdx, rdx);
  jz(unknown, T_NEAR);
  cmp(qword[rdx + offsetof(Block, address)], rax);
  jne(unknown, T_NEAR);
  mov(rdx, qword[rdx + offsetof(Block, translated)]);
  test(rdx, rdx);
  jz(unknown, T_NEAR);
  jmp(rdx);
}

}  // namespace wperf::sim

#endif
