// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/operation_record.h"

#include "base/bits.h"
#include "formats/spe/packets.h"

namespace wperf::spe {
namespace {

bool bit(u32 payload, u32 number) {
  return (payload >> number & 1) != 0;
}

u32 sve_bits(u32 payload) {
  return u32{32} << (payload >> 4 & 7);
}

void decode_other(u32 payload, Operation& operation) {
  if ((payload & 0xf8) == 0) {
    operation.conditional = bit(payload, 0);
    operation.floating_point = bit(payload, 1);
    operation.simd = bit(payload, 2);
  } else if ((payload & 0x89) == 0x08) {
    operation.sve = true;
    operation.floating_point = bit(payload, 1);
    operation.predicated = bit(payload, 2);
    operation.vector_bits = sve_bits(payload);
  } else if ((payload & 0x89) == 0x88) {
    operation.sme = true;
    operation.floating_point = bit(payload, 1);
    operation.vector_bits = u32{128} << ((payload >> 4 & 7) << 1 | (payload >> 2 & 1));
  }
}

void decode_memory(u32 payload, Operation& operation) {
  operation.store = bit(payload, 0);
  if ((payload & 0x0a) == 0x08) {
    operation.memory = MemoryKind::vector;
    operation.predicated = bit(payload, 2);
    operation.gather_scatter = bit(payload, 7);
    operation.vector_bits = sve_bits(payload);
    return;
  }
  if ((payload & 0xe2) == 0x02) {
    operation.memory = MemoryKind::ordered;
    operation.atomic = bit(payload, 2);
    operation.exclusive = bit(payload, 3);
    operation.acquire_release = bit(payload, 4);
    return;
  }
  if ((payload & 0xfa) == 0x40) {
    operation.memory = MemoryKind::guarded_call_stack;
    operation.common_gcs = bit(payload, 2);
    return;
  }
  switch (payload & 0xfe) {
    case 0x00:
      operation.memory = MemoryKind::general_registers;
      return;
    case 0x04:
      operation.memory = MemoryKind::simd_fp_registers;
      return;
    case 0x10:
      operation.memory = MemoryKind::unspecified;
      return;
    case 0x14:
      operation.memory = MemoryKind::tags;
      return;
    case 0x20:
      operation.memory = MemoryKind::copy;
      return;
    case 0x24:
      operation.memory = operation.store ? MemoryKind::set : MemoryKind::unknown;
      return;
    case 0x30:
      operation.memory = MemoryKind::system_register;
      return;
    default:
      operation.memory = MemoryKind::unknown;
      return;
  }
}

void decode_branch(u32 payload, Operation& operation) {
  operation.conditional = bit(payload, 0);
  operation.indirect = bit(payload, 1);
  operation.guarded_stack = bit(payload, 2);
  static_assert(static_cast<u32>(BranchLink::call) == 1 && static_cast<u32>(BranchLink::function_return) == 2 &&
                static_cast<u32>(BranchLink::neither) == 3);
  operation.link = static_cast<BranchLink>(bit_field(payload, 3, 2));
}

}  // namespace

Operation decode_operation(u32 index, u8 payload) {
  Operation operation;
  switch (index) {
    case kClassOther:
      operation.operation_class = OperationClass::other;
      decode_other(payload, operation);
      break;
    case kClassMemory:
      operation.operation_class = OperationClass::memory;
      decode_memory(payload, operation);
      break;
    case kClassBranch:
      operation.operation_class = OperationClass::branch;
      decode_branch(payload, operation);
      break;
    default:
      operation.operation_class = OperationClass::reserved;
      break;
  }
  return operation;
}

}  // namespace wperf::spe
