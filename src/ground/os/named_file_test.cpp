// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/named_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "ground/os/files.h"

namespace wperf::os {
namespace {

TEST(NamedFile, KnowsPathsThatLeadToOtherMachines) {
  for (const char* path :
       {"\\\\host\\share\\x.dll", "//host/share/x.dll", "\\/host\\share", "/\\host/share", "\\\\?\\UNC\\host\\share\\x",
        "\\??\\UNC\\host\\share\\x.pdb", "//?/UNC/host/share/x", "\\\\.\\UNC\\host\\share\\x", "\\\\.\\pipe\\x",
        "\\\\?\\GLOBALROOT\\Device\\Mup\\host\\share", "\\??\\GLOBALROOT\\Device\\Mup\\host", "\\\\", "//",
        "https://host/x.pdb", "file://host/x", "\\\\?\\C:", "\\\\host@SSL\\dav\\x"}) {
    EXPECT_TRUE(is_network_path(path)) << path;
  }
  for (const char* path :
       {"//?/C:/../UNC/host/share/x", "\\\\?/C:/../UNC/host/x", "\\??\\C:\\..\\UNC\\host\\x", "//?/c:/a/.."}) {
    EXPECT_TRUE(is_network_path(path)) << path;
  }
  for (const char* path :
       {"", "/", "\\", "C:\\x.dll", "c:/x.dll", "/usr/lib/x.so", "x.dll", "\\Windows\\x.dll", "\\\\?\\C:\\x.dll",
        "\\??\\C:\\x.dll", "//?/c:/x", "//?/c:/a..b/..x", "\\?", "\\??", "..\\x", "C://x", "a b/c"}) {
    EXPECT_FALSE(is_network_path(path)) << path;
  }
}

TEST(NamedFile, KnowsWhatLiesBelowAFolder) {
  for (const auto& [path, folder] : {std::pair("/a/b", "/a"),
                                     {"/a/b", "/a/"},
                                     {"/a/x/../b", "/a"},
                                     {"/a", "/"},
                                     {"//host/share/x", "//host/share"},
                                     {"b/c", "b"}}) {
    EXPECT_TRUE(is_below(path, folder)) << path << ' ' << folder;
  }
  for (const auto& [path, folder] :
       {std::pair("/ab", "/a"), {"/a", "/a"}, {"/a/../b", "/a"}, {"/a/b", ""}, {"/b", "/a"}}) {
    EXPECT_FALSE(is_below(path, folder)) << path << ' ' << folder;
  }
}

TEST(NamedFile, OpensFilesAndNothingElse) {
  const std::string folder = testing::TempDir() + "wperf named files", file = folder + "/x";
  ASSERT_TRUE(save_with_folders(file, std::as_bytes(std::span("some", 4))).has_value());
  const auto opened = open_named_file(file, NamedUse::shown, {});
  ASSERT_TRUE(opened.has_value() && opened.value().has_value());
  EXPECT_EQ(opened.value()->bytes().size(), 4u);
  const auto nothing = open_named_file(folder + "/y", NamedUse::read, {});
  ASSERT_TRUE(nothing.has_value());
  EXPECT_FALSE(nothing.value().has_value());
  const auto far = open_named_file("\\\\host\\share\\x.dll", NamedUse::checked, {});
  ASSERT_FALSE(far.has_value());
  EXPECT_NE(far.error().text.find("\\\\host\\share\\x.dll is a network path"), std::string::npos);
  if (std::filesystem::path::preferred_separator != '/') return;
  EXPECT_FALSE(open_named_file("/dev/null", NamedUse::checked, {}).has_value());
  EXPECT_FALSE(open_named_file(folder, NamedUse::checked, {}).has_value());
  // A share that the user named.
  const std::string folders[] = {'/' + folder};
  EXPECT_TRUE(open_named_file('/' + file, NamedUse::read, folders).value().has_value());
}

}  // namespace
}  // namespace wperf::os
