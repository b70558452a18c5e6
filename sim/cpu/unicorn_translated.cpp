// SPDX-License-Identifier: BSD-3-Clause
// The fast path: while no block has to be examined, the Translator executes blocks, and Unicorn executes those that
// cannot be translated. A change between the two takes microseconds, so the pauses between attempts grow while attempts
// do not pay off.
#include <algorithm>

#include "sim/cpu/unicorn_core.h"

namespace wperf::sim {
namespace {

// In cycles: the gain and the distance that make an attempt worthwhile, and how long Unicorn runs before the next
// attempt.
constexpr u64 kWorthTranslation = 1000;
constexpr u64 kShortestPause = 250, kLongestPause = 1 << 12;
constexpr usize kLongestBlock = 128;
constexpr u64 kBlocksEndAt = 1024;  // Unicorn ends its blocks at multiples of this
constexpr u32 kSvc = 0xd4000001, kSvcMask = 0xffe0001f;

// Instructions that end Unicorn's blocks, or may end them.
bool may_end_block(u32 word) {
  return (word >> 25 & 0xe) == 0xa && !is_hint_without_effect(word);
}

}  // namespace

// Sets the point at which execution leaves the usual path through blocks.
void UnicornCore::set_limit() {
  if (!translates_) {
    limit_ = reach_;
    return;
  }
  if (next_translation_ <= model_.spent()) next_translation_ = model_.spent() + kShortestPause * kOneCycle;
  limit_ = std::min(reach_, next_translation_);
}

// Called between blocks; the block at `pc` is next. At the start of a run, even a few cycles are worth it: Unicorn has
// not been started.
bool UnicornCore::wants_translation(u64 pc) {
  const u64 spent = model_.spent();
  if (!translates_ || watching_ || special_ != 0 || spent < next_translation_ || spent >= reach_) return false;
  if (!registers_in_thread_ && reach_ - spent < kWorthTranslation * kOneCycle) return false;
  if (translator_ == nullptr) {
    translator_ = Translator::create(model_, blocks_, cpu_.knows_monitor());
    translates_ = translator_ != nullptr;
  }
  return translates_ && translated_block(pc) != nullptr && !watching_;
}

// Executes from thread.pc on. Returns the reason for the stop, or nullopt if Unicorn must continue.
std::optional<Stop> UnicornCore::execute_translated(ThreadState& thread) {
  const u64 begun = model_.spent();
  bool used_up = false, called = false;
  current_ = nullptr;
  if (monitor_used_ && cpu_.knows_monitor()) translator_->monitor() = monitor_ = cpu_.monitor();
  monitor_used_ = false;
  for (bool came_from_code = false;; came_from_code = true) {
    Block* const block = translated_block(thread.pc);
    if (watching_ || thread.fpcr != 0) break;
    // Even at the end of the budget, a jump to memory that is not code is a fault, which Unicorn reports.
    used_up = model_.spent() >= budget_end_ && (block != nullptr || is_code(thread.pc));
    if (used_up) break;
    if (block == nullptr) {
      called = calls_kernel(thread);
      break;
    }
    if (came_from_code) translator_->link(*block);
    const bool bounds_blocks = far_ && watch_.timed();
    if (bounds_blocks) watch_for_long_waits(false);
    const Translator::Result result = translator_->run(*space_, thread, *block, whole_reach_, bounds_blocks);
    if (result.exit == TranslatedExit::block || (result.exit == TranslatedExit::limit && farther())) continue;
    if (result.exit == TranslatedExit::hand_back) resumed_ = result.block;
    used_up = result.exit == TranslatedExit::limit && model_.spent() >= budget_end_;
    break;
  }
  if (far_) watch_for_long_waits(true);
  const u64 gained = model_.spent() - begun;
  translated_ += gained;
  if (called) return kernel_call(thread.pc);
  if (used_up) return Stop{};
  const bool worth = gained >= kWorthTranslation * kOneCycle;
  pause_ = worth ? kShortestPause : std::min(pause_ * 2, kLongestPause);
  next_translation_ = model_.spent() + pause_ * kOneCycle;
  if (!watching_) set_limit();
  return {};
}

// Called between blocks, near the limit. Returns true if translated code may continue because no watched event is near
// yet.
bool UnicornCore::farther() {
  const u64 before = whole_reach_;
  if (far_ && model_.spent() < budget_end_) come_nearer();
  return whole_reach_ > before && !watching_;
}

// Returns true if the next block is a single SVC, as at the beginning of stubs of imported functions. The thread has
// then reached the call without Unicorn. Near the limit the result is false, because the end of the block has to be
// examined.
bool UnicornCore::calls_kernel(ThreadState& thread) {
  Block* const block = blocks_.find(thread.pc);
  if (block == nullptr || block->size != sizeof(u32)) return false;
  if ((word_at(thread.pc) & kSvcMask) != kSvc) return false;
  if (far_ && reach_ < model_.spent() + kWorthTranslation * kOneCycle) return false;
  blocks_.ran(*block);
  model_.enter(*block);
  thread.pc += block->size;
  return true;
}

// Returns the translated block that starts here, or null if Unicorn has to execute it.
Block* UnicornCore::translated_block(u64 address) {
  Block* block = blocks_.find(address);
  if (block == nullptr) {
    const u32 size = cut_block(address);
    if (size == 0) return nullptr;
    block = &decode(address, size);
    if (largest_.include(*block) && far_) come_nearer();
  }
  if (block->translated != nullptr) return block;
  if (!block->translatable) return nullptr;
  const std::span<const u32> code = code_of(*block);
  // Only blocks with a fixed end are translated: if Unicorn resumes inside a block, it may end other blocks elsewhere.
  const bool ends = block->end != BranchKind::none || (address + block->size) % kBlocksEndAt == 0;
  block->translatable = ends && code.size() <= kLongestBlock;
  return block->translatable && translator_->translate(*block, code) ? block : nullptr;
}

bool UnicornCore::is_code(u64 address) const {
  const Region* const region = space_->region_of(address);
  return region != nullptr && (region->permissions & kExecute) != 0;
}

// Returns the size of the block into which Unicorn will cut the code here; 0 if only Unicorn knows it.
u32 UnicornCore::cut_block(u64 address) {
  if ((address & 3) != 0 || !is_code(address)) return 0;
  u32 size = 0;
  do {
    const u32 word = word_at(address + size);
    size += 4;
    if (classify_instruction(word).branch != BranchKind::none) return size;
    if (may_end_block(word)) return 0;
  } while ((address + size) % kBlocksEndAt != 0 && size / 4 < kLongestBlock);
  return (address + size) % kBlocksEndAt == 0 ? size : 0;
}

}  // namespace wperf::sim
