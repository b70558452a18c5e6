// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/file_uses.h"

#include <gtest/gtest.h>

namespace wperf::sim::nt {
namespace {

TEST(FileUses, ThoseOfOneHandleMustBeSharedByAllOthers) {
  FileUses uses;
  EXPECT_TRUE(uses.allow(FileUses::kWrite, 0));
  uses.add(FileUses::kRead, FileUses::kRead | FileUses::kDelete);
  EXPECT_FALSE(uses.allow(FileUses::kRead, 0)) << "the newcomer does not share reads";
  EXPECT_FALSE(uses.allow(FileUses::kWrite, FileUses::kRead));
  EXPECT_TRUE(uses.allow(FileUses::kDelete, FileUses::kRead));
  EXPECT_TRUE(uses.allow(0, 0));
  uses.add(0, 0);
  EXPECT_TRUE(uses.allow(FileUses::kRead, FileUses::kRead));
  uses.remove(FileUses::kRead, FileUses::kRead | FileUses::kDelete);
  EXPECT_FALSE(uses.is_used());
  EXPECT_TRUE(uses.allow(FileUses::kWrite, 0));
}

TEST(OpenFiles, FilesAreToldApartByDeviceAndIndex) {
  OpenFiles files;
  FileFacts file;
  file.device = 1;
  file.index = 2;
  const auto uses = files.of(file);
  EXPECT_EQ(files.of(file), uses);
  file.device = 2;
  EXPECT_NE(files.of(file), uses);
  for (file.index = 10; file.index < 5000; ++file.index) (void)files.of(file);
  file = {};
  file.device = 1;
  file.index = 2;
  EXPECT_EQ(files.of(file), uses) << "those without handles are forgotten, others are not";
}

}  // namespace
}  // namespace wperf::sim::nt
