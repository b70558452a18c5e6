// SPDX-License-Identifier: BSD-3-Clause
// Disassembles machine code, given as bytes and their address in the image; opens no files. Used when a report shows
// code. Not thread-safe: use one Disassembler for each thread. In a build without a disassembly library
// (WPERF_CAPSTONE=OFF), open() returns an error that says so.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::symbols {

enum class InstructionSet : u8 { arm64, x64 };

struct Instruction {
  u32 rva = 0;
  u32 size = 0;
  std::string mnemonic;       // ".word" or ".byte" for bytes that are not an instruction
  std::string operands;       // absolute addresses are linked addresses: image base + RVA
  std::optional<u32> target;  // the target RVA of a branch or call, if the instruction contains it
};

class Decoder;

class Disassembler {
 public:
  static diag::Result<Disassembler> open(InstructionSet set);
  Disassembler(Disassembler&&) noexcept;
  Disassembler& operator=(Disassembler&&) noexcept;
  ~Disassembler();

  // The returned instructions cover every byte of `code` exactly once, in order.
  std::vector<Instruction> disassemble(std::span<const std::byte> code, u64 image_base, u32 rva) const;

 private:
  explicit Disassembler(std::unique_ptr<Decoder> decoder);
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace wperf::symbols
