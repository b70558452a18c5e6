// SPDX-License-Identifier: BSD-3-Clause
// One sampled operation as SPE recorded it. A value.
#pragma once
#include <array>

#include "base/ints.h"

namespace wperf::spe {

// The kind of instruction of a sampled operation: the properties in the index and payload of an operation packet.
enum class OperationClass : u8 {
  none,  // the record does not say
  other,
  memory,  // load, store, atomic
  branch,  // a branch or exception return
  reserved,
};

// The kind of registers or memory tags that a memory operation reads or writes.
enum class MemoryKind : u8 {
  none,                // it is not a memory operation
  general_registers,   //
  simd_fp_registers,   //
  unspecified,         // the core does not report the kind of registers
  ordered,             // atomic, exclusive, acquire or release; see the members
  vector,              // SVE or SME
  tags,                // MTE
  copy,                // memcpy instructions
  set,                 // memset instructions
  system_register,     // a system register that nested virtualisation keeps in memory
  guarded_call_stack,  // GCS
  unknown,
};

enum class BranchLink : u8 { not_given, call, function_return, neither };

struct Operation {
  OperationClass operation_class = OperationClass::none;
  MemoryKind memory = MemoryKind::none;
  BranchLink link = BranchLink::not_given;
  bool store = false;  // memory operation: a store; otherwise it is a load
  bool atomic = false, exclusive = false, acquire_release = false;
  bool conditional = false;  // a conditional branch; for class other: a conditional select or compare
  bool indirect = false;
  bool floating_point = false, simd = false;        // for class other
  bool sve = false, sme = false;                    // for class other; a vector access may also be a load or store
  bool predicated = false, gather_scatter = false;  // SVE
  bool guarded_stack = false, common_gcs = false;   // a branch that uses the guarded control stack; a common access to
                                                    // that stack
  u32 vector_bits = 0;                              // SVE: vector size; SME: tile size
};

// `index`: the operation packet's index.
Operation decode_operation(u32 index, u8 payload);

enum class Field : u8 {
  pc,
  branch_target,
  data_virtual,
  data_physical,
  previous_target,  // target of the previous branch: FEAT_SPEv1p2
  total_latency,
  issue_latency,
  translation_latency,
  events,
  operation,  // packet index << 8 | payload
  data_source,
  context_el1,
  context_el2,
  timestamp,
};
inline constexpr usize kFieldCount = 14;

// One sampled operation. An absent field reads as zero; has() shows whether it exists. Events are bit numbers
// (contract_names.h).
struct Record {
  static constexpr usize kSpare = 15;  // where the decoder's loop stores values without a field

  std::array<u64, 16> words{};  // unchanged payloads, indexed by Field
  u32 present = 0;              // bit n: Field n exists
  bool damaged = false;         // has bad bytes inside, or a field twice; may consist of halves of two records

  bool has(Field field) const { return (present >> static_cast<u32>(field) & 1) != 0; }
  u64 raw(Field field) const { return words[static_cast<usize>(field)]; }
  void set(Field field, u64 payload) {
    words[static_cast<usize>(field)] = payload;
    present |= u32{1} << static_cast<u32>(field);
  }

  // Addresses of code are in canonical form, so that kernel addresses can be compared with module addresses.
  u64 pc() const { return code_address(raw(Field::pc)); }
  u64 branch_target() const { return code_address(raw(Field::branch_target)); }
  u64 previous_target() const { return code_address(raw(Field::previous_target)); }
  u32 exception_level() const { return static_cast<u32>(raw(Field::pc) >> 61 & 3); }
  bool non_secure() const { return raw(Field::pc) >> 63 != 0; }
  bool realm() const { return (raw(Field::pc) >> 60 & 1) != 0; }  // NSE bit of FEAT_RME

  u64 data_virtual() const {  // in canonical form, without its tag
    const u64 address = raw(Field::data_virtual) & kLow56;
    return (address >> 52) == 0xf ? address | ~kLow56 : address;
  }
  // Has no meaning for kernel addresses.
  u32 data_tag() const { return static_cast<u32>(raw(Field::data_virtual) >> 56); }
  u64 data_physical() const { return raw(Field::data_physical) & kLow56; }
  bool physical_non_secure() const { return raw(Field::data_physical) >> 63 != 0; }
  bool physical_tag_checked() const { return (raw(Field::data_physical) >> 62 & 1) != 0; }
  u32 physical_tag() const { return static_cast<u32>(raw(Field::data_physical) >> 56 & 0xf); }

  // In cycles; a core with 12-bit counters stops at 4095.
  u32 total_latency() const { return static_cast<u32>(raw(Field::total_latency)); }
  u32 issue_latency() const { return static_cast<u32>(raw(Field::issue_latency)); }
  u32 translation_latency() const { return static_cast<u32>(raw(Field::translation_latency)); }

  u64 events() const { return raw(Field::events); }
  Operation operation() const {
    const u64 word = raw(Field::operation);
    return has(Field::operation) ? decode_operation(static_cast<u32>(word >> 8), static_cast<u8>(word)) : Operation{};
  }
  u64 data_source() const { return raw(Field::data_source); }  // its meaning depends on the core: see data_sources.h
  u32 context_el1() const { return static_cast<u32>(raw(Field::context_el1)); }
  u32 context_el2() const { return static_cast<u32>(raw(Field::context_el2)); }
  u64 timestamp() const { return raw(Field::timestamp); }  // ticks of the generic timer

  friend bool operator==(const Record&, const Record&) = default;

 private:
  static constexpr u64 kLow56 = 0x00ff'ffff'ffff'ffff;

  // The top byte of the packet has the exception level: EL1 and EL2 use the upper half of the address space.
  static constexpr u64 code_address(u64 payload) {
    const u64 top = payload >> 61;  // NS, EL
    return top == 5 || top == 6 ? payload | ~kLow56 : payload & kLow56;
  }
};

}  // namespace wperf::spe
