// SPDX-License-Identifier: BSD-3-Clause
// The decoder that uses Capstone; its types occur only in this file.

#include "code/symbols/disassembly/arm64_text.h"
#include "code/symbols/disassembly/decoder.h"

#ifdef WPERF_HAS_CAPSTONE
#include "code/symbols/disassembly/capstone_library.h"
#endif

namespace wperf::symbols {
#ifdef WPERF_HAS_CAPSTONE
namespace {

class CapstoneDecoder : public Decoder {
 public:
  CapstoneDecoder(const CapstoneLibrary& library, csh handle, cs_insn* instruction)
      : library_(library), handle_(handle), instruction_(instruction) {}
  CapstoneDecoder(const CapstoneDecoder&) = delete;
  CapstoneDecoder& operator=(const CapstoneDecoder&) = delete;
  ~CapstoneDecoder() override {
    library_.free(instruction_, 1);
    library_.close(&handle_);
  }

 protected:
  bool decode_next(std::span<const std::byte> code, u64 address, Decoded& out) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(code.data());
    size_t size = code.size();
    if (!library_.disasm_iter(handle_, &bytes, &size, &address, instruction_)) return false;
    out = {
        .size = instruction_->size, .mnemonic = instruction_->mnemonic, .operands = instruction_->op_str, .target = {}};
    return true;
  }
  const cs_insn& instruction() const { return *instruction_; }
  bool is_in_group(u8 group) const { return library_.insn_group(handle_, instruction_, group); }

 private:
  const CapstoneLibrary& library_;
  csh handle_;
  cs_insn* instruction_;
};

class Arm64Decoder : public CapstoneDecoder {
 public:
  using CapstoneDecoder::CapstoneDecoder;
  bool decode(std::span<const std::byte> code, u64 address, Decoded& out) override {
    if (code.size() < 4) return false;
    u32 word = 0;
    for (usize i = 4; i-- > 0;) word = word << 8 | std::to_integer<u32>(code[i]);
    if (decode_arm64_later(word, out)) return true;
    if (!decode_next(code.first(4), address, out)) return false;
    respell_arm64(word, out);
    out.target = arm64_branch_target(word, address);
    return true;
  }
  u32 unit() const override { return 4; }
};

class X64Decoder : public CapstoneDecoder {
 public:
  using CapstoneDecoder::CapstoneDecoder;
  bool decode(std::span<const std::byte> code, u64 address, Decoded& out) override {
    if (!decode_next(code, address, out)) return false;
    const cs_x86& x86 = instruction().detail->x86;
    const bool branches = is_in_group(CS_GRP_JUMP) || is_in_group(CS_GRP_CALL);
    if (branches && x86.op_count > 0 && x86.operands[0].type == X86_OP_IMM) {
      out.target = static_cast<u64>(x86.operands[0].imm);
    }
    out.displacement = {x86.encoding.disp_offset, x86.encoding.disp_size};
    out.immediate = {x86.encoding.imm_offset, x86.encoding.imm_size};
    for (u8 i = 0; i < x86.op_count; ++i) {
      const cs_x86_op& operand = x86.operands[i];
      if (operand.type == X86_OP_MEM && operand.mem.base == X86_REG_RIP) out.relative_to_code = true;
    }
    return true;
  }
  u32 unit() const override { return 1; }
};

}  // namespace

diag::Result<std::unique_ptr<Decoder>> make_decoder(InstructionSet set) {
  WPERF_TRY(const CapstoneLibrary* const library, capstone());
  const bool arm64 = set == InstructionSet::arm64;
  const diag::Error refused{
      .text = "cannot use the disassembly library: it has another version or was built without this instruction set",
      .hint = {}};
  csh handle = 0;
  if (library->open(arm64 ? CS_ARCH_ARM64 : CS_ARCH_X86, arm64 ? CS_MODE_ARM : CS_MODE_64, &handle) != CS_ERR_OK) {
    return refused;
  }
  library->option(handle, CS_OPT_DETAIL, arm64 ? CS_OPT_OFF : CS_OPT_ON);
  cs_insn* instruction = library->malloc(handle);
  if (instruction == nullptr) {
    library->close(&handle);
    return refused;
  }
  if (arm64) return std::unique_ptr<Decoder>(std::make_unique<Arm64Decoder>(*library, handle, instruction));
  return std::unique_ptr<Decoder>(std::make_unique<X64Decoder>(*library, handle, instruction));
}

#else

diag::Result<std::unique_ptr<Decoder>> make_decoder(InstructionSet) {
  return diag::Error{.text = "cannot disassemble: this wperf was built without the Capstone library",
                     .hint = "leave out --disassemble; --annotate shows source lines without it"};
}

#endif
}  // namespace wperf::symbols
