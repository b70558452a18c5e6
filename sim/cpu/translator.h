// SPDX-License-Identifier: BSD-3-Clause
// Executes most code as translated host code, models included, several times as fast as Unicorn with hooks. Its counts
// and state exactly equal UnicornCore's: the models see everything in the same order. It stops, and leaves the work to
// Unicorn, before a block with instructions that it cannot translate, and within a block before an access that it
// cannot make (a fault, a write to code).
//
// UnicornCore uses it between two blocks, as long as no block has to be examined. There is no translator on hosts other
// than x86-64, or if the host refuses executable memory.
#pragma once
#include <memory>
#include <span>

#include "sim/cpu/core_engine.h"
#include "sim/cpu/translated_frame.h"

namespace wperf::sim {

class CoreModel;

class Translator {
 public:
  // Returns null if this host cannot run it. `exclusives`: monitor() can be kept equal to Unicorn's monitor.
  static std::unique_ptr<Translator> create(CoreModel& model, BlockCache& blocks, bool exclusives);
  virtual ~Translator() = default;

  // Sets block.translated, from the block's instructions. Returns false if the block cannot be translated now, or never
  // (see block.translatable).
  virtual bool translate(Block& block, std::span<const u32> code) = 0;
  struct Result {
    TranslatedExit exit = TranslatedExit::block;
    Block* block = nullptr;
  };
  // Runs the translated block that starts at thread.pc and the blocks after it, until other work is due. thread.fpcr is
  // 0. `limit` is in the cycles of the models. If `bounds_blocks` is set, each block ends before it.
  virtual Result run(AddressSpace& space, ThreadState& thread, const Block& block, u64 limit, bool bounds_blocks) = 0;
  // To be called if run() ended before the block `to`: from now on the code continues directly with this block.
  virtual void link(Block& to) = 0;
  virtual ExclusiveMonitor& monitor() = 0;
  // To be called when regions in these ranges have changed.
  virtual void forget_memory(std::span<const MemoryChange> changes) = 0;
  // To be called before this block is forgotten: other blocks no longer continue with it.
  virtual void unlink(Block& block) = 0;
  virtual void clear() = 0;  // forgets everything
};

}  // namespace wperf::sim
