// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/msf.h"

#include <gtest/gtest.h>

#include "code/symbols/pdb/pdb_builder_test.h"
#include "ground/diag/names_all_test.h"

namespace wperf::symbols::pdb {
namespace {

std::string_view view(bytes::View bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool lies_in(bytes::View part, const std::string& file) {
  const char* at = reinterpret_cast<const char*>(part.data());
  return at >= file.data() && at + part.size() <= file.data() + file.size();
}

std::string counted(usize size) {
  std::string bytes(size, '\0');
  for (usize i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  return bytes;
}

TEST(Msf, reads_streams_of_every_block_size_in_a_row_and_scattered) {
  const std::vector<std::string> streams = {"", counted(1), counted(512), counted(100000), counted(70000)};
  for (u32 block_size = 512; block_size <= 32768; block_size *= 2) {
    for (const bool is_scattered : {false, true}) {
      const std::string file = build_msf(streams, {block_size, is_scattered});
      auto msf = MsfFile::open(as_file(file));
      ASSERT_TRUE(msf.has_value()) << block_size;
      Damage damage;
      ASSERT_EQ(msf.value().stream_count(), streams.size());
      for (u32 i = 0; i < streams.size(); ++i) {
        EXPECT_EQ(view(msf.value().stream(i, damage)), streams[i]) << block_size << " stream " << i;
      }
      EXPECT_EQ(damage.streams, 0U);
    }
  }
}

TEST(Msf, copies_nothing_that_lies_in_a_row) {
  const std::vector<std::string> streams = {counted(3000)};
  Damage damage;
  const std::string in_a_row = build_msf(streams);
  EXPECT_TRUE(lies_in(std::move(MsfFile::open(as_file(in_a_row))).value().stream(0, damage), in_a_row));
  const std::string scattered = build_msf(streams, {512, true});
  auto msf = MsfFile::open(as_file(scattered));
  const bytes::View copy = msf.value().stream(0, damage);
  EXPECT_FALSE(lies_in(copy, scattered));
  EXPECT_EQ(msf.value().stream(0, damage).data(), copy.data());  // copied only once
}

TEST(Msf, reads_a_directory_whose_map_needs_several_blocks) {
  std::vector<std::string> streams(20000);
  streams[19999] = counted(1000);
  const std::string file = build_msf(streams, {512, true});
  auto msf = MsfFile::open(as_file(file));
  ASSERT_TRUE(msf.has_value());
  Damage damage;
  EXPECT_EQ(view(msf.value().stream(19999, damage)), streams[19999]);
}

TEST(Msf, has_nothing_for_streams_that_do_not_exist) {
  const std::string file = build_msf({counted(10)});
  auto msf = MsfFile::open(as_file(file));
  Damage damage;
  EXPECT_TRUE(msf.value().stream(1, damage).empty());
  EXPECT_TRUE(msf.value().stream(~u32{0}, damage).empty());
  EXPECT_EQ(damage.streams, 0U);
}

TEST(Msf, says_what_a_file_is_when_it_is_something_else) {
  const auto error_of = [](std::string file) {
    const auto msf = MsfFile::open(as_file(file.append(100, '\0')));
    return msf.has_value() ? std::string() : msf.error().text;
  };
  EXPECT_EQ(error_of("MZ"), "This is not a PDB.");
  EXPECT_EQ(error_of("BSJB"), "This is a portable PDB of .NET, which has no native code in it.");
  EXPECT_EQ(error_of("Microsoft MSFZ Container"), "This PDB is compressed (MSFZ), which wperf cannot read.");
  EXPECT_TRUE(diag::names_all(error_of("Microsoft C/C++ program database 2.00\r\n\x1aJG"), {"Visual C++ 7"}));
  std::string file = build_msf({"x"});
  file[32] = 3;
  EXPECT_TRUE(diag::names_all(error_of(file), {"block size"}));
  EXPECT_TRUE(diag::names_all(error_of(std::string(kMsfMagic, sizeof kMsfMagic)), {"block size"}));
}

TEST(Msf, counts_a_stream_outside_of_the_file_once_and_reads_the_others) {
  std::string file = build_msf({counted(600), counted(5)});
  const u32 nowhere = 0x7fffffff;  // the directory is the second-last block; this number follows a count and two sizes
  const usize directory_at = file.size() - 1024;
  std::memcpy(file.data() + directory_at + 12, &nowhere, sizeof nowhere);
  auto msf = MsfFile::open(as_file(file));
  ASSERT_TRUE(msf.has_value());
  Damage damage;
  EXPECT_TRUE(msf.value().stream(0, damage).empty());
  EXPECT_TRUE(msf.value().stream(0, damage).empty());
  EXPECT_EQ(damage.streams, 1U);
  EXPECT_EQ(view(msf.value().stream(1, damage)), counted(5));
}

// Two streams that share the same consecutive blocks.
TEST(Msf, streams_have_no_more_bytes_than_the_file) {
  constexpr u32 kBlock = 512, kBlocks = 64;
  Out directory;
  directory.put(u32{2}).put(kBlocks * kBlock).put(kBlocks * kBlock);
  for (int stream = 0; stream < 2; ++stream) {
    for (u32 i = 0; i < kBlocks; ++i) directory.put(4 + i);
  }
  const u32 directory_size = directory.size();
  directory.align(kBlock);
  Out file;
  file.raw(std::string_view(kMsfMagic, sizeof kMsfMagic)).put(kBlock).put(u32{1}).put(u32{0}).put(directory_size);
  file.put(u32{0}).put(u32{3}).align(kBlock).raw(std::string(2 * kBlock, '\0'));
  for (u32 i = 0; i < directory.size() / kBlock; ++i) file.put(4 + kBlocks + i);
  file.align(kBlock).raw(std::string(kBlocks * kBlock, 'x')).raw(directory.bytes());
  auto msf = MsfFile::open(as_file(file.bytes()));
  ASSERT_TRUE(msf.has_value()) << msf.error().text;
  Damage damage;
  EXPECT_EQ(msf.value().stream(0, damage).size(), kBlocks * kBlock);
  EXPECT_TRUE(msf.value().stream(1, damage).empty());
  EXPECT_EQ(damage.streams, 1U);
}

// A file of a megabyte that claims a stream of a hundred megabytes made of a single block.
TEST(Msf, copies_no_more_than_the_file_has) {
  constexpr u32 kBlock = 512;
  const u32 count = 200000;
  Out directory;
  directory.put(u32{1}).put(count * kBlock);
  for (u32 i = 0; i < count; ++i) directory.put(u32{1});
  directory.align(kBlock);
  const u32 directory_blocks = directory.size() / kBlock;
  Out map;
  for (u32 i = 0; i < directory_blocks; ++i) map.put(1 + i);
  map.align(kBlock);
  Out file;
  file.raw(std::string_view(kMsfMagic, sizeof kMsfMagic)).put(kBlock).put(u32{1}).put(u32{0}).put(directory.size());
  file.put(u32{0});
  for (u32 i = 0; i < map.size() / kBlock; ++i) file.put(1 + directory_blocks + i);
  file.align(kBlock).raw(directory.bytes()).raw(map.bytes());
  auto msf = MsfFile::open(as_file(file.bytes()));
  ASSERT_TRUE(msf.has_value()) << msf.error().text;
  ASSERT_EQ(msf.value().stream_count(), 1U);
  Damage damage;
  EXPECT_TRUE(msf.value().stream(0, damage).empty());
  EXPECT_EQ(damage.streams, 1U);
}

}  // namespace
}  // namespace wperf::symbols::pdb
