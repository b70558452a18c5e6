// SPDX-License-Identifier: BSD-3-Clause
// The contract's names of sampled operations (9.9): one section of the report per distinct "OP/EVENTS".
#pragma once
#include <string>
#include <string_view>

#include "base/ints.h"
#include "formats/spe/record_reader.h"

namespace wperf::spe {

// The operations the contract distinguishes; the number is an index for counting by.
enum class OperationName : u8 {
  other,  // also: not given, or of the reserved class
  load_general,
  load_simd_fp,
  load_other,
  store_general,
  store_simd_fp,
  store_other,
  conditional_direct,
  conditional_indirect,
  unconditional_direct,
  unconditional_indirect,
};
inline constexpr usize kOperationNameCount = 11;

OperationName operation_name(const Record& record);
std::string_view text_of(OperationName name);  // "LOAD_STORE_ATOMIC-LOAD-GP"

// "LOAD_STORE_ATOMIC-LOAD-GP/retired+level1-data-cache-access"
std::string source_name(OperationName name, u64 events);

}  // namespace wperf::spe
