// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/zip_files.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf::packing {
namespace {

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct File {
  std::string name, packed;
  u16 method = 0;
  u64 size = 0;
  u32 checksum = 0;
  bool wide = false;  // 64-bit sizes, as in large files
};

constexpr u32 kSumOfAbc = 0x352441c2;
// "abcabcabcabc" with fixed codes: three letters, then nine bytes copied from a distance of three.
const std::string kDeflatedAbc("\x4b\x4c\x4a\x4e\x84\x21\x00", 7);

std::string zip_of(const std::vector<File>& files, bool wide_end = false) {
  std::string out, list;
  for (const File& file : files) {
    const auto begin = static_cast<u32>(out.size());
    put(out, u32{0x04034b50});
    out.resize(out.size() + 22);
    put(out, static_cast<u16>(file.name.size()));
    put(out, u16{0});
    out += file.name + file.packed;
    std::string extra;
    if (file.wide) {
      put(extra, u16{7});  // an extra field of another kind before it
      put(extra, u16{2});
      put(extra, u16{0});
      put(extra, u16{1});
      put(extra, u16{16});
      put(extra, file.size);
      put(extra, static_cast<u64>(file.packed.size()));
    }
    put(list, u32{0x02014b50});
    list.resize(list.size() + 6);
    put(list, file.method);
    put(list, u32{0});
    put(list, file.checksum);
    put(list, file.wide ? ~u32{0} : static_cast<u32>(file.packed.size()));
    put(list, file.wide ? ~u32{0} : static_cast<u32>(file.size));
    put(list, static_cast<u16>(file.name.size()));
    put(list, static_cast<u16>(extra.size()));
    list.resize(list.size() + 10);
    put(list, begin);
    list += file.name + extra;
  }
  const u64 at = out.size();
  out += list;
  if (wide_end) {
    const u64 end = out.size();
    put(out, u32{0x06064b50});
    out.resize(out.size() + 36);
    put(out, static_cast<u64>(list.size()));
    put(out, at);
    put(out, u32{0x07064b50});
    put(out, u32{0});
    put(out, end);
    put(out, u32{1});
  }
  put(out, u32{0x06054b50});
  put(out, u32{0});
  put(out, static_cast<u16>(files.size()));
  put(out, wide_end ? u16{0xffff} : static_cast<u16>(files.size()));
  put(out, static_cast<u32>(list.size()));
  put(out, wide_end ? ~u32{0} : static_cast<u32>(at));
  put(out, u16{0});
  return out;
}

File stored_abc() {
  return {.name = "a/abc", .packed = "abc", .size = 3, .checksum = kSumOfAbc};
}

Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const ZipEntry& entry, Unpacked expected) {
  std::string out;
  EXPECT_EQ(ZipFile::unpack(entry,
                            [&](Bytes piece) {
                              out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
                              return true;
                            }),
            expected);
  return out;
}

TEST(ZipFile, StoredAndDeflatedFilesAreRead) {
  for (const bool wide : {false, true}) {
    File packed{.name = "b", .packed = kDeflatedAbc, .method = 8, .size = 12, .checksum = 0, .wide = wide};
    const std::string bytes = zip_of({stored_abc(), packed}, wide);
    EXPECT_TRUE(ZipFile::has_signature(bytes_of(bytes)));
    const auto zip = ZipFile::open(bytes_of(bytes));
    ASSERT_TRUE(zip.has_value()) << zip.error().text;
    ASSERT_EQ(zip.value().entries().size(), 2u);
    EXPECT_EQ(zip.value().entries()[0].name, "a/abc");
    EXPECT_EQ(text_of(zip.value().entries()[0], Unpacked::all), "abc");
    EXPECT_EQ(text_of(zip.value().entries()[1], Unpacked::not_sound), "abcabcabcabc") << "the checksum is a wrong one";
  }
}

TEST(ZipFile, NoMoreComesOutThanTheListSays) {
  const std::string bytes = zip_of({{.name = "b", .packed = kDeflatedAbc, .method = 8, .size = 5, .checksum = 0}});
  const auto zip = ZipFile::open(bytes_of(bytes));
  ASSERT_TRUE(zip.has_value());
  EXPECT_LE(text_of(zip.value().entries()[0], Unpacked::damaged).size(), 5u);
}

TEST(ZipFile, WhatCannotBeReadIsSaid) {
  const std::string bytes = zip_of({{.name = "b", .packed = "abc", .method = 14, .size = 3, .checksum = 0}});
  const auto zip = ZipFile::open(bytes_of(bytes));
  ASSERT_TRUE(zip.has_value());
  EXPECT_EQ(text_of(zip.value().entries()[0], Unpacked::not_read), "");
}

TEST(ZipFile, FilesThatShareBytesAreRefused) {
  std::string bytes = zip_of({stored_abc(), stored_abc()});
  const usize second = bytes.rfind("PK\x01\x02");
  bytes.replace(second + 42, 4, std::string(4, '\0'));  // becomes the position of the first entry
  EXPECT_FALSE(ZipFile::open(bytes_of(bytes)).has_value());
}

TEST(ZipFile, CutAnywhereItIsAnErrorOrWhole) {
  const std::string whole = zip_of({stored_abc()}, true);
  for (usize size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(ZipFile::open(bytes_of(cut)).has_value()) << size;
  }
}

}  // namespace

namespace {

// "abcabcabcabc" as gzip writes it, with a name in its header.
std::string member() {
  const std::string header("\x1f\x8b\x08\x08\0\0\0\0\0\x03", 10);
  const std::string data("\x4b\x4c\x4a\x4e\x84\x21\x00", 7);
  const std::string end("\x34\x2a\x6e\x5a\x0c\0\0\0", 8);
  return header + std::string("name", 5) + data + end;
}

struct Answer {
  Unpacked outcome;
  std::string text;
};
Answer unpack(const std::string& file, u64 limit = 1000) {
  Answer out{};
  out.outcome = unpack_gzip(std::as_bytes(std::span(file)), limit, [&](Bytes piece) {
    out.text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return true;
  });
  return out;
}

TEST(GzipFile, MembersOneBehindTheOther) {
  const Answer got = unpack(member() + member() + "padding");
  EXPECT_EQ(got.outcome, Unpacked::all);
  EXPECT_EQ(got.text, "abcabcabcabcabcabcabcabc");
  const std::string one = member();
  EXPECT_TRUE(has_gzip_signature(std::as_bytes(std::span(one))));
}

TEST(GzipFile, DamageIsTold) {
  std::string bad = member();
  for (usize size = 3; size < bad.size(); ++size) EXPECT_EQ(unpack(bad.substr(0, size)).outcome, Unpacked::damaged);
  bad[bad.size() - 6] ^= 1;
  EXPECT_EQ(unpack(bad).outcome, Unpacked::not_sound);
  EXPECT_EQ(unpack(member(), 5).outcome, Unpacked::too_large);
  EXPECT_EQ(unpack(member() + member(), 14).outcome, Unpacked::too_large);
  EXPECT_EQ(unpack(member() + member(), 24).outcome, Unpacked::all);
}

TEST(GzipFile, HowMuchMayComeOfIt) {
  EXPECT_EQ(most_of_packed(300), u64{64} << 20);
  EXPECT_EQ(most_of_packed(u64{1} << 20), u64{256} << 20);
}

}  // namespace
}  // namespace wperf::packing
