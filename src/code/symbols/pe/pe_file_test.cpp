// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pe/pe_file.h"

#include <gtest/gtest.h>

#include <random>

#include "code/symbols/pe/arm64_unwind.h"
#include "code/symbols/pe/image_files_test.h"
#include "code/symbols/pe/pe_invariants_test.h"
#include "ground/diag/names_all_test.h"

namespace wperf::symbols {
namespace {

using Buffer = std::vector<std::byte>;

std::string why(const Buffer& bytes) {
  const auto parsed = PeFile::parse(bytes);
  return parsed.has_value() ? "" : parsed.error().text;
}

TEST(PeFile, WhatIsNoImage) {
  EXPECT_TRUE(diag::names_all(why({}), {"Windows image"}));
  EXPECT_TRUE(diag::names_all(why(Buffer(64, std::byte{'x'})), {"Windows image"}));
  Buffer bytes(64);
  bytes[0] = std::byte{'M'};
  bytes[1] = std::byte{'Z'};
  EXPECT_EQ(why(bytes), "its PE header is damaged or cut off");
  bytes[0x3c] = bytes[0x3d] = bytes[0x3e] = bytes[0x3f] = std::byte{0xff};
  EXPECT_EQ(why(bytes), "its PE header is damaged or cut off");
  bytes.resize(256);
  bytes[0x3d] = bytes[0x3e] = bytes[0x3f] = std::byte{0};
  bytes[0x3c] = std::byte{0x40};
  bytes[0x40] = std::byte{'P'};
  bytes[0x41] = std::byte{'E'};
  EXPECT_EQ(why(bytes), "its optional header is damaged or cut off");
}

// A packed record that llvm-readobj does not know: x19 and lr, which need a separate instruction to move sp.
TEST(Arm64Unwind, LoneRegisterWithLr) {
  const std::vector<Section> none;
  const ImageBytes image({}, none, 0);
  const u32 length = 10;
  const u32 word = 1u | length << 2 | 1u << 16 | 1u << 21 | 2u << 23;
  EXPECT_EQ(arm64_function_length(image, word), 40u);
  // sub sp; stp x19, lr; …; ldp x19, lr; add sp; ret
  for (u32 i = 0; i < length; ++i) EXPECT_EQ(arm64_return_address_saved(image, word, i * 4), i >= 2 && i < 8) << i;
  EXPECT_FALSE(arm64_function_length(image, 0x1000).has_value());  // refers to missing .xdata
  EXPECT_FALSE(arm64_function_length(image, 3).has_value());       // a reserved kind
}

// stp x29, lr, [sp, #-16]!; mov x29, sp; …; ldp x29, lr, [sp], #16; ret , as a packed record and as unwind codes.
TEST(Arm64Unwind, CallerIsInLrUntilX29Points) {
  const std::vector<Section> none;
  const ImageBytes nothing({}, none, 0);
  const u32 length = 8;
  const u32 packed = 1u | length << 2 | 3u << 21 | 1u << 23;
  const auto expected = [](u32 i) {
    return i < 2 || i == 7 ? code::CallerPlace::link_register : code::CallerPlace::frame_record;
  };
  for (u32 i = 0; i < length; ++i) EXPECT_EQ(arm64_caller_place(nothing, packed, i * 4), expected(i)) << i;

  // Within an image's headers, RVAs are offsets in the file.
  std::vector<std::byte> file(0x60);
  const u32 header = length | 1u << 21 | 1u << 27;  // one epilogue, whose codes begin at index 0
  for (u32 i = 0; i < 4; ++i) file[0x40 + i] = static_cast<std::byte>(header >> (8 * i));
  const u8 codes[] = {0xe1, 0x81, 0xe4, 0xe4};  // set_fp, save_fplr_x 16, end
  for (u32 i = 0; i < 4; ++i) file[0x44 + i] = std::byte{codes[i]};
  const ImageBytes image(file, none, 0x60);
  for (u32 i = 0; i < length; ++i) {
    // The epilogue shares these codes, so it also has a set_fp: mov sp, x29.
    EXPECT_EQ(arm64_caller_place(image, 0x40, i * 4), expected(i)) << i;
  }
  const u32 unchained = 1u | 10u << 2 | 1u << 16 | 1u << 21 | 2u << 23;
  EXPECT_EQ(arm64_caller_place(nothing, unchained, 0), code::CallerPlace::link_register);
  EXPECT_EQ(arm64_caller_place(nothing, unchained, 16), code::CallerPlace::stack);
}

// The export that may contain the address.
const Export* export_of(const PeFile& file, code::Rva rva) {
  const Export* found = file.export_before(rva);
  return found != nullptr && rva < file.furthest_end(found->rva) ? found : nullptr;
}

class RealImage : public testing::Test {
 protected:
  Buffer load(const char* name) {
    Buffer bytes = load_bytes(std::filesystem::path(WPERF_TEST_IMAGES) / name);
    if (bytes.empty()) missing_ = true;
    return bytes;
  }
  bool missing_ = false;
};

#define WPERF_NEED_IMAGES \
  if (missing_) GTEST_SKIP() << "needs clang and lld-link"

TEST_F(RealImage, NearestExport) {
  for (const char* name : {"functions_x64.dll", "functions_arm64.dll"}) {
    const Buffer bytes = load(name);
    WPERF_NEED_IMAGES;
    auto parsed = PeFile::parse(bytes);
    ASSERT_TRUE(parsed.has_value());
    const PeFile& file = parsed.value();
    std::optional<code::Rva> sum, leaf, value;
    for (const Export& entry : file.exports()) {
      if (entry.name == "exported_sum") sum = entry.rva;
      if (entry.name == "exported_leaf") leaf = entry.rva;
      if (entry.name == "exported_value") value = entry.rva;
      EXPECT_NE(entry.name, "forwarded");
    }
    ASSERT_TRUE(sum.has_value() && leaf.has_value() && value.has_value());
    const code::RvaRange bounds = file.function_at(*sum).value();
    EXPECT_EQ(bounds.begin, *sum);
    ASSERT_NE(export_of(file, *sum), nullptr);
    EXPECT_EQ(export_of(file, *sum)->name, "exported_sum");
    EXPECT_EQ(export_of(file, {bounds.end.value - 1})->name, "exported_sum");
    // Another function, or padding, begins at its end.
    const Export* behind = export_of(file, bounds.end);
    EXPECT_TRUE(behind == nullptr || behind->name != "exported_sum");
    // A leaf function without .pdata extends to the beginning of the next function.
    EXPECT_FALSE(file.function_at(*leaf).has_value());
    ASSERT_NE(export_of(file, {leaf->value + 2}), nullptr);
    EXPECT_EQ(export_of(file, {leaf->value + 2})->name, "exported_leaf");
    // The functions before the first export have no name.
    EXPECT_EQ(export_of(file, file.functions().front().begin), nullptr);
    EXPECT_EQ(export_of(file, *value)->name, "exported_value");
    EXPECT_EQ(export_of(file, {0xfffffff0}), nullptr);
    EXPECT_TRUE(file.is_64_bit());
  }
}

TEST_F(RealImage, BytesOfSectionsAndBeyond) {
  const Buffer bytes = load("functions_arm64.dll");
  WPERF_NEED_IMAGES;
  auto parsed = PeFile::parse(bytes);
  ASSERT_TRUE(parsed.has_value());
  const PeFile& file = parsed.value();
  EXPECT_EQ(file.bytes_at({0}, 2).data(), bytes.data());  // the headers are mapped, too
  for (const Section& section : file.sections()) {
    if (section.file_size == 0) continue;
    const auto stored = file.bytes_at({section.rva}, ~u32{0});
    EXPECT_EQ(stored.size(), section.file_size);
    EXPECT_EQ(stored.data(), bytes.data() + section.file_offset);
    EXPECT_EQ(file.bytes_at({section.rva + 3}, 5).data(), bytes.data() + section.file_offset + 3);
    EXPECT_EQ(file.bytes_at({section.rva + 3}, 5).size(), 5u);
    EXPECT_TRUE(file.bytes_at({section.rva + section.file_size}, 1).empty());
  }
  EXPECT_TRUE(file.bytes_at({0xffffffff}, 100).empty());
}

TEST_F(RealImage, EveryTruncationGivesAnErrorOrLess) {
  for (const char* name : {"functions_x64.dll", "functions_arm64ec.dll"}) {
    const Buffer whole = load(name);
    WPERF_NEED_IMAGES;
    size_t parsed_count = 0;
    for (size_t size = 0; size < whole.size(); ++size) {
      const Buffer bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const auto parsed = PeFile::parse(bytes);
      if (!parsed.has_value()) continue;
      ++parsed_count;
      ASSERT_EQ(find_broken_invariant(parsed.value(), bytes), nullptr) << name << " cut to " << size;
    }
    EXPECT_GT(parsed_count, whole.size() / 2);
  }
}

TEST_F(RealImage, EveryDamagedByteGivesAnErrorOrSoundAnswers) {
  for (const char* name : {"functions_x64.dll", "functions_arm64ec.dll"}) {
    const Buffer whole = load(name);
    WPERF_NEED_IMAGES;
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const u8 flip : {u8{0x01}, u8{0x80}, u8{0xff}}) {
        Buffer bytes = whole;
        bytes[at] ^= static_cast<std::byte>(flip);
        const auto parsed = PeFile::parse(bytes);
        if (!parsed.has_value()) continue;
        ASSERT_EQ(find_broken_invariant(parsed.value(), bytes), nullptr) << name << " byte " << at;
      }
    }
  }
}

TEST_F(RealImage, ManyDamagedBytesGiveAnErrorOrSoundAnswers) {
  const Buffer whole = load("functions_arm64ec.dll");
  WPERF_NEED_IMAGES;
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Buffer bytes = whole;
    for (int i = 0; i < 8; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    const auto parsed = PeFile::parse(bytes);
    if (!parsed.has_value()) continue;
    ASSERT_EQ(find_broken_invariant(parsed.value(), bytes), nullptr) << round;
  }
}

}  // namespace
}  // namespace wperf::symbols
