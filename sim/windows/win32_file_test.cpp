// SPDX-License-Identifier: BSD-3-Clause
// Files as programs see them through kernel32 and ntdll: one folder of the host, and nothing else.
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "sim/windows/fake_program.h"
#include "sim/windows/guest_files.h"
#include "sim/windows/wide_strings.h"

namespace wperf::sim {
namespace {

namespace fs = std::filesystem;

constexpr u64 kName = FakeProgram::kBuffer, kData = FakeProgram::kBuffer + 0x1000, kCount = kData + 0xff0;
constexpr u64 kInvalid = ~0ull;
constexpr u64 kRead = 0x80000000, kWrite = 0x40000000, kFolderToo = 0x02000000;
enum : u64 { create_new = 1, create_always, open_existing, open_always, truncate_existing };

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("wperf-files-" + test + "-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "sub");
    write("a.txt", "hello, files\n");
    write("sub/b.bin", std::string(100'000, 'b'));
    give(true);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void give(bool writes) {
    LoadError error;
    ASSERT_TRUE(program.process->set_surroundings({.folder = folder_.string(), .writes = writes}, error)) << error.text;
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string text_of(const std::string& name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  u64 wide(std::string_view text) {
    std::vector<u16> units = to_utf16(text);
    units.push_back(0);
    EXPECT_TRUE(program.process->space().write(kName, units.data(), units.size() * 2));
    return kName;
  }
  u64 open(std::string_view name, u64 access = kRead, u64 disposition = open_existing, u64 flags = 0) {
    return program.call("CreateFileW", {wide(name), access, 0, 0, disposition, flags, 0});
  }
  std::string read(u64 file, u64 size) {
    EXPECT_EQ(program.call("ReadFile", {file, kData, size, kCount, 0}), 1u);
    std::string bytes(program.get<u32>(kCount), '\0');
    EXPECT_TRUE(program.process->space().read(kData, bytes.data(), bytes.size()));
    return bytes;
  }
  bool put_text(u64 file, std::string_view text) {
    return program.call("WriteFile", {file, program.put(text, kData), text.size(), kCount, 0}) != 0 &&
           program.get<u32>(kCount) == text.size();
  }
  std::string wide_at(u64 address) {
    std::vector<u16> units;
    for (u16 unit = program.get<u16>(address); unit != 0; unit = program.get<u16>(address += 2)) units.push_back(unit);
    return to_utf8(units);
  }
  std::vector<std::string> found(std::string_view pattern) {
    std::vector<std::string> names;
    const u64 search = program.call("FindFirstFileExW", {wide(pattern), 1, kData, 0, 0, 0});
    if (search == kInvalid) return names;
    do names.push_back(wide_at(kData + 44));
    while (program.call("FindNextFileW", {search, kData}) != 0);
    EXPECT_EQ(program.last_error(), 18u);
    EXPECT_EQ(program.call("FindClose", {search}), 1u);
    EXPECT_EQ(program.call("FindClose", {search}), 0u);
    return names;
  }

  FakeProgram program;
  fs::path folder_;
};

TEST_F(Files, are_read_by_all_their_names) {
  for (const std::string_view name : {"a.txt", ".\\a.txt", "sub\\..\\a.txt", "C:\\work\\a.txt", "c:/WORK/a.txt",
                                      "\\work\\a.txt", "\\\\?\\C:\\work\\a.txt", "C:a.txt"}) {
    const u64 file = open(name);
    ASSERT_NE(file, kInvalid) << name;
    EXPECT_EQ(read(file, 5), "hello");
    EXPECT_EQ(read(file, 100), ", files\n");
    EXPECT_EQ(read(file, 100), "");
    EXPECT_EQ(program.call("CloseHandle", {file}), 1u);
    EXPECT_EQ(program.call("CloseHandle", {file}), 0u);
  }
}

TEST_F(Files, no_name_leads_out_of_the_folder) {
  write("../outside-" + folder_.filename().string(), "secret");
  const std::string outside = "outside-" + folder_.filename().string();
  fs::create_symlink(folder_.parent_path() / outside, folder_ / "link");
  fs::create_directory_symlink("/", folder_ / "root");
  for (const std::string& name : {"..\\" + outside, std::string("..\\..\\etc\\passwd"), std::string("C:\\etc\\passwd"),
                                  std::string("/etc/passwd"), std::string("link"), std::string("root\\etc\\passwd"),
                                  std::string("D:\\work\\a.txt"), std::string("\\\\server\\share\\a.txt"),
                                  std::string("a.txt:stream"), std::string("a.txt."), std::string("NUL"),
                                  std::string("con.txt"), std::string("sub\\CONIN$"), std::string("")}) {
    EXPECT_EQ(open(name), kInvalid) << name;
    EXPECT_EQ(open(name, kWrite, create_always), kInvalid) << name;
    EXPECT_EQ(program.call("GetFileAttributesW", {wide(name)}), ~u32{0}) << name;
  }
  EXPECT_EQ(found("*"), (std::vector<std::string>{".", "..", "a.txt", "sub"})) << "links are not there";
  fs::remove(folder_.parent_path() / outside);
}

TEST_F(Files, without_a_folder_there_are_none) {
  FakeProgram bare;
  bare.put_wide("a.txt", kName);
  EXPECT_EQ(bare.call("CreateFileW", {kName, kRead, 0, 0, open_existing, 0, 0}), kInvalid);
  EXPECT_EQ(bare.last_error(), 2u);
}

TEST_F(Files, are_written_where_that_is_allowed) {
  const u64 file = open("new.txt", kRead | kWrite, create_new);
  ASSERT_NE(file, kInvalid);
  EXPECT_TRUE(put_text(file, "0123456789"));
  EXPECT_EQ(program.call("SetFilePointerEx", {file, 4, kCount, 0}), 1u);
  EXPECT_TRUE(put_text(file, "four"));
  EXPECT_EQ(program.call("SetFilePointer", {file, static_cast<u64>(-3), 0, 2}), 7u);
  EXPECT_EQ(read(file, 9), "r89");
  EXPECT_EQ(program.call("SetFilePointer", {file, 6, 0, 0}), 6u);
  EXPECT_EQ(program.call("SetEndOfFile", {file}), 1u);
  EXPECT_EQ(program.call("GetFileSize", {file, 0}), 6u);
  program.call("CloseHandle", {file});
  EXPECT_EQ(text_of("new.txt"), "0123fo");
  EXPECT_EQ(open("new.txt", kWrite, create_new), kInvalid);
  EXPECT_EQ(program.last_error(), 80u);
  const u64 end = open("new.txt", 4, open_always);
  EXPECT_EQ(program.last_error(), 183u);
  EXPECT_TRUE(put_text(end, "+"));
  EXPECT_EQ(text_of("new.txt"), "0123fo+") << "appended";
  program.call("CloseHandle", {open("new.txt", kWrite, truncate_existing)});
  EXPECT_EQ(text_of("new.txt"), "");
  const u64 passing = open("passing", kWrite, create_always, 0x04000000);
  EXPECT_TRUE(fs::exists(folder_ / "passing"));
  program.call("CloseHandle", {passing});
  EXPECT_FALSE(fs::exists(folder_ / "passing"));
}

TEST_F(Files, are_not_written_where_that_is_not_allowed) {
  give(false);
  EXPECT_EQ(open("a.txt", kWrite, open_existing), kInvalid);
  EXPECT_EQ(program.last_error(), 5u);
  EXPECT_EQ(open("new.txt", kWrite, create_always), kInvalid);
  EXPECT_EQ(program.call("DeleteFileW", {wide("a.txt")}), 0u);
  EXPECT_EQ(program.call("CreateDirectoryW", {wide("more")}), 0u);
  EXPECT_FALSE(put_text(open("a.txt"), "x"));
  EXPECT_EQ(text_of("a.txt"), "hello, files\n");
  EXPECT_FALSE(fs::exists(folder_ / "new.txt"));
}

TEST_F(Files, places_are_named_with_the_call) {
  const u64 file = open("a.txt");
  constexpr u64 kOverlapped = kData + 0xf00;
  const std::array<u64, 4> overlapped = {0, 0, 7, 0};
  ASSERT_TRUE(program.process->space().write(kOverlapped, overlapped.data(), sizeof overlapped));
  EXPECT_EQ(program.call("ReadFile", {file, kData, 100, kCount, kOverlapped}), 1u);
  EXPECT_EQ(program.get<u32>(kCount), 6u);
  EXPECT_EQ(program.text_at(kData).substr(0, 5), "files");
  const u64 behind = 1000;
  ASSERT_TRUE(program.process->space().write(kOverlapped + 16, &behind, sizeof behind));
  EXPECT_EQ(program.call("ReadFile", {file, kData, 100, kCount, kOverlapped}), 0u);
  EXPECT_EQ(program.last_error(), 38u);
  const u64 place = 2;
  ASSERT_TRUE(program.process->space().write(kOverlapped, &place, sizeof place));
  EXPECT_EQ(program.call("NtReadFile", {file, 0, 0, 0, kCount - 16, kData, 3, kOverlapped}), 0u);
  EXPECT_EQ(program.get<u64>(kCount - 8), 3u);
  EXPECT_EQ(program.text_at(kData).substr(0, 3), "llo");
  ASSERT_TRUE(program.process->space().write(kOverlapped, &behind, sizeof behind));
  EXPECT_EQ(program.call("NtReadFile", {file, 0, 0, 0, kCount - 16, kData, 3, kOverlapped}), 0xc0000011u);
  EXPECT_EQ(program.call("NtReadFile", {file + 4, 0, 0, 0, kCount - 16, kData, 3, 0}), 0xc0000008u);
}

TEST_F(Files, standard_streams_are_written_like_files) {
  const u64 output = program.call("GetStdHandle", {0xfffffff5});
  EXPECT_EQ(program.call("NtWriteFile", {output, 0, 0, 0, kCount - 16, program.put("said", kData), 4, 0}), 0u);
  EXPECT_EQ(program.get<u64>(kCount - 8), 4u);
  EXPECT_TRUE(put_text(output, " twice"));
  EXPECT_EQ(program.process->console_output(), "said twice");
  EXPECT_EQ(program.call("ReadFile", {output, kData, 1, kCount, 0}), 0u);
}

TEST_F(Files, searches_find_names_in_order) {
  write("B.TXT", "");
  write("c.md", "");
  EXPECT_EQ(found("*.txt"), (std::vector<std::string>{"B.TXT", "a.txt"}));
  EXPECT_EQ(found("C:\\work\\sub\\*"), (std::vector<std::string>{".", "..", "b.bin"}));
  EXPECT_EQ(found("?.m*"), (std::vector<std::string>{"c.md"}));
  EXPECT_EQ(found("sub\\*.txt"), std::vector<std::string>{});
  EXPECT_EQ(program.last_error(), 2u);
  EXPECT_EQ(found("nowhere\\*"), std::vector<std::string>{});
  EXPECT_EQ(program.last_error(), 3u);
  const u64 search = program.call("FindFirstFileW", {wide("sub\\b.bin"), kData});
  ASSERT_NE(search, kInvalid);
  EXPECT_EQ(program.get<u32>(kData), 0x80u);
  EXPECT_EQ(program.get<u32>(kData + 32), 100'000u);
}

TEST_F(Files, facts_are_the_hosts) {
  fs::last_write_time(folder_ / "a.txt", fs::file_time_type(std::chrono::file_clock::from_sys(
                                             std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000)))));
  EXPECT_EQ(program.call("GetFileAttributesExW", {wide("a.txt"), 0, kData}), 1u);
  EXPECT_EQ(program.get<u32>(kData), 0x80u);
  EXPECT_EQ(program.get<u64>(kData + 4), (1'700'000'000u + 11'644'473'600) * 10'000'000);
  EXPECT_EQ(program.get<u32>(kData + 32), 13u);
  const u64 folder = open("sub", 0, open_existing, kFolderToo);
  ASSERT_NE(folder, kInvalid);
  EXPECT_EQ(open("sub"), kInvalid) << "a folder is no file";
  EXPECT_EQ(program.call("GetFileInformationByHandle", {folder, kData}), 1u);
  EXPECT_EQ(program.get<u32>(kData), 0x10u);
  EXPECT_EQ(program.call("GetFileInformationByHandleEx", {folder, 1, kData, 24}), 1u);
  EXPECT_EQ(program.get<u8>(kData + 21), 1u);
  EXPECT_EQ(program.call("GetFileInformationByHandleEx", {folder, 1, kData, 8}), 0u);
  EXPECT_EQ(program.call("GetFinalPathNameByHandleW", {folder, kData, 100, 0}), 15u);
  EXPECT_EQ(wide_at(kData), "\\\\?\\C:\\work\\sub");
  EXPECT_EQ(program.call("GetFileType", {folder}), 1u);
}

TEST_F(Files, names_are_made_full) {
  const auto full = [&](std::string_view name) {
    EXPECT_NE(program.call("GetFullPathNameW", {wide(name), 200, kData, 0}), 0u);
    return wide_at(kData);
  };
  EXPECT_EQ(full("a.txt"), "C:\\work\\a.txt");
  EXPECT_EQ(full("sub/../x\\.\\y"), "C:\\work\\x\\y");
  EXPECT_EQ(full("..\\..\\.."), "C:\\");
  EXPECT_EQ(full("d:\\x"), "d:\\x");
  EXPECT_EQ(program.call("GetFullPathNameW", {wide("a.txt"), 5, kData, 0}), 14u) << "what it needs";
  EXPECT_EQ(program.call("GetCurrentDirectoryW", {100, kData}), 7u);
  EXPECT_EQ(program.call("GetTempPathW", {100, kData}), 8u);
}

TEST_F(Files, are_removed_moved_and_made) {
  EXPECT_EQ(program.call("CreateDirectoryW", {wide("new")}), 1u);
  EXPECT_EQ(program.call("CreateDirectoryW", {wide("new")}), 0u);
  EXPECT_EQ(program.last_error(), 183u);
  std::vector<u16> to = to_utf16("new\\moved.txt");
  to.push_back(0);
  ASSERT_TRUE(program.process->space().write(kData, to.data(), to.size() * 2));
  EXPECT_EQ(program.call("MoveFileExW", {wide("a.txt"), kData, 0}), 1u);
  EXPECT_EQ(text_of("new/moved.txt"), "hello, files\n");
  EXPECT_EQ(program.call("RemoveDirectoryW", {wide("new")}), 0u);
  EXPECT_EQ(program.last_error(), 145u);
  EXPECT_EQ(program.call("DeleteFileW", {wide("new\\moved.txt")}), 1u);
  EXPECT_EQ(program.call("RemoveDirectoryW", {wide("new")}), 1u);
}

TEST_F(Files, are_mapped_to_be_read) {
  const u64 file = open("sub\\b.bin");
  const u64 mapping = program.call("CreateFileMappingW", {file, 0, 2, 0, 0, 0});
  ASSERT_NE(mapping, 0u);
  program.call("CloseHandle", {file});
  const u64 view = program.call("MapViewOfFile", {mapping, 4, 0, 0, 0});
  ASSERT_NE(view, 0u);
  EXPECT_EQ(program.get<char>(view), 'b');
  EXPECT_EQ(program.get<char>(view + 99'999), 'b');
  EXPECT_EQ(program.call("MapViewOfFile", {mapping, 4, 0, 0x10000, 100'000}), 0u) << "behind its end";
  EXPECT_EQ(program.call("MapViewOfFile", {mapping, 4, 0, 1, 1}), 0u);
  EXPECT_EQ(program.call("UnmapViewOfFile", {view}), 1u);
  EXPECT_EQ(program.call("UnmapViewOfFile", {view}), 0u);
  EXPECT_EQ(program.call("CreateFileMappingW", {open("a.txt", kRead | kWrite), 0, 4, 0, 0, 0}), 0u) << "to be written";
}

TEST_F(Files, handles_are_shared_and_used_up) {
  const u64 file = open("a.txt");
  EXPECT_EQ(program.call("DuplicateHandle", {~0ull, file, ~0ull, kCount, 0, 0, 2}), 1u);
  const u64 copy = program.get<u64>(kCount);
  EXPECT_NE(copy, file);
  program.call("CloseHandle", {file});
  EXPECT_EQ(read(copy, 5), "hello");
  EXPECT_EQ(program.call("DuplicateHandle", {~0ull, file, ~0ull, kCount, 0, 0, 2}), 0u);
  u64 last = copy;
  usize count = 0;
  for (; last != kInvalid && count < 10'000; ++count) last = open("a.txt");
  EXPECT_EQ(last, kInvalid);
  EXPECT_EQ(program.last_error(), 4u);
  EXPECT_GT(count, 100u);
}

TEST_F(Files, wrong_pointers_end_the_program) {
  EXPECT_EQ(program.call("CreateFileW", {FakeProgram::kUnmapped, kRead, 0, 0, open_existing, 0, 0}), kInvalid);
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  const u64 file = open("sub\\b.bin");
  program.call("ReadFile", {file, FakeProgram::kUnmapped, 10, kCount, 0});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
  program.call("FindFirstFileW", {wide("*"), FakeProgram::kUnmapped});
  EXPECT_EQ(program.outcome, CallOutcome::crashed);
}

}  // namespace
}  // namespace wperf::sim
