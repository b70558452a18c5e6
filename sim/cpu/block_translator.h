// SPDX-License-Identifier: BSD-3-Clause
// Translates one block of ARM64 code, models included, to code of an x86-64 host. The guest's registers stay where they
// are, in the ThreadState. Host registers hold values within an instruction only, so the state is complete between any
// two instructions. See Translator for the cases in which the code cannot continue.
//
//   rbx  the ThreadState          r12  the clock of the model, and its other parts around it
//   rbp  the limit in cycles      r13  the TranslatedFrame
//   r14  the tag of the space     r15  the tags of L1D
#pragma once
#if defined(__x86_64__) && __has_include(<xbyak/xbyak.h>)
#define WPERF_TRANSLATES 1
#define XBYAK_NO_EXCEPTION
#include <xbyak/xbyak.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/cpu/code_block.h"
#include "sim/cpu/core_engine.h"
#include "sim/cpu/translated_frame.h"

namespace wperf::sim {

// Fields of an instruction.
constexpr u32 bits_of(u32 code, u32 high, u32 low) {
  return code >> low & ((u32{1} << (high - low + 1)) - 1);
}
constexpr bool is_set(u32 code, u32 index) {
  return (code >> index & 1) != 0;
}
// N, Z, C and V of an instruction, in the form of TranslatedFrame::flags.
constexpr u32 flags_constant(u32 nzcv) {
  return (nzcv & 8) << 12 | (nzcv & 4) << 12 | (~nzcv & 2) << 7 | (nzcv & 1);
}

// The parts of a translation that are the same for all blocks.
struct TranslationContext {
  ModelParts parts;
  Block* const* slots = nullptr;           // BlockCache::slots()
  const u8* exit = nullptr;                // code that returns to the engine; an address in the writable view
  bool exclusives = false;                 // exclusive accesses are translated
  bool has_sse4 = false, has_fma = false;  // of the host
  u32 links_used = 0, sites_used = 0;
};

class BlockTranslator : private Xbyak::CodeGenerator {
 public:
  struct Link {
    u32 index;
    const u8* code;  // the jump's target before it is linked; an address in the writable view
  };

  BlockTranslator(u8* to, usize room, Block& block, TranslationContext& context);
  // Returns false if the block has an instruction that is not translated, or if memory is short.
  bool translate(std::span<const u32> code);
  usize size() const { return getSize(); }
  std::vector<Link> links() const;

 private:
  using Reg64 = Xbyak::Reg64;
  using Label = Xbyak::Label;
  enum class Shift : u32 { lsl, lsr, asr, ror };
  struct Later {  // code that is rarely executed, placed after the block
    Label at;
    std::function<void()> write;
  };
  struct Unlinked {
    u32 index;
    const Label* code;
  };
  // An instruction's access to memory: `count` elements of `bytes` each, from the address in rax on. The models see an
  // element of 16 bytes as two.
  struct Access {
    u32 bytes = 0, count = 0;
    bool write = false;
  };
  struct Register {
    u32 number = 0, bytes = 0;
    bool vector = false;
    bool sign = false, wide = true;  // for loads to general registers: sign-extended, to 64 bits
  };

  // block_translator.cpp
  u64 longest_time(std::span<const u32> code) const;
  void begin_block();
  Label& check_limit(Label& go);
  void set_pc(u64 pc);
  void leave_to(TranslatedExit exit);
  void hand_back(u64 pc);
  Label& unicorn_executes();
  void go_on(u64 next);
  void go_on_indirectly();
  Label& later(std::function<void()> write);
  void call_engine(usize function);
  Xbyak::RegExp part(const void* at) const;
  Xbyak::RegExp in_frame(usize offset) const;
  Xbyak::Address guest(u32 number) const;  // 31 is sp

  // translate_data.cpp
  bool instruction(u32 code);
  bool immediate_data(u32 code);
  void add_immediate(u32 code);
  bool logical_immediate(u32 code);
  bool move_wide(u32 code);
  bool bitfield(u32 code);
  bool extract(u32 code);
  void load(const Reg64& to, u32 number, bool wide);  // register 31 is zero; flags are kept
  void store(u32 number, const Reg64& from);          // register 31 discards the value; flags are kept
  Xbyak::Reg sized(const Reg64& whole, bool wide) const { return wide ? Xbyak::Reg(whole) : Xbyak::Reg(whole.cvt32()); }
  void shift_by(const Reg64& value, Shift kind, u32 amount, bool wide);
  void extend(const Reg64& value, u32 option, u32 amount);
  void sum(bool subtract, bool set_flags, bool wide);  // the sum of rax and rcx, in rax
  void save_flags();
  void write_flags();  // ax
  void save_logical_flags();
  void need_flags();

  // translate_registers.cpp
  bool register_data(u32 code);
  void logical_shifted(u32 code);
  bool add_shifted(u32 code);
  bool add_extended(u32 code);
  bool one_source(u32 code);
  bool two_sources(u32 code);
  bool three_sources(u32 code);
  bool with_carry(u32 code);
  bool compare_if(u32 code);
  bool select(u32 code);
  void divide(bool sign, bool wide);
  void count_leading_zeros(bool wide);  // in rax; rcx, rdx are lost
  void reverse_bits(bool wide);
  void select_if(u32 condition, const Reg64& to, const Reg64& from);
  void set_if(u32 condition, const Xbyak::Reg8& to);

  // translate_memory.cpp
  bool load_store(u32 code);
  bool load_literal(u32 code);
  bool load_store_pair(u32 code);
  bool load_store_single(u32 code);
  bool register_of_single(u32 code, Register& one, Access& access, bool& prefetch) const;
  usize find_region(u32 extent, bool write);
  void find_memory(const Access& access);  // rax becomes the host's address
  void notify_models(const Access& access, u32 offset, u32 elements, u32 bytes);
  Label& other_page(const std::shared_ptr<Label>& back, Label& miss);
  void move(const Register& one, u32 offset, bool write);
  void move_part(const Register& one, const Xbyak::RegExp& memory, const Xbyak::RegExp& whole, bool write);
  void read_part(const Register& one, const Xbyak::RegExp& memory);
  void write_part(u32 bytes, const Xbyak::RegExp& memory);

  // translate_exclusives.cpp
  bool system(u32 code);
  bool load_store_ordered(u32 code);
  Xbyak::Address monitor(usize offset) const;
  void load_exclusive(u32 code, u32 bytes);
  void store_exclusive(u32 code, u32 bytes);
  void find_aligned(u32 code, const Access& access);
  void find_atomic(u32 base, u32 bytes);
  bool compare_and_swap(u32 code, u32 bytes);
  bool load_store_atomic(u32 code);

  // translate_floats.cpp
  struct Conversion {
    bool wide = false, sign = false;  // of the integer
    bool wide_float = false;
  };
  bool scalar_float(u32 code);
  bool two_floats(u32 code, bool wide);
  bool multiply_and_add(u32 code);
  bool one_float(u32 code, bool wide);
  bool compare_floats(u32 code, bool wide);
  bool compare_floats_if(u32 code, bool wide);
  bool select_float(u32 code, bool wide);
  bool convert(u32 code);
  void from_integer(u32 to, u32 from, const Conversion& kind);
  void to_integer(u32 to, u32 from, const Conversion& kind);
  void float_of(const Xbyak::Reg& integer, bool wide);
  void compare(bool wide, bool signals);
  Xbyak::RegExp vector(u32 number, usize offset = 0) const;
  void load_float(const Xbyak::Xmm& to, u32 number, bool wide);
  void load_bits(u32 number, bool wide);
  void store_scalar(u32 number);
  void store_result(u32 number, bool wide, bool may_be_tiny);
  void jump_if_tiny(Label& to, bool wide);

  // translate_vectors.cpp
  bool vector_data(u32 code);
  bool host_vector_data(u32 code);
  void call_function(u64 function, u32 code);
  bool vector_immediate(u32 code);
  bool vector_shift(u32 code);
  bool vector_copy(u32 code);
  bool vector_floats(u32 code);
  bool three_vectors(u32 code);
  bool load_store_structure(u32 code);
  bool load_store_elements(u32 code);
  void add_product(u32 size, bool subtract, u32 to, bool whole);
  void combine_bits(u32 kind);
  void select_bits(u32 kind, u32 to, bool whole);
  void widen(u32 size, bool is_unsigned);
  void shift_left(u32 size, u32 amount);
  void repeat(u32 bytes, u32 to, bool whole);
  void check_floats(bool wide, bool may_be_tiny);
  void load_vector(const Xbyak::Xmm& to, u32 number, bool whole);
  void store_vector(u32 number, bool whole);

  // translate_branches.cpp
  bool branch(u32 code);
  bool conditional_branch(u32 code);
  void end_conditional(u64 next);
  void push_return(u64 address);
  void end_return(u32 number);
  void jump_if(u32 condition, Label& to);

  Block& block_;
  TranslationContext& context_;
  u64 longest_ = 0;          // see longest_time()
  u64 pc_ = 0;               // pc of the instruction being translated
  bool flags_live_ = false;  // the host's flags equal those in the frame
  Label entered_, counted_;
  std::vector<std::unique_ptr<Later>> later_;
  std::vector<Unlinked> links_;
};

}  // namespace wperf::sim
#else
#define WPERF_TRANSLATES 0
#endif
