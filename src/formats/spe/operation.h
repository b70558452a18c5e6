// SPDX-License-Identifier: BSD-3-Clause
// The kind of instruction of a sampled operation: class and payload of an operation packet → its properties.
#pragma once
#include "base/ints.h"

namespace wperf::spe {

enum class OperationClass : u8 {
  none,  // not in the record
  other,
  memory,  // load, store, atomic
  branch,  // or exception return
  reserved,
};

// The registers or memory tags that a memory operation reads or writes.
enum class MemoryKind : u8 {
  none,                // no memory operation
  general_registers,   //
  simd_fp_registers,   //
  unspecified,         // registers of a kind the core does not report
  ordered,             // atomic, exclusive, acquire or release; see these
  vector,              // SVE or SME
  tags,                // MTE
  copy,                // memcpy instructions
  set,                 // memset instructions
  system_register,     // a register that nested virtualisation keeps in memory
  guarded_call_stack,  // GCS
  unknown,
};

enum class BranchLink : u8 { not_given, call, function_return, neither };

struct Operation {
  OperationClass operation_class = OperationClass::none;
  MemoryKind memory = MemoryKind::none;
  BranchLink link = BranchLink::not_given;
  bool store = false;  // for a memory operation; otherwise it is a load
  bool atomic = false, exclusive = false, acquire_release = false;
  bool conditional = false;  // a branch, or of class other: a conditional select or compare
  bool indirect = false;
  bool floating_point = false, simd = false;        // class other
  bool sve = false, sme = false;                    // class other; a vector access may be either
  bool predicated = false, gather_scatter = false;  // SVE
  bool guarded_stack = false, common_gcs = false;   // a branch that uses the GCS; a common access to it
  u32 vector_bits = 0;                              // SVE: size of the vector; SME: size of the tile
};

// `index` is the operation packet's.
Operation decode_operation(u32 index, u8 payload);

}  // namespace wperf::spe
