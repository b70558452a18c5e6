// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/symbol_folders.h"

#include <gtest/gtest.h>

namespace wperf::modules {
namespace {

using Folders = std::vector<std::string>;

TEST(SymbolFolders, StandBetweenSemicolonsOrColons) {
  EXPECT_EQ(symbol_folders(""), Folders{});
  EXPECT_EQ(symbol_folders("/a b"), Folders{"/a b"});
  EXPECT_EQ(symbol_folders(";/a;;/b:c:"), (Folders{"/a", "/b", "c"}));
}

TEST(SymbolFolders, ADriveKeepsItsColon) {
  EXPECT_EQ(symbol_folders("c:\\x;D:/y z;e:\\"), (Folders{"c:\\x", "D:/y z", "e:\\"}));
  EXPECT_EQ(symbol_folders("/usr:c:\\x:/b"), (Folders{"/usr", "c:\\x", "/b"}));
  EXPECT_EQ(symbol_folders("c:"), Folders{"c"});
  EXPECT_EQ(symbol_folders("1:/a:."), (Folders{"1", "/a", "."}));
}

}  // namespace
}  // namespace wperf::modules
