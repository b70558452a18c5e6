// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/guest_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace wperf::sim {
namespace {

using Parts = std::vector<std::string>;

TEST(GuestFiles, names_are_settled_below_the_folder) {
  const auto below = [](std::string_view name) { return parts_of_guest_name(name); };
  EXPECT_EQ(below("a.txt"), (Parts{"a.txt"}));
  EXPECT_EQ(below("a/b\\.\\c"), (Parts{"a", "b", "c"}));
  EXPECT_EQ(below("a\\..\\b"), (Parts{"b"}));
  EXPECT_EQ(below("."), Parts{});
  EXPECT_EQ(below("..\\work\\a"), (Parts{"a"}));
  EXPECT_EQ(below("..\\..\\..\\Work/a"), (Parts{"a"}));
  EXPECT_EQ(below("C:\\work\\a"), (Parts{"a"}));
  EXPECT_EQ(below("c:a"), (Parts{"a"}));
  EXPECT_EQ(below("\\work\\a"), (Parts{"a"}));
  EXPECT_EQ(below("\\\\?\\C:\\work\\a"), (Parts{"a"}));
  EXPECT_EQ(guest_name_of({"a", "b"}), "C:\\work\\a\\b");
}

TEST(GuestFiles, other_names_are_nobody_s) {
  for (const char* name : {"",
                           "..",
                           "..\\a",
                           "a\\..\\..\\b",
                           "/etc/passwd",
                           "C:\\",
                           "C:\\a",
                           "C:\\working\\a",
                           "D:\\work\\a",
                           "D:a",
                           "\\\\server\\work\\a",
                           "//server/share/a",
                           "\\\\?\\UNC\\server\\a",
                           "\\\\?\\D:\\work\\a",
                           "\\\\.\\work",
                           "\\\\.\\PhysicalDrive0",
                           "a:stream",
                           "a\\b:c",
                           "nul",
                           "NUL.txt",
                           "com1",
                           "a\\LPT9.log",
                           "con",
                           "a.",
                           "a ",
                           "...",
                           ".. ",
                           "a\\.. \\b",
                           "a?",
                           "a*",
                           "a|b",
                           "a<b",
                           "a\"b",
                           "a\tb",
                           "\x01"})
    EXPECT_EQ(parts_of_guest_name(name), std::nullopt) << name;
  EXPECT_EQ(parts_of_guest_name(std::string_view("a\0b", 3)), std::nullopt);
  EXPECT_EQ(parts_of_guest_name(std::string(256, 'x')), std::nullopt);
  EXPECT_EQ(parts_of_guest_name(std::string(40000, '\\') + "a"), std::nullopt);
}

class Folder : public ::testing::Test {
 protected:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "wperf-files-XXXXXX").string();
    top_ = ::mkdtemp(name.data());
    std::filesystem::create_directories(top_ / "in" / "sub");
    put(top_ / "secret", "secret");
    put(top_ / "in" / "a.txt", "hello");
    put(top_ / "in" / "sub" / "b.txt", "below");
    std::filesystem::create_symlink(top_ / "secret", top_ / "in" / "link");
    std::filesystem::create_symlink("..", top_ / "in" / "up");
    std::filesystem::create_symlink("a.txt", top_ / "in" / "inner");
    ::mkfifo((top_ / "in" / "pipe").c_str(), 0600);
  }
  ~Folder() override { std::filesystem::remove_all(top_); }

  static void put(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  FileProblem open(std::string_view name, const FileOpenOptions& options) {
    return files_.open(name, options, number_);
  }
  std::string read_all() {
    std::string text(100, '\0');
    text.resize(files_.read(number_, text).value_or(0));
    return text;
  }

  std::filesystem::path top_;
  GuestFiles files_;
  u32 number_ = 0;
};

constexpr FileOpenOptions kReading{.read = true};
constexpr FileOpenOptions kMaking{.write = true, .create = true, .truncate = true};

TEST_F(Folder, nothing_is_there_before_a_folder_is_given) {
  EXPECT_EQ(open("a.txt", kReading), FileProblem::not_found);
  EXPECT_EQ(open("a.txt", kMaking), FileProblem::not_found);
  EXPECT_EQ(files_.make_folder("x"), FileProblem::not_found);
  FileFacts facts;
  EXPECT_EQ(files_.facts(".", facts), FileProblem::not_found);
  EXPECT_FALSE(files_.allow((top_ / "none").string(), false));
  EXPECT_EQ(open("a.txt", kReading), FileProblem::not_found);
}

TEST_F(Folder, files_in_it_are_read) {
  ASSERT_TRUE(files_.allow((top_ / "in").string(), false));
  ASSERT_EQ(open("a.txt", kReading), FileProblem::none);
  EXPECT_EQ(read_all(), "hello");
  EXPECT_EQ(files_.seek(number_, -2, GuestFiles::From::end), 3u);
  EXPECT_EQ(read_all(), "lo");
  EXPECT_TRUE(files_.close(number_));
  EXPECT_FALSE(files_.close(number_));
  EXPECT_EQ(files_.read(number_, {}), std::nullopt);
  ASSERT_EQ(open("C:\\WORK\\sub\\b.txt", kReading), FileProblem::none);
  EXPECT_EQ(read_all(), "below");
  std::vector<std::string> names;
  EXPECT_EQ(files_.list(".", names), FileProblem::none);
  EXPECT_EQ(names, (Parts{"a.txt", "sub"}));
  EXPECT_EQ(files_.list("sub", names), FileProblem::none);
  EXPECT_EQ(names, (Parts{"b.txt"}));
  EXPECT_EQ(files_.list("a.txt", names), FileProblem::not_a_folder);
}

TEST_F(Folder, links_and_pipes_lead_nowhere) {
  ASSERT_TRUE(files_.allow((top_ / "in").string(), true));
  for (const char* name : {"link", "inner", "pipe"}) {
    EXPECT_EQ(open(name, kReading), FileProblem::denied) << name;
    EXPECT_EQ(files_.remove(name), FileProblem::denied) << name;
  }
  EXPECT_NE(open("link", kMaking), FileProblem::none);
  EXPECT_NE(open("up\\secret", kReading), FileProblem::none);
  EXPECT_NE(open("up\\new", kMaking), FileProblem::none);
  EXPECT_NE(files_.rename("a.txt", "up\\a.txt", true), FileProblem::none);
  std::vector<std::string> names;
  EXPECT_NE(files_.list("up", names), FileProblem::none);
  EXPECT_EQ(open("..\\secret", kReading), FileProblem::not_found);
  EXPECT_EQ(content(top_ / "secret"), "secret");
  EXPECT_FALSE(std::filesystem::exists(top_ / "new"));
}

TEST_F(Folder, is_left_as_it_is_unless_writing_is_allowed) {
  ASSERT_TRUE(files_.allow((top_ / "in").string(), false));
  EXPECT_EQ(open("a.txt", kMaking), FileProblem::denied);
  EXPECT_EQ(open("new", kMaking), FileProblem::denied);
  EXPECT_EQ(open("a.txt", {.read = true, .truncate = true}), FileProblem::denied);
  EXPECT_EQ(open("new", {.read = true, .create = true}), FileProblem::denied);
  EXPECT_EQ(open("a.txt", {.read = true, .create = true}), FileProblem::none);
  EXPECT_EQ(files_.write(number_, std::string_view("x")), std::nullopt);
  EXPECT_FALSE(files_.resize(number_, 0));
  EXPECT_EQ(files_.remove("a.txt"), FileProblem::denied);
  EXPECT_EQ(files_.rename("a.txt", "b.txt", true), FileProblem::denied);
  EXPECT_EQ(files_.make_folder("x"), FileProblem::denied);
  EXPECT_EQ(files_.remove_folder("sub"), FileProblem::denied);
  EXPECT_EQ(content(top_ / "in" / "a.txt"), "hello");
}

TEST_F(Folder, is_written_where_that_is_allowed) {
  ASSERT_TRUE(files_.allow((top_ / "in").string(), true));
  ASSERT_EQ(open("new.txt", kMaking), FileProblem::none);
  EXPECT_EQ(files_.write(number_, std::string_view("text")), 4u);
  EXPECT_EQ(content(top_ / "in" / "new.txt"), "text");
  EXPECT_EQ(open("new.txt", {.write = true, .create = true, .exclusive = true}), FileProblem::exists);
  EXPECT_EQ(files_.rename("new.txt", "a.txt", false), FileProblem::exists);
  EXPECT_EQ(files_.rename("new.txt", "sub\\c.txt", false), FileProblem::none);
  EXPECT_EQ(files_.remove_folder("sub"), FileProblem::not_empty);
  EXPECT_EQ(files_.remove("sub\\c.txt"), FileProblem::none);
  EXPECT_EQ(files_.remove("sub"), FileProblem::denied);
  EXPECT_EQ(files_.make_folder("sub\\d"), FileProblem::none);
  EXPECT_EQ(files_.remove_folder("sub\\d"), FileProblem::none);
  EXPECT_EQ(files_.remove_folder("."), FileProblem::denied);
  EXPECT_EQ(open("sub", kReading), FileProblem::is_folder);
}

TEST_F(Folder, holds_so_many_open_files_and_no_more) {
  ASSERT_TRUE(files_.allow((top_ / "in").string(), false));
  u32 opened = 0;
  while (open("a.txt", kReading) == FileProblem::none) ++opened;
  EXPECT_LE(opened, 512u);
  EXPECT_EQ(open("a.txt", kReading), FileProblem::too_many);
}

TEST_F(Folder, gives_files_more_names_within_it) {
  ASSERT_TRUE(files_.allow((top_ / "in").string(), true));
  files_.limit(100);
  ASSERT_EQ(open("new.txt", kMaking), FileProblem::none);
  EXPECT_EQ(files_.write(number_, std::string(100, 'x')), 100u);
  EXPECT_EQ(files_.link("new.txt", "sub\\new.txt"), FileProblem::none);
  EXPECT_EQ(files_.link("new.txt", "a.txt"), FileProblem::exists);
  EXPECT_EQ(files_.link("sub", "other"), FileProblem::is_folder);
  EXPECT_EQ(files_.link("new.txt", "..\\c.txt"), FileProblem::not_found);
  EXPECT_EQ(files_.link("..\\secret", "c.txt"), FileProblem::not_found);
  EXPECT_EQ(files_.link("link", "c.txt"), FileProblem::denied);
  EXPECT_EQ(files_.link("new.txt", "up\\c.txt"), FileProblem::not_a_folder) << "a link to a folder outside";
  FileFacts facts;
  ASSERT_EQ(files_.facts("new.txt", facts), FileProblem::none);
  EXPECT_EQ(facts.links, 2u);
  EXPECT_EQ(files_.remove("new.txt"), FileProblem::none);
  ASSERT_EQ(open("more", kMaking), FileProblem::none);
  EXPECT_NE(files_.write(number_, std::string_view("x")), 1u) << "the file is still there and takes its bytes";
  EXPECT_EQ(files_.remove("sub\\new.txt"), FileProblem::none);
  EXPECT_EQ(files_.write(number_, std::string_view("x")), 1u);
  ASSERT_TRUE(files_.allow((top_ / "in").string(), false));
  EXPECT_EQ(files_.link("a.txt", "d.txt"), FileProblem::denied);
}

}  // namespace
}  // namespace wperf::sim
