// SPDX-License-Identifier: BSD-3-Clause
// The layout of the wire: no holes, the same in C and C++, codes as the Windows I/O manager builds them.
#include "abi/wire.h"

#include <gtest/gtest.h>

#include <string>

#include "abi/status.h"
#include "abi/wire_as_c.h"

namespace {

#define STRUCT(type) {#type, sizeof(type), 0},
#define FIELD(type, name) {#type "." #name, sizeof(type::name), __builtin_offsetof(type, name)},
const WperfLayoutRow kRows[] = {
#include "abi/wire_layout.h"
};
#undef STRUCT
#undef FIELD

TEST(Wire, CAndCxxSeeTheSameBytes) {
  unsigned long count = 0;
  const WperfLayoutRow* rows = wperf_layout_as_c(&count);
  ASSERT_EQ(count, std::size(kRows));
  for (unsigned long i = 0; i < count; ++i) {
    EXPECT_STREQ(rows[i].what, kRows[i].what);
    EXPECT_EQ(rows[i].size, kRows[i].size) << rows[i].what;
    EXPECT_EQ(rows[i].offset, kRows[i].offset) << rows[i].what;
  }
}

TEST(Wire, FieldsFillTheirStructWithoutHoles) {
  const char* owner = nullptr;
  unsigned long size = 0;
  unsigned long at = 0;
  for (const WperfLayoutRow& row : kRows) {
    if (std::string(row.what).find('.') == std::string::npos) {
      EXPECT_EQ(at, size) << owner;
      owner = row.what;
      size = row.size;
      at = 0;
    } else {
      EXPECT_EQ(row.offset, at) << row.what;
      at += row.size;
    }
  }
  EXPECT_EQ(at, size) << owner;
}

TEST(Wire, CodesAreControlCodes) {
  // CTL_CODE(device 0x8000, function 0x900 + n, METHOD_BUFFERED 0, FILE_READ_DATA | FILE_WRITE_DATA 3)
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_VERSION), 0x8000'e400u);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_LOCK), 0x8000'e404u);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_COUNT_READ), 0x8000'e44cu);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_SAMPLE_CONFIGURE), 0x8000'e480u);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_SAMPLE_DRAIN), 0x8000'e48cu);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_SAMPLE_STACK_DRAIN), 0x8000'e490u);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_INTERRUPT), 0x8000'e418u);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_SPE_CONFIGURE), 0x8000'e4c0u);
  EXPECT_EQ(static_cast<wperf_u32>(WPERF_CODE_SPE_CORE), 0x8000'e4d0u);
}

TEST(Wire, NumbersStay) {
  EXPECT_EQ(WPERF_OK, 0);
  EXPECT_EQ(WPERF_LOCK_BUSY, 5);
  EXPECT_EQ(WPERF_LOCK_LOST, 6);
  EXPECT_EQ(WPERF_HARDWARE_FAILED, 13);
  EXPECT_EQ(WPERF_PROFILING_BUSY, 14);
  EXPECT_EQ(WPERF_NO_INTERRUPT, 15);
  EXPECT_EQ(WPERF_CLASS_CORE, 0);
  EXPECT_EQ(WPERF_CLASS_DMC_CLKDIV2, 3);
}

}  // namespace
