// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/code_block.h"

namespace wperf::sim {

BlockContents sum_up(std::span<const u32> code) {
  BlockContents result;
  for (const u32 word : code) {
    const Instruction instruction = classify_instruction(word);
    for (u32 trait = 0; trait < kTraitCount; ++trait) {
      result.traits[trait] = static_cast<u16>(result.traits[trait] + (instruction.traits >> trait & 1));
    }
    result.micro_ops += instruction.micro_ops;
  }
  result.instructions = static_cast<u32>(code.size());
  return result;
}

BlockCache::BlockCache() : slots_(kSlots, nullptr) {}

Block* BlockCache::find_elsewhere(u64 address, u32 size) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end() || found->second->size != size) return nullptr;
  slots_[slot_of(address)] = found->second;
  return found->second;
}

Block* BlockCache::find(u64 address) {
  Block*& slot = slots_[slot_of(address)];
  if (slot != nullptr && slot->address == address) return slot;
  const auto found = by_address_.find(address);
  return found != by_address_.end() ? slot = found->second : nullptr;
}

Block& BlockCache::add(u64 address) {
  Block* block = nullptr;
  if (free_.empty()) {
    block = &blocks_.emplace_back();
  } else {
    block = free_.back();
    free_.pop_back();
    *block = {};
  }
  block->address = address;
  std::vector<Block*>& page = pages_[page_of(address)];
  Block*& known = by_address_[address];
  // Translated code may still jump to an older block, which then stays until its page changes.
  if (known != nullptr && known->translated == nullptr) {
    std::erase(page, known);
    forgotten_.push_back(known);
  }
  known = block;
  page.push_back(block);
  slots_[slot_of(address)] = block;
  return *block;
}

void BlockCache::forget(u64 base, u64 size, const std::function<void(Block&)>& about) {
  if (size == 0) return;
  const u64 first = page_of(base), last = page_of(base + size - 1);
  if (last - first < pages_.size()) {
    for (u64 page = first; page <= last; ++page) {
      if (const auto found = pages_.find(page); found != pages_.end()) forget_page(found, about);
    }
    return;
  }
  for (auto page = pages_.begin(); page != pages_.end();) {
    const auto next = std::next(page);
    if (page->first >= first && page->first <= last) forget_page(page, about);
    page = next;
  }
}

void BlockCache::forget_page(Pages::iterator page, const std::function<void(Block&)>& about) {
  for (Block* block : page->second) {
    about(*block);
    block->translated = nullptr;
    block->forgotten = true;
    by_address_.erase(block->address);
    slots_[slot_of(block->address)] = nullptr;  // the slot may be another block's, which is then looked up again
    forgotten_.push_back(block);
  }
  pages_.erase(page);
}

void BlockCache::list(Block& block) {
  block.listed = true;
  listed_.push_back(&block);
}

void BlockCache::clear() {
  slots_.assign(kSlots, nullptr);
  by_address_.clear();
  pages_.clear();
  blocks_.clear();
  listed_.clear();
  forgotten_.clear();
  free_.clear();
}

}  // namespace wperf::sim
