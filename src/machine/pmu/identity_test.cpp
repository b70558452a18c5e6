// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "machine/pmu/catalogue.h"

namespace wperf::pmu {
namespace {

TEST(Identity, KnownCores) {
  EXPECT_EQ(identify(0x414fd0c1).name(), "neoverse-n1");  // r4p1
  EXPECT_EQ(identify(0x413fd0c1).name(), "neoverse-n1");
  EXPECT_EQ(identify(0x411fd402).name(), "neoverse-v1");
  EXPECT_EQ(identify(0x410fd4f0).name(), "neoverse-v2");
  EXPECT_EQ(identify(0x410fd841).name(), "neoverse-v3");
  EXPECT_EQ(identify(0x410fd830).name(), "neoverse-v3");  // V3AE
  EXPECT_EQ(identify(0x410fd8e0).name(), "neoverse-n3");
  EXPECT_EQ(identify(0x410fd4c0).name(), "cortex-x1c");
  EXPECT_EQ(identify(0x410fd4b0).name(), "cortex-a78c");
  EXPECT_EQ(identify(0x511f0011).name(), "qualcomm-oryon");
  EXPECT_EQ(identify(0x510f0020).name(), "qualcomm-oryon");
  EXPECT_EQ(identify(0x51df804e).name(), "cortex-a76");  // Kryo 4xx Gold
  EXPECT_EQ(identify(0xc00fac30).name(), "ampereone");
  EXPECT_EQ(identify(0xc00fac40).name(), "ampereonex");
  EXPECT_EQ(identify(0x411fd8b2).name(), "c1-pro");
}

TEST(Identity, RevisionsOfN2) {
  EXPECT_EQ(identify(0x410fd490).name(), "neoverse-n2");
  EXPECT_EQ(identify(0x410fd491).name(), "neoverse-n2");
  EXPECT_EQ(identify(0x410fd492).name(), "neoverse-n2");
  EXPECT_EQ(identify(0x410fd493).name(), "neoverse-n2-r0p3");
  EXPECT_EQ(identify(0x411fd490).name(), "neoverse-n2-r0p3");  // later than all known revisions
  EXPECT_EQ(identify(0x6d0fd490).name(), "neoverse-n2");       // Azure Cobalt 100
}

TEST(Identity, UpperHalfOfTheRegisterIsNotLookedAt) {
  EXPECT_EQ(identify(0xffffffff'414fd0c1).name(), "neoverse-n1");
}

TEST(Identity, UnknownCoresAreArchitectural) {
  for (const u64 midr : {u64{0}, u64{0xffffffff}, u64{0x410fffff}, u64{0x610f0220}, u64{0x6d0fd0c1}, u64{0x410f0000}}) {
    EXPECT_EQ(identify(midr), architectural()) << std::hex << midr;
  }
  EXPECT_EQ(architectural().name(), "armv8-a");
}

TEST(Identity, Vendors) {
  EXPECT_EQ(vendor_name(0x414fd0c1), "Arm Limited");
  EXPECT_EQ(vendor_name(0x420f5160), "Broadcomm Corporation");
  EXPECT_EQ(vendor_name(0x4e0f0100), "NVIDIA Corporation");
  EXPECT_EQ(vendor_name(0x510f0010), "Qualcomm Inc");
  EXPECT_EQ(vendor_name(0x6d0fd490), "Microsoft Corporation");
  EXPECT_EQ(vendor_name(0xc00fac30), "Ampere Computing");
  EXPECT_EQ(vendor_name(0x610f0220), "Unknown Vendor");
  EXPECT_EQ(vendor_name(0), "Unknown Vendor");
}

}  // namespace
}  // namespace wperf::pmu
