// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/operation_name.h"

#include "formats/spe/event_names.h"
#include "formats/spe/packets.h"

namespace wperf::spe {

namespace {

constexpr std::string_view kTexts[kOperationNameCount] = {
    "OTHER",
    "LOAD_STORE_ATOMIC-LOAD-GP",
    "LOAD_STORE_ATOMIC-LOAD-SIMD-FP",
    "LOAD_STORE_ATOMIC-LOAD-OTHER",
    "LOAD_STORE_ATOMIC-STORE-GP",
    "LOAD_STORE_ATOMIC-STORE-SIMD-FP",
    "LOAD_STORE_ATOMIC-STORE-OTHER",
    "BRANCH_OR_EXCEPTION-CONDITIONAL-DIRECT",
    "BRANCH_OR_EXCEPTION-CONDITIONAL-INDIRECT",
    "BRANCH_OR_EXCEPTION-UNCONDITIONAL-DIRECT",
    "BRANCH_OR_EXCEPTION-UNCONDITIONAL-INDIRECT",
};

OperationName name_at(OperationName first, u32 offset) {
  return static_cast<OperationName>(static_cast<u32>(first) + offset);
}

}  // namespace

// Only by the bits, as the contract has it: there an atomic is a load or store of OTHER.
OperationName operation_name(const Record& record) {
  const u64 word = record.raw(Field::operation);
  const u32 payload = static_cast<u32>(word & 0xff);
  switch (word >> 8) {
    case kClassMemory: {
      const u32 registers = payload >> 1;
      const OperationName first = (payload & 1) != 0 ? OperationName::store_general : OperationName::load_general;
      return name_at(first, registers == 0 ? 0 : registers == 2 ? 1 : 2);
    }
    case kClassBranch: {
      const OperationName first =
          (payload & 1) != 0 ? OperationName::conditional_direct : OperationName::unconditional_direct;
      return name_at(first, payload >> 1 & 1);
    }
    default:
      return OperationName::other;
  }
}

std::string_view text_of(OperationName name) {
  return kTexts[static_cast<usize>(name)];
}

std::string source_name(OperationName name, u64 events) {
  return std::string(text_of(name)) + '/' + contract_event_names(events);
}

}  // namespace wperf::spe
