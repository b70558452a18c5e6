// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/new_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "ground/os/files.h"
#include "ground/os/recording_file.h"
#include "ground/os/unfinished_files.h"

namespace wperf::os {
namespace {

using std::filesystem::perms;

// On Windows the folder decides who may read its files, and making a link takes special rights.
constexpr bool kHasModes = std::filesystem::path::preferred_separator == '/';

std::string new_file_folder(const std::string& name) {
  const std::filesystem::path folder = testing::TempDir() + "wperf new files of " + name;
  std::filesystem::remove_all(folder);
  return folder.string();
}

void save(const std::string& path, std::string_view text, Readers readers = Readers::usual) {
  ASSERT_TRUE(save_with_folders(path, std::as_bytes(std::span(text)), readers).has_value());
}

perms mode_of(const std::string& path) {
  return std::filesystem::status(path).permissions();
}

TEST(NewFile, IsTheOwnersWhereARecordingIs) {
  if (!kHasModes) GTEST_SKIP() << "no modes here";
  constexpr perms kOwner = perms::owner_read | perms::owner_write;
  const std::string folder = new_file_folder("modes");
  save(folder + "/profile", "x", Readers::owner);
  EXPECT_EQ(mode_of(folder + "/profile"), kOwner);
  // Users who could read the old file cannot read the new file under the same name.
  save(folder + "/page", "x");
  std::filesystem::permissions(folder + "/page", perms::others_read, std::filesystem::perm_options::add);
  ASSERT_TRUE(RecordingFile::create(folder + "/page").has_value());
  EXPECT_EQ(mode_of(folder + "/page"), kOwner);
}

TEST(NewFile, APrivateFolderIsSoFromTheBeginning) {
  const std::string folder = new_file_folder("folders");
  ASSERT_TRUE(make_private_folder(folder + "/a/spool").has_value());
  if (kHasModes) {
    EXPECT_EQ(mode_of(folder + "/a/spool"), perms::owner_all);
  }
  EXPECT_TRUE(make_private_folder(folder + "/a/spool").has_value());
  save(folder + "/file", "x");
  EXPECT_FALSE(make_private_folder(folder + "/file").has_value());
}

TEST(NewFile, AFolderThatOthersMayChangeIsNotPrivate) {
  if (!kHasModes) GTEST_SKIP() << "no modes here";
  const std::string folder = new_file_folder("others");
  for (const perms others : {perms::group_write, perms::others_write}) {
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, perms::owner_all | others);
    EXPECT_FALSE(make_private_folder(folder).has_value());
  }
  std::filesystem::permissions(folder, perms::owner_all | perms::group_read | perms::others_read);
  EXPECT_TRUE(make_private_folder(folder).has_value());
}

TEST(NewFile, WhoeverIsEndedLeavesNoPart) {
  const std::string folder = new_file_folder("parts");
  save(folder + "/before", "x");
  const auto parts = [&] {
    std::ptrdiff_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      found += entry.path().string().find(".part-") != std::string::npos ? 1 : 0;
    }
    return found;
  };
  auto made = NewFile::make(folder + "/profile", Readers::usual);
  ASSERT_TRUE(made.has_value());
  const NewFile moved = std::move(made).value();
  auto done = NewFile::make(folder + "/done", Readers::usual);
  ASSERT_TRUE(done.has_value());
  ASSERT_TRUE(done.value().move_to_place().has_value());
  EXPECT_EQ(parts(), 1);
  remove_unfinished_files();
  EXPECT_EQ(parts(), 0);
  EXPECT_TRUE(file_exists(folder + "/done"));
  EXPECT_TRUE(file_exists(folder + "/before"));
}

TEST(NewFile, ManyAreUnfinishedAtOnce) {
  const std::string folder = new_file_folder("many parts");
  save(folder + "/before", "x");
  std::vector<NewFile> all;
  for (int i = 0; i < 2 * kMostUnfinishedFiles; ++i) {
    auto made = NewFile::make(folder + "/" + std::to_string(i), Readers::usual);
    ASSERT_TRUE(made.has_value());
    all.push_back(std::move(made).value());
  }
  for (NewFile& one : all) EXPECT_TRUE(one.move_to_place().has_value());
}

TEST(NewFile, ARecordingFollowsNoLink) {
  if (!kHasModes) GTEST_SKIP() << "links take rights here";
  const std::string folder = new_file_folder("links");
  save(folder + "/precious", "precious");
  std::filesystem::create_symlink(folder + "/precious", folder + "/x.data");
  auto file = RecordingFile::create(folder + "/x.data");
  ASSERT_TRUE(file.has_value());
  file.value().append("samples");
  EXPECT_EQ(load_text_file(folder + "/precious", 100).value(), "precious");
  EXPECT_EQ(load_text_file(folder + "/x.data", 100).value(), "samples");
}

TEST(NewFile, NamesOfTheSystemAreOpenedWhereTheyAre) {
  if (!kHasModes) GTEST_SKIP() << "no such names here";
  EXPECT_TRUE(check_output("/dev/null").has_value());
  const std::string path = new_file_folder("streams") + "/opened";
  save(path, "before");
  auto opened = RecordingFile::create(path);
  ASSERT_TRUE(opened.has_value());
  save(opened.value().openable_path(), "through");
  EXPECT_EQ(load_text_file(path, 100).value(), "through");
}

}  // namespace
}  // namespace wperf::os
