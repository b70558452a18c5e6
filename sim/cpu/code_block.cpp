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
  Block& block = blocks_.emplace_back();
  block.address = address;
  by_address_[address] = &block;
  slots_[slot_of(address)] = &block;
  return block;
}

void BlockCache::list(Block& block) {
  block.listed = true;
  listed_.push_back(&block);
}

void BlockCache::clear() {
  slots_.assign(kSlots, nullptr);
  by_address_.clear();
  blocks_.clear();
  listed_.clear();
}

}  // namespace wperf::sim
