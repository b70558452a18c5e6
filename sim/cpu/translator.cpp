// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/translator.h"

#include "sim/cpu/block_translator.h"

#if !WPERF_TRANSLATES

namespace wperf::sim {

std::unique_ptr<Translator> Translator::create(CoreModel&, BlockCache&, bool) {
  return nullptr;
}

}  // namespace wperf::sim

#else

#include <cpuid.h>
#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "sim/cpu/core_model.h"
#include "sim/cpu/executable_memory.h"

namespace wperf::sim {
namespace {

// Room for some 80,000 blocks; the start of CPython has 48,000. When it is full, everything is translated again.
constexpr usize kCodeBytes = 128 << 20;
constexpr usize kDoors = 64;  // sanitizers read the bytes before a function
constexpr usize kRoomForBlock = 64 << 10;
constexpr u64 kAddresses = u64{1} << 48;

using Enter = void (*)(TranslatedFrame*, ThreadState*, u64* clock, const void* code, u64* l1d_tags, u64 space_tag);

// Every x86-64 processor except the very first has LAHF.
bool host_has_lahf() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & 1) != 0;
}

u16 host_flags(u64 nzcv) {
  return static_cast<u16>((nzcv >> 16 & 0xc000) | (~nzcv >> 21 & 0x100) | (nzcv >> 28 & 1));
}
u64 guest_flags(u16 flags) {
  return u64{flags & 0xc000U} << 16 | u64{~flags & 0x100U} << 21 | u64{flags & 1U} << 28;
}

// MXCSR: rounds to nearest, masks all exceptions, and has no cumulative exceptions set.
constexpr unsigned kPlainFloats = 0x1f80;
// The cumulative exceptions of FPSR. x86 also notes denormal operands, which Arm does only if it flushes them to zero.
u64 guest_exceptions(unsigned mxcsr) {
  return (mxcsr & 1) | (mxcsr >> 1 & 0x1e);
}

// The entry into translated code and the exit from it: see BlockTranslator for the registers.
class EntryAndExit : public Xbyak::CodeGenerator {
 public:
  EntryAndExit(u8* to, usize room) : Xbyak::CodeGenerator(room, to) {
    const Xbyak::Reg64 saved[] = {rbx, rbp, r12, r13, r14, r15};
    for (const Xbyak::Reg64& reg : saved) push(reg);
    sub(rsp, 8);  // aligns the stack for calls
    mov(r13, rdi);
    mov(rbx, rsi);
    mov(r12, rdx);
    mov(r15, r8);
    mov(r14, r9);
    mov(rbp, qword[r13 + offsetof(TranslatedFrame, limit)]);
    jmp(rcx);
    align(16);
    exit_ = getCurr();
    add(rsp, 8);
    for (usize i = std::size(saved); i-- > 0;) pop(saved[i]);
    ret();
  }
  const u8* exit() const { return exit_; }

 private:
  const u8* exit_ = nullptr;
};

class HostTranslator final : public Translator {
 public:
  HostTranslator(CoreModel& model, BlockCache& blocks, bool exclusives)
      : model_(model), blocks_(blocks), memory_(kCodeBytes), frame_(std::make_unique_for_overwrite<TranslatedFrame>()) {
    if (!memory_.usable()) return;
    const EntryAndExit doors(memory_.written() + kDoors, memory_.size() - kDoors);
    context_.parts = model.parts();
    context_.slots = blocks.slots();
    context_.exit = doors.exit();
    context_.exclusives = exclusives;
    context_.has_sse4 = __builtin_cpu_supports("sse4.1") != 0;
    context_.has_fma = __builtin_cpu_supports("fma") != 0;
    first_ = used_ = kDoors + (doors.getSize() + 63) / 64 * 64;
    frame_->translator = this;
    for (u32 state = 0; state < 64; ++state) {
      const u32 direction = state & 3, by_history = state >> 2 & 3, choice = state >> 4;
      for (u32 taken = 0; taken < 2; ++taken) {
        frame_->learnt[taken][direction + 4 * by_history + 256 * choice] =
            BranchPredictor::learnt(direction, choice, by_history, taken != 0);
      }
    }
    frame_->calls = {&prepare, &load, &store, &fetch, &list, &leave};
  }
  bool usable() const { return memory_.usable() && context_.parts.l1d_set_mask != 0; }

  bool translate(Block& block, std::span<const u32> code) override {
    if (memory_.size() - used_ < kRoomForBlock || context_.links_used + 2 > TranslatedFrame::kLinks ||
        context_.sites_used + code.size() > TranslatedFrame::kSites) {
      clear();
    }
    const TranslationContext before = context_;
    BlockTranslator translator(memory_.written() + used_, memory_.size() - used_, block, context_);
    if (!translator.translate(code)) {
      block.translatable = false;
      context_ = before;
      return false;
    }
    std::fill(frame_->sites + before.sites_used, frame_->sites + context_.sites_used, AccessSite{});
    for (const BlockTranslator::Link& link : translator.links()) {
      frame_->links[link.index] = links_[link.index].unlinked = reinterpret_cast<u64>(executed(link.code));
    }
    block.translated = executed(memory_.written() + used_);
    used_ += (translator.size() + 15) / 16 * 16;
    return true;
  }

  Result run(AddressSpace& space, ThreadState& thread, const Block& block, u64 limit, bool bounds_blocks) override {
    space_ = &space;
    frame_->limit = limit;
    frame_->bounds_blocks = u8{bounds_blocks};
    frame_->plain_store = u64{!model_.is_coherent()};
    frame_->flags = host_flags(thread.nzcv);
    const auto enter = std::bit_cast<Enter>(memory_.executed() + kDoors);
    const unsigned host_floats = _mm_getcsr();
    _mm_setcsr(kPlainFloats);
    enter(frame_.get(), &thread, context_.parts.cycles, block.translated, context_.parts.l1d_tags, model_.space_tag());
    thread.fpsr |= guest_exceptions(_mm_getcsr());
    _mm_setcsr(host_floats);
    thread.nzcv = guest_flags(frame_->flags);
    model_.mispredicted(frame_->mispredicts);
    frame_->mispredicts = 0;
    unlinked_ = frame_->exit == TranslatedExit::block ? frame_->link : Block::kNoLink;
    return {frame_->exit, frame_->block};
  }

  void link(Block& to) override {
    if (unlinked_ == Block::kNoLink) return;
    frame_->links[unlinked_] = reinterpret_cast<u64>(to.translated);
    links_[unlinked_].next = to.links;
    to.links = unlinked_;
    unlinked_ = Block::kNoLink;
  }
  void unlink(Block& block) override {
    for (u32 link = block.links; link != Block::kNoLink; link = links_[link].next) {
      frame_->links[link] = links_[link].unlinked;
    }
    block.links = Block::kNoLink;
  }
  ExclusiveMonitor& monitor() override { return frame_->monitor; }
  void forget_memory(std::span<const MemoryChange> changes) override {
    u64 first = ~u64{0}, last = 0;
    for (const MemoryChange& change : changes) {
      first = std::min(first, change.base);
      last = std::max(last, change.base + change.size);
    }
    for (u32 site = 0; site < context_.sites_used; ++site) {
      AccessSite& known = frame_->sites[site];
      if (known.base < last && known.base + known.size > first) known = {};
    }
  }
  void clear() override {
    blocks_.each([](Block& block) {
      block.translated = nullptr;
      block.links = Block::kNoLink;
    });
    context_.links_used = context_.sites_used = 0;
    unlinked_ = Block::kNoLink;
    used_ = first_;
  }

 private:
  const u8* executed(const u8* written) { return memory_.executed() + (written - memory_.written()); }
  static HostTranslator& of(Translator* translator) { return *static_cast<HostTranslator*>(translator); }

  static bool prepare(Translator* self, u32 site, u64 address, u32 extent) {
    HostTranslator& translator = of(self);
    const bool write = (extent & kWriteExtent) != 0;
    const u64 bytes = extent & (kWriteExtent - 1);
    const Region* const found = translator.space_->region_of(address);
    if (found == nullptr) return false;
    const Region& region = *found;
    const u32 wanted = write ? kWrite : kRead, unwanted = write ? kExecute : 0U;
    if ((region.permissions & wanted) == 0 || (region.permissions & unwanted) != 0) return false;
    if (address - region.base > region.size - bytes || region.base + region.size > kAddresses) return false;
    translator.frame_->sites[site] = {region.base, region.size - bytes + 1,
                                      reinterpret_cast<u64>(region.host) - region.base};
    return true;
  }
  static void load(Translator* self, u64 address, u32 bytes, u32 count) {
    for (u32 i = 0; i < count; ++i) of(self).model_.load(address + u64{i} * bytes, bytes);
  }
  static void store(Translator* self, u64 address, u32 bytes, u32 count) {
    for (u32 i = 0; i < count; ++i) of(self).model_.store(address + u64{i} * bytes, bytes);
  }
  static void fetch(Translator* self, const Block* block) { of(self).model_.fetch_lines(*block); }
  static void list(Translator* self, Block* block) { of(self).blocks_.list(*block); }
  static void leave(Translator* self, const Block* block, u64 next) { of(self).model_.leave(*block, next); }

  CoreModel& model_;
  BlockCache& blocks_;
  ExecutableMemory memory_;
  std::unique_ptr<TranslatedFrame> frame_;
  TranslationContext context_;
  usize first_ = 0, used_ = 0;  // indices into memory_
  struct LinkState {
    u64 unlinked;  // the address of a link's jump while it is not linked
    u32 next;      // another link to the same block
  };
  // Only elements that translated blocks use are set.
  std::unique_ptr<LinkState[]> links_ = std::make_unique_for_overwrite<LinkState[]>(TranslatedFrame::kLinks);
  u32 unlinked_ = Block::kNoLink;  // the link that the last run ended with
  AddressSpace* space_ = nullptr;
};

}  // namespace

std::unique_ptr<Translator> Translator::create(CoreModel& model, BlockCache& blocks, bool exclusives) {
  if (!host_has_lahf()) return nullptr;
  auto result = std::make_unique<HostTranslator>(model, blocks, exclusives);
  if (!result->usable()) return nullptr;
  return result;
}

}  // namespace wperf::sim

#endif
