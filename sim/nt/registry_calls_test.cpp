// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

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
  EXPECT_EQ(names, "Microsoft Enhanced RSA and AES Cryptographic Provider;Microsoft Strong Cryptographic Provider;");
  EXPECT_EQ(process.call("NtEnumerateKey", {handle(), index, 0, kBuffer, 0x200, kSize}), kNoMoreEntries);
  EXPECT_EQ(process.call("NtEnumerateValueKey", {handle(), 0, 0, kBuffer, 0x200, kSize}), kNoMoreEntries);
  ASSERT_EQ(process.call("NtQueryKey", {handle(), 2, kBuffer, 0x200, kSize}), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 20), 2U) << "keys";
  EXPECT_EQ(process.get<u32>(kOut + 32), 0U) << "values";
  ASSERT_EQ(process.call("NtQueryKey", {handle(), 3, kBuffer, 0x200, kSize}), kSuccess);
  EXPECT_EQ(text(4, process.get<u32>(kOut)), kProviders);
}

TEST_F(NtRegistry, OtherKeysDoNotExist) {
  EXPECT_EQ(open("\\Registry\\Machine\\SOFTWARE\\Microsoft\\Office"), kObjectNameNotFound);
  EXPECT_EQ(open("\\Registry\\User\\S-1-5"), kObjectNameNotFound);
  EXPECT_EQ(open("\\Registry\\MachineX"), kObjectNameNotFound);
  EXPECT_EQ(open("SOFTWARE"), kObjectNameNotFound);
  EXPECT_EQ(process.call("NtSetValueKey", {0x1234, kName, 0, 4, kBuffer, 4}), kInvalidHandle);
  EXPECT_EQ(process.call("NtQueryValueKey", {0x1234, kName, 2, kBuffer, 16, kSize}), kInvalidHandle);
}

TEST_F(NtRegistry, ProgramsMakeKeysAndValues) {
  const std::string user = "\\Registry\\User\\" + std::string(kUserSidText) + "\\Software";
  const auto create = [&](std::string_view name) {
    return process.call("NtCreateKey", {process.put<u64>(0x800, 0), 0xf003f, process.named(0x1000, name), 0, 0, 0,
                                        process.put<u32>(0x900, 0)});
  };
  EXPECT_EQ(create(user + "\\a\\b"), kObjectNameNotFound) << "the parent is missing";
  ASSERT_EQ(create(user + "\\Tool"), kSuccess);
  EXPECT_EQ(process.get<u32>(0x900), 1U) << "new";
  const u64 tool = handle();
  ASSERT_EQ(create(user + "\\TOOL"), kSuccess);
  EXPECT_EQ(process.get<u32>(0x900), 2U) << "it exists";
  process.put<u32>(kOut, 77);
  (void)process.named(0x1000, "Count");
  ASSERT_EQ(process.call("NtSetValueKey", {tool, kName, 0, 4, kBuffer, 4}), kSuccess);
  ASSERT_EQ(value("count", 2, 0x200), kSuccess) << "through the other handle";
  EXPECT_EQ(process.get<u32>(kOut + 12), 77U);
  ASSERT_EQ(process.call("NtDeleteValueKey", {tool, kName}), kSuccess);
  EXPECT_EQ(value("count", 2, 0x200), kObjectNameNotFound);
  ASSERT_EQ(create(user + "\\Tool\\Inner"), kSuccess);
  const u64 inner = handle();
  EXPECT_EQ(process.call("NtDeleteKey", {tool}), kCannotDelete);
  EXPECT_EQ(process.call("NtDeleteKey", {inner}), kSuccess);
  EXPECT_EQ(process.call("NtDeleteKey", {inner}), kKeyDeleted);
  EXPECT_EQ(process.call("NtDeleteKey", {tool}), kSuccess);
  EXPECT_EQ(open(user + "\\Tool"), kObjectNameNotFound);
}

TEST_F(NtRegistry, AChangeSignalsTheEventOfItsWatcher) {
  const std::string user = "\\Registry\\User\\" + std::string(kUserSidText);
  const auto event = std::make_shared<Event>(false);
  const u64 event_handle = process.state.handles.add(event);
  ASSERT_EQ(open(user), kSuccess);
  const u64 top = handle();
  const auto watch = [&](u64 key, u64 with_subkeys, u64 at_once) {
    return process.call("NtNotifyChangeKey", {key, event_handle, 0, 0, kSize, 4, with_subkeys, 0, 0, at_once});
  };
  ASSERT_EQ(open(user + "\\Environment"), kSuccess);
  const auto set = [&] {
    (void)process.named(0x1000, "x");
    return process.call("NtSetValueKey", {handle(), kName, 0, 4, kBuffer, 4});
  };
  ASSERT_EQ(watch(top, 0, 1), kPending);
  ASSERT_EQ(set(), kSuccess);
  EXPECT_FALSE(event->signalled) << "keys below were not asked for";
  ASSERT_EQ(watch(top, 1, 1), kPending);
  ASSERT_EQ(set(), kSuccess);
  EXPECT_TRUE(event->signalled);
  watch(top, 1, 0);
  EXPECT_TRUE(process.state.lacked);
}

TEST(Registry, HasALimit) {
  Registry registry;
  std::shared_ptr<RegistryKey> key;
  bool is_new = false;
  const std::string machine = "\\Registry\\Machine\\";
  EXPECT_EQ(registry.create(machine + std::string(256, 'x'), key, is_new), Registry::Problem::bad_name);
  ASSERT_EQ(registry.create(machine + "New", key, is_new), Registry::Problem::none);
  EXPECT_EQ(registry.set(*key, {"v", 3, std::vector<u8>(Registry::kMostValueBytes + 1)}), Registry::Problem::full);
  u32 values = 0;
  while (values < 100 && registry.set(*key, {std::to_string(values), 3, std::vector<u8>(Registry::kMostValueBytes)}) ==
                             Registry::Problem::none) {
    ++values;
  }
  EXPECT_EQ(values, 63U);
  EXPECT_EQ(registry.remove(machine + "New"), Registry::Problem::none);
  ASSERT_EQ(registry.create(machine + "Next", key, is_new), Registry::Problem::none);
  EXPECT_EQ(registry.set(*key, {"v", 3, std::vector<u8>(Registry::kMostValueBytes)}), Registry::Problem::none);
}

TEST_F(NtRegistry, HasTheVersionAndTheSettingsOfAFreshWindows) {
  const Registry registry;
  const std::string machine = "\\Registry\\Machine\\";
  const auto find = [&](const std::string& path, std::string_view name) -> const RegistryValue* {
    const auto key = registry.find(machine + path);
    return key != nullptr ? key->find_value(name) : nullptr;
  };
  const std::string version = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion",
                    control = "SYSTEM\\CurrentControlSet\\Control\\";
  for (const char* const name :
       {"ProductName", "EditionID", "DisplayVersion", "ReleaseId", "UBR", "BuildLabEx", "InstallDate", "CurrentType"})
    EXPECT_NE(find(version, name), nullptr) << name;
  EXPECT_NE(find(control + "Session Manager\\Environment", "ComSpec"), nullptr);
  EXPECT_NE(find(control + "Nls\\Language", "Default"), nullptr);
  EXPECT_NE(find("HARDWARE\\DESCRIPTION\\System\\BIOS", "SystemProductName"), nullptr);
  const RegistryValue* const long_paths = find(control + "FileSystem", "LongPathsEnabled");
  ASSERT_NE(long_paths, nullptr);
  EXPECT_EQ(long_paths->data, std::vector<u8>(4));
  const RegistryValue* const installed = find(version, "InstallDate");
  ASSERT_EQ(installed->data.size(), 4U);
  EXPECT_EQ(installed->data, (std::vector<u8>{0x80, 0x85, 0x74, 0x67})) << "2025-01-01";
}

TEST_F(NtRegistry, ProcessorsAreThoseOfTheMachine) {
  process.state.system->processors = {{"neoverse-n1", 0x413fd0c1, 3000}, {"oryon", 0x510f0010, 2000}};
  const std::string folder = "\\Registry\\Machine\\Hardware\\Description\\System\\CentralProcessor\\";
  ASSERT_EQ(open(folder + "0"), kSuccess);
  const auto text_of = [&](std::string_view name) {
    EXPECT_EQ(value(name, 2, 0x200), kSuccess);
    return text(12, process.get<u32>(kOut + 8) - 2);
  };
  EXPECT_EQ(text_of("ProcessorNameString"), "neoverse-n1");
  EXPECT_EQ(text_of("Identifier"), "ARMv8 (64-bit) Family 8 Model D0C Revision 301");
  EXPECT_EQ(text_of("VendorIdentifier"), "Arm Limited");
  ASSERT_EQ(value("~MHz", 2, 0x200), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 4), 4U) << "REG_DWORD";
  EXPECT_EQ(process.get<u32>(kOut + 12), 3000U);
  ASSERT_EQ(open(folder + "1"), kSuccess);
  EXPECT_EQ(text_of("VendorIdentifier"), "Qualcomm Inc");
  ASSERT_EQ(value("CP 4000", 2, 0x200), kSuccess);
  EXPECT_EQ(process.get<u32>(kOut + 4), 11U) << "REG_QWORD";
  EXPECT_EQ(process.get<u32>(kOut + 12), 0x510f0010U);
  EXPECT_EQ(open(folder + "2"), kObjectNameNotFound);
}

}  // namespace
}  // namespace wperf::sim::nt
