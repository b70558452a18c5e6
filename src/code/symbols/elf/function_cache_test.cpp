// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/elf/function_cache.h"

#include <gtest/gtest.h>

#include "code/symbols/elf/elf_builder_test.h"

namespace wperf::symbols {
namespace {

class FunctionCacheTest : public testing::Test {
 protected:
  FunctionCacheTest() {
    ElfBuilder builder;
    builder.add_symbols({{"outer", 0x1000, 0x100},
                         {"inner", 0x1020, 0x10},
                         {"same", 0x1020, 8, elf::kTypeFunction, elf::kBindWeak},
                         {"apart", 0x1200, 0x10},
                         {"sizeless", 0x1300, 0}});
    builder.add_build_id("\x12\xab");
    bytes_ = builder.build();
    auto file = ElfFile::parse(bytes_);
    EXPECT_TRUE(file.has_value());
    file_ = std::move(file).value();
    symbols_ = ElfSymbols::read(&*file_, nullptr, nullptr);
  }
  FunctionCacheKey key() const { return {.build_id = file_->build_id(), .image_size = bytes_.size()}; }

  std::vector<std::byte> bytes_;
  std::optional<ElfFile> file_;
  ElfSymbols symbols_;
};

TEST_F(FunctionCacheTest, AnswersAsWhatItIsMadeFrom) {
  const auto kept = FunctionCache::write(symbols_, key());
  const auto cache = FunctionCache::open(kept, key());
  ASSERT_TRUE(cache.has_value());
  usize found = 0;
  for (u64 address = 0xf00; address < 0x3000; ++address) {
    const ElfSymbol* expected = symbols_.find(address);
    const auto got = cache->find(address);
    ASSERT_EQ(got.has_value(), expected != nullptr) << address;
    if (!got.has_value()) continue;
    ++found;
    EXPECT_EQ(got->begin, expected->begin);
    EXPECT_EQ(got->end, expected->end);
    EXPECT_EQ(got->name, expected->name);
    EXPECT_EQ(got->table, expected->table);
  }
  EXPECT_GT(found, 0x110u);
  EXPECT_EQ(cache->find(0x1028)->name, "inner");
  EXPECT_EQ(cache->find(0x1030)->name, "outer");
}

TEST_F(FunctionCacheTest, DamageAtAnyByteIsSeen) {
  auto kept = FunctionCache::write(symbols_, key());
  for (std::byte& one : kept) {
    for (const std::byte change : {std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
      one ^= change;
      EXPECT_FALSE(FunctionCache::open(kept, key()).has_value()) << &one - kept.data();
      one ^= change;
    }
  }
  EXPECT_TRUE(FunctionCache::open(kept, key()).has_value());
}

TEST_F(FunctionCacheTest, CutOrLongerIsDamage) {
  auto kept = FunctionCache::write(symbols_, key());
  for (usize size = 0; size < kept.size(); ++size) {
    EXPECT_FALSE(FunctionCache::open(Bytes(kept).first(size), key()).has_value()) << size;
  }
  kept.push_back(std::byte{0});
  EXPECT_FALSE(FunctionCache::open(kept, key()).has_value());
}

// Damage that the checksum does not show. Lookups must return no name, or one within the bytes.
TEST_F(FunctionCacheTest, WrongNumbersBehindARightChecksum) {
  const auto sound = FunctionCache::write(symbols_, key());
  usize opened = 0;
  for (usize i = 0; i < sound.size(); ++i) {
    auto kept = sound;
    kept[i] = ~kept[i];
    FunctionCache::seal(kept);
    const auto cache = FunctionCache::open(kept, key());
    if (!cache.has_value()) continue;
    ++opened;
    for (u64 address = 0xff0; address < 0x1400; ++address) {
      const auto found = cache->find(address);
      if (!found.has_value()) continue;
      EXPECT_LE(found->begin, address);
      EXPECT_GT(found->end, address);
      const auto* name = reinterpret_cast<const std::byte*>(found->name.data());
      EXPECT_TRUE(name >= kept.data() && name + found->name.size() <= kept.data() + kept.size());
    }
  }
  EXPECT_EQ(opened, sound.size() - 80 + 8);  // every byte except the header's checksum, which was corrected
}

TEST_F(FunctionCacheTest, OpensForTheSameFilesOnly) {
  const auto kept = FunctionCache::write(symbols_, key());
  FunctionCacheKey other = key();
  other.image_size += 1;
  EXPECT_FALSE(FunctionCache::open(kept, other).has_value());
  other = key();
  other.debug_size = 1;
  EXPECT_FALSE(FunctionCache::open(kept, other).has_value());
  other = key();
  other.build_id = other.build_id.first(1);
  EXPECT_FALSE(FunctionCache::open(kept, other).has_value());
}

TEST_F(FunctionCacheTest, IsNotMadeWithoutABuildId) {
  EXPECT_TRUE(FunctionCache::write(symbols_, {}).empty());
  const std::vector<std::byte> longer(FunctionCacheKey::kLongestBuildId + 1);
  EXPECT_TRUE(FunctionCache::write(symbols_, {.build_id = longer}).empty());
  EXPECT_TRUE(FunctionCache::write(ElfSymbols(), key()).empty());
}

}  // namespace
}  // namespace wperf::symbols
