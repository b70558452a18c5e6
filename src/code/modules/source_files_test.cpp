// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/source_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "code/modules/elf_files.h"
#include "code/modules/module_files.h"
#include "ground/os/files.h"

namespace wperf::modules {
namespace {

TEST(SourceFiles, AreKnownByTheirNames) {
  for (const char* path : {"/home/me/x.c", "C:\\work\\x.CPP", "x.rs", "/usr/include/c++/12/vector",
                           "C:\\VC\\include\\vector", "/usr/include/c++/12/bits/stl_algo.h"}) {
    EXPECT_TRUE(has_name_of_source(path)) << path;
  }
  for (const char* path : {"/etc/passwd", "/etc/shadow", "/home/me/.ssh/id_rsa", "/home/me/.env", "/etc/x.conf", "x",
                           "include", "/my_include/x", "/include_me/x", "/a.c/b", "", "/"}) {
    EXPECT_FALSE(has_name_of_source(path)) << path;
  }
}

TEST(SourceFiles, OthersAreNotRead) {
  const std::string folder = testing::TempDir() + "wperf sources";
  std::filesystem::remove_all(folder);
  const auto save = [&](const std::string& name, std::string_view text) {
    ASSERT_TRUE(os::save_with_folders(folder + '/' + name, std::as_bytes(std::span(text))).has_value());
  };
  save("x.c", "int x;\n");
  save("secret", "secret\n");
  save("moved/y.c", "int y;\n");
  const SourceText shown = read_source(folder + "/x.c", {});
  EXPECT_EQ(shown.text, "int x;\n");
  EXPECT_EQ(shown.changed_unix_ns, os::last_change_unix_ns(shown.file));
  EXPECT_NE(shown.changed_unix_ns, 0u);
  const SourceText secret = read_source(folder + "/secret", {});
  EXPECT_EQ(secret.text, "");
  EXPECT_NE(secret.reason.find("/secret "), std::string::npos) << secret.reason;
  EXPECT_EQ(read_source(folder + "/none.c", {}).reason, "");
  const std::string folders[] = {folder + "/moved"};
  EXPECT_EQ(read_source("/somewhere/y.c", folders).text, "int y;\n");
  // The folder may be any parent of the file, and the path may be a Windows path.
  const std::string above[] = {folder};
  EXPECT_EQ(read_source("C:\\build\\moved\\y.c", above).text, "int y;\n");
  EXPECT_EQ(read_source("moved/y.c", above).text, "int y;\n");
  EXPECT_EQ(read_source("/moved/none/y.c", above).text, "");
  // The link leads out of the folder, so owner and name are checked as for other files.
  EXPECT_EQ(read_source("/../secret", folders).text, "");
  if (std::filesystem::path::preferred_separator != '/') return;
  std::filesystem::create_symlink(folder + "/secret", folder + "/link.c");
  EXPECT_EQ(read_source(folder + "/link.c", {}).text, "");
}

TEST(NamedModules, OnOtherMachinesAreNotOpened) {
  const std::string path = "\\\\host\\share\\x.dll";
  const LoadedModule image =
      load_recorded_module({.name = "x.dll", .path = path, .base = 0, .size = 0, .entry = 0}, {}, {}, {});
  EXPECT_NE(image.reason.find(path + " is a network path"), std::string::npos) << image.reason;
  const std::string share = "//host/share/x.so";
  const LoadedElf elf = find_elf({.path = share, .build_id = {}}, {});
  EXPECT_NE(elf.reason.find(share + " is a network path"), std::string::npos) << elf.reason;
  EXPECT_FALSE(pdb_of_image("\\\\host\\share\\x.dll").has_value());
}

}  // namespace
}  // namespace wperf::modules
