// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "sim/nt/test_process.h"

namespace wperf::sim::nt {
namespace {

constexpr std::string_view kProviders = "\\Registry\\Machine\\SOFTWARE\\Microsoft\\Cryptography\\Defaults\\Provider";
constexpr u64 kName = TestProcess::kArguments + 0x1040;  // the text of named(0x1000, …)

class NtRegistry : public ::testing::Test {
 protected:
  static constexpr u64 kOut = 0x2000, kSizeAt = 0x3000;
  static constexpr u64 kBuffer = TestProcess::kArguments + kOut, kSize = TestProcess::kArguments + kSizeAt;

  u64 open(std::string_view name) {
    return process.call("NtOpenKey", {process.put<u64>(0x800, 0), 0x20019, process.named(0x1000, name)});
  }
  u64 handle() { return process.get<u64>(0x800); }
  u64 value(std::string_view name, u32 information_class, u64 room) {
    (void)process.named(0x1000, name);
    return process.call("NtQueryValueKey", {handle(), kName, information_class, kBuffer, room, kSize});
  }
  std::string text(u64 offset, u64 bytes) {
    std::vector<u16> units(bytes / 2);
    process.state.space.read(kBuffer + offset, units.data(), bytes);
    return to_utf8(units);
  }
  TestProcess process;
};

TEST_F(NtRegistry, ValuesAreReadInTheirThreeForms) {
  ASSERT_EQ(open("\\REGISTRY\\machine\\software\\microsoft\\cryptography\\defaults\\provider types\\type 001"),
            kSuccess);
  ASSERT_EQ(value("name", 2, 0x200), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 4), 1U) << "REG_SZ";
  const u32 size = process.get<u32>(kOut + 8);
  EXPECT_EQ(text(12, size), std::string("Microsoft Strong Cryptographic Provider") + '\0');
  EXPECT_EQ(process.get<u32>(kSizeAt), 12 + size);
  ASSERT_EQ(value("Name", 1, 0x200), kSuccess);
  EXPECT_EQ(text(20, 8), "Name");
  EXPECT_EQ(text(process.get<u32>(kOut + 8), 18), "Microsoft");
  ASSERT_EQ(value("Name", 0, 0x200), kSuccess);
  EXPECT_EQ(text(12, process.get<u32>(kOut + 8)), "Name");
  EXPECT_EQ(value("Name", 9, 0x200), kInvalidInfoClass);
}

TEST_F(NtRegistry, ShortBuffersGetWhatFits) {
  ASSERT_EQ(open(std::string(kProviders) + "\\Microsoft Strong Cryptographic Provider"), kSuccess);
  EXPECT_EQ(value("Type", 2, 11), kBufferTooSmall);
  EXPECT_EQ(process.get<u32>(kSizeAt), 16U);
  EXPECT_EQ(value("Type", 2, 14), kBufferOverflow);
  ASSERT_EQ(value("Type", 2, 16), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 4), 4U) << "REG_DWORD";
  EXPECT_EQ(process.get<u32>(kOut + 12), 1U);
  EXPECT_EQ(value("Kind", 2, 16), kObjectNameNotFound);
}

TEST_F(NtRegistry, KeysAndValuesAreListed) {
  ASSERT_EQ(open(kProviders), kSuccess);
  std::string names;
  u64 index = 0;
  while (process.call("NtEnumerateKey", {handle(), index, 0, kBuffer, 0x200, kSize}) == kSuccess) {
    names += text(16, process.get<u32>(kOut + 12)) + ";";
    ++index;
  }
  EXPECT_EQ(names, "Microsoft Strong Cryptographic Provider;Microsoft Enhanced RSA and AES Cryptographic Provider;");
  EXPECT_EQ(process.call("NtEnumerateKey", {handle(), index, 0, kBuffer, 0x200, kSize}), kNoMoreEntries);
  EXPECT_EQ(process.call("NtEnumerateValueKey", {handle(), 0, 0, kBuffer, 0x200, kSize}), kNoMoreEntries);
  ASSERT_EQ(process.call("NtQueryKey", {handle(), 2, kBuffer, 0x200, kSize}), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 20), 2U) << "keys";
  EXPECT_EQ(process.get<u32>(kOut + 32), 0U) << "values";
  ASSERT_EQ(process.call("NtQueryKey", {handle(), 3, kBuffer, 0x200, kSize}), kSuccess);
  EXPECT_EQ(text(4, process.get<u32>(kOut)), kProviders);
}

TEST_F(NtRegistry, OtherKeysDoNotExistAndNothingIsWritten) {
  EXPECT_EQ(open("\\Registry\\Machine\\SOFTWARE\\Microsoft\\Windows"), kObjectNameNotFound);
  EXPECT_EQ(open("\\Registry\\User\\S-1-5"), kObjectNameNotFound);
  EXPECT_EQ(open("\\Registry\\MachineX"), kObjectNameNotFound);
  EXPECT_EQ(open("SOFTWARE"), kObjectNameNotFound);
  const u64 attributes = process.named(0x1000, "\\Registry\\Machine\\SOFTWARE\\New");
  EXPECT_EQ(process.call("NtCreateKey", {process.put<u64>(0x800, 0), 0xf003f, attributes, 0, 0, 0, 0}), kAccessDenied);
  ASSERT_EQ(open("\\Registry\\Machine"), kSuccess);
  EXPECT_EQ(process.call("NtSetValueKey", {handle(), kName, 0, 4, kBuffer, 4}), kAccessDenied);
  EXPECT_EQ(process.call("NtSetValueKey", {0x1234, kName, 0, 4, kBuffer, 4}), kInvalidHandle);
  EXPECT_EQ(process.call("NtQueryValueKey", {0x1234, kName, 2, kBuffer, 16, kSize}), kInvalidHandle);
}

}  // namespace
}  // namespace wperf::sim::nt
