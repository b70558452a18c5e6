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

std::string empty_folder(const std::string& name) {
  std::string folder = testing::TempDir() + name;
  std::filesystem::remove_all(folder);
  return folder;
}

void save_text(const std::string& path, std::string_view text) {
  ASSERT_TRUE(os::save_with_folders(path, std::as_bytes(std::span(text))).has_value());
}

TEST(SourceFiles, OthersAreNotRead) {
  const std::string folder = empty_folder("wperf sources");
  const auto save = [&](const std::string& name, std::string_view text) { save_text(folder + '/' + name, text); };
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

TEST(SourceFiles, ScriptsOfPythonNeedNoEnding) {
  const std::string folder = empty_folder("wperf scripts.d");
  const auto save = [&](const std::string& name, std::string_view text) { save_text(folder + '/' + name, text); };
  save("tool", "#!/usr/bin/env python3\nwork()\n");
  save("shell", "#!/bin/sh\npython3 x\n");
  save("secret.key", "#!/usr/bin/env python3\n");
  EXPECT_EQ(read_source(folder + "/tool", {}, {.is_python = true}).text, "#!/usr/bin/env python3\nwork()\n");
  EXPECT_EQ(read_source(folder + "/tool", {}).text, "") << "not known to be of Python";
  for (const char* name : {"/shell", "/secret.key"}) {
    const SourceText other = read_source(folder + name, {}, {.is_python = true});
    EXPECT_EQ(other.text, "");
    EXPECT_NE(other.reason.find("is not shown"), std::string::npos) << other.reason;
  }
  EXPECT_EQ(read_source("/nowhere/x.py", {}, {.is_python = true}).reason,
            "there is no file /nowhere/x.py here; name its folder with --symbol-path");
}

TEST(SourceFiles, OfAnotherRootAreOnlySearchedInFolders) {
  const std::string folder = testing::TempDir() + "wperf root";
  std::filesystem::remove_all(folder);
  const std::string here = folder + "/app/serve.py", text = "here = 1\n", there = "there = 1\n";
  ASSERT_TRUE(os::save_with_folders(here, std::as_bytes(std::span(text))).has_value());
  ASSERT_TRUE(os::save_with_folders(folder + "/root" + here, std::as_bytes(std::span(there))).has_value());
  EXPECT_EQ(read_source(here, {}, {.is_python = true}).text, text);
  const SourceText none = read_source(here, {}, {.is_python = true, .is_of_other_root = true});
  EXPECT_EQ(none.text, "");
  EXPECT_NE(none.reason.find("another root folder; name that folder with --symbol-path"), std::string::npos);
  const std::string root[] = {folder + "/root"};
  EXPECT_EQ(read_source(here, root, {.is_python = true, .is_of_other_root = true}).text, there);
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
