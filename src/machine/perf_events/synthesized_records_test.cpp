// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/synthesized_records.h"

#include <gtest/gtest.h>

#include "formats/perf_data/event_table.h"
#include "formats/perf_data/kernel_records.h"

namespace wperf::perf_events {
namespace {

using perf_data::Mmap;

constexpr u64 kFields = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime;
constexpr char kNoBuildId[] = "";

// The records that a reader finds in the bytes of a file.
struct Read {
  std::string bytes;
  std::vector<Mmap> mappings;
};
void read_back(Read& read) {
  perf_data::Event event;
  event.attributes.sample_type = kFields;
  event.attributes.flags = u64{1} << 18;
  const perf_data::EventTable events({event});
  perf_data::RecordStream stream(std::as_bytes(std::span(read.bytes)), 0);
  perf_data::Record record;
  while (stream.next(record)) {
    Mmap mapping;
    ASSERT_EQ(record.kind(), perf_data::RecordType::mmap2);
    ASSERT_TRUE(perf_data::read(record, events, mapping));
    read.mappings.push_back(mapping);
  }
  ASSERT_FALSE(stream.statistics().stop.has_value());
}

std::string_view no_build_id(const ListedMapping&) {
  return kNoBuildId;
}

TEST(MadeUpRecords, MappingsOfAProcess) {
  Read read;
  append_mappings(read.bytes,
                  {7,
                   "55d0c0000000-55d0c0001000 r--p 00000000 fe:00 12                         /usr/bin/one\n"
                   "55d0c0001000-55d0c0005000 r-xp 00001000 fe:0a 12                         /usr/bin/one\n"
                   "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
                   "7f0000002000-7f0000003000 r-xs 00002000 00:00 9       /name with blanks (deleted)\n"
                   "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n"},
                  WhichMappings::code, no_build_id, {.sample_type = kFields});
  read_back(read);
  ASSERT_EQ(read.mappings.size(), 4u) << "data is left out";
  const Mmap& code = read.mappings[0];
  EXPECT_EQ(code.pid, 7u);
  EXPECT_EQ(code.address, 0x55d0c0001000u);
  EXPECT_EQ(code.length, 0x4000u);
  EXPECT_EQ(code.page_offset, 0x1000u);
  EXPECT_EQ(code.device_major, 0xfeu);
  EXPECT_EQ(code.device_minor, 0xau);
  EXPECT_EQ(code.inode, 12u);
  EXPECT_EQ(code.protection, 5u);
  EXPECT_EQ(code.flags, 2u);
  EXPECT_FALSE(code.is_data);
  EXPECT_EQ(code.identity.time, 0u) << "before anything else";
  EXPECT_EQ(code.file, "/usr/bin/one");
  EXPECT_EQ(read.mappings[1].file, "//anon");
  EXPECT_EQ(read.mappings[1].protection, 7u);
  EXPECT_EQ(read.mappings[2].file, "/name with blanks (deleted)");
  EXPECT_EQ(read.mappings[2].flags, 1u);
  EXPECT_EQ(read.mappings[3].file, "[vdso]");
}

TEST(MadeUpRecords, MappingsOfDataWhereAllAreWanted) {
  Read read;
  append_mappings(read.bytes, {7, "400000-401000 r--p 00000000 fe:00 12 /a\n401000-402000 r-xp 00001000 fe:00 12 /a\n"},
                  WhichMappings::all, no_build_id, {.sample_type = kFields});
  read_back(read);
  ASSERT_EQ(read.mappings.size(), 2u);
  EXPECT_TRUE(read.mappings[0].is_data);
  EXPECT_EQ(read.mappings[0].protection, 1u);
  EXPECT_FALSE(read.mappings[1].is_data);
}

TEST(MadeUpRecords, MappingsWithBuildIds) {
  const std::string id(20, '\x5a');
  Read read;
  append_mappings(
      read.bytes, {7, "400000-401000 r-xp 00000000 fe:00 12 /a\n"}, WhichMappings::code,
      [&](const ListedMapping& one) { return one.path == "/a" ? std::string_view(id) : std::string_view(); },
      {.sample_type = kFields});
  read_back(read);
  ASSERT_EQ(read.mappings.size(), 1u);
  EXPECT_EQ(read.mappings[0].build_id.size(), 20u);
  EXPECT_EQ(read.mappings[0].build_id[19], std::byte{0x5a});
}

TEST(MadeUpRecords, ADeletedFileHasItsFormerPathIfItsBuildIdIsKnown) {
  const std::string id(20, '\x5a');
  Read read;
  append_mappings(read.bytes,
                  {7,
                   "400000-401000 r-xp 00000000 fe:00 12 /a (deleted)\n"
                   "402000-403000 r-xp 00000000 fe:00 13 /b (deleted)\n"},
                  WhichMappings::code,
                  [&](const ListedMapping& one) {
                    EXPECT_TRUE(one.is_deleted);
                    const bool is_first = one.path == "/a" && one.begin == 0x400000 && one.end == 0x401000;
                    return is_first ? std::string_view(id) : std::string_view();
                  },
                  {.sample_type = kFields});
  read_back(read);
  ASSERT_EQ(read.mappings.size(), 2u);
  EXPECT_EQ(read.mappings[0].file, "/a");
  EXPECT_EQ(read.mappings[0].build_id.size(), 20u);
  EXPECT_EQ(read.mappings[1].file, "/b (deleted)");
}

TEST(MadeUpRecords, LinesThatAreNoMappings) {
  Read read;
  append_mappings(read.bytes,
                  {7,
                   "\nnonsense\n400000\n400000-\n401000-400000 r-xp 0 0:0 0 /a\n400000-401000 r-x\n"
                   "400000-401000 r-xp\n400000-401000 r-xp 0 fe\n400000-401000 r-xp 0 fe:0\n"
                   "fffffffffffffffff-0 r-xp 0 0:0 0 /a"},
                  WhichMappings::code, no_build_id, {.sample_type = kFields});
  EXPECT_TRUE(read.bytes.empty());
}

TEST(MadeUpRecords, TheKernel) {
  Read read;
  append_kernel(read.bytes,
                "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\nffffffff81000000 T _text\n"
                "ffffffff81000010 T other\n",
                "00000000-00000fff : Reserved\n01000000-0220bb07 : Kernel code\n", {.sample_type = kFields},
                "0123456789abcdefghij");
  read_back(read);
  ASSERT_EQ(read.mappings.size(), 1u);
  EXPECT_EQ(bytes::text_in(read.mappings[0].build_id), "0123456789abcdefghij");
  EXPECT_EQ(read.mappings[0].pid, ~u32{0});
  EXPECT_EQ(read.mappings[0].address, 0xffffffff81000000u);
  EXPECT_EQ(read.mappings[0].length, 0x120bb08u);
  EXPECT_EQ(read.mappings[0].page_offset, 0xffffffff81000000u);
  EXPECT_EQ(read.mappings[0].file, "[kernel.kallsyms]_text");
}

TEST(MadeUpRecords, HiddenKernelHasNoRecord) {
  std::string bytes;
  append_kernel(bytes, "0000000000000000 T _text\n0000000000000000 T _stext\n", "00000000-00000000 : Kernel code\n",
                {});
  EXPECT_TRUE(bytes.empty());
}

TEST(MadeUpRecords, ModulesOfTheKernel) {
  Read read;
  append_kernel_modules(read.bytes,
                        "ext4 1081344 1 - Live 0xffffffffc0500000\nusb 16384 0 - Live 0x0000000000000000\n"
                        "crc 8192 2 ext4,usb, Live 0xffffffffc0400000 (OE)\nbroken\n",
                        {.sample_type = kFields});
  read_back(read);
  ASSERT_EQ(read.mappings.size(), 2u) << "hidden ones are left out";
  EXPECT_EQ(read.mappings[0].file, "[ext4]");
  EXPECT_EQ(read.mappings[0].address, 0xffffffffc0500000u);
  EXPECT_EQ(read.mappings[0].length, 1081344u);
  EXPECT_EQ(read.mappings[1].file, "[crc]");
}

std::string note(std::string_view name, u32 kind, std::string_view bytes) {
  std::string out;
  const u32 head[] = {static_cast<u32>(name.size()), static_cast<u32>(bytes.size()), kind};
  out.append(reinterpret_cast<const char*>(head), sizeof head);
  out.append(name).resize((out.size() + 3) & ~usize{3});
  out.append(bytes).resize((out.size() + 3) & ~usize{3});
  return out;
}

TEST(MadeUpRecords, BuildIdsInNotes) {
  const std::string gnu("GNU\0", 4);
  const std::string notes =
      note("Xen", 6, "abcde") + note(gnu, 1, "0123456789abcdef") + note(gnu, 3, "ID-OF-20-BYTES-HERE!");
  EXPECT_EQ(build_id_in_notes(notes), "ID-OF-20-BYTES-HERE!");
  for (usize length = 0; length < notes.size(); ++length) {
    EXPECT_EQ(build_id_in_notes(std::string_view(notes).substr(0, length)), "") << "cut at " << length;
  }
  EXPECT_EQ(build_id_in_notes(note(gnu, 3, "an id that is longer than any")), "");
  std::string endless = notes;
  endless.replace(0, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(build_id_in_notes(endless), "");
}

TEST(MadeUpRecords, BuildIdsInElfFiles) {
  const std::string notes = note(std::string("GNU\0", 4), 3, "ID-OF-20-BYTES-HERE!");
  std::string elf(
      "\x7f"
      "ELF\x02\x01",
      6);
  elf.resize(64 + 56);
  const auto put = [&](usize at, u64 value, usize width) {
    elf.replace(at, width, reinterpret_cast<const char*>(&value), width);
  };
  put(32, 64, 8);
  put(54, 56, 2);
  put(56, 1, 2);
  put(64, 4, 4);
  put(64 + 8, elf.size(), 8);
  put(64 + 32, notes.size(), 8);
  const std::string whole = elf + notes;
  EXPECT_EQ(build_id_in_elf(whole), "ID-OF-20-BYTES-HERE!");
  for (usize length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(build_id_in_elf(std::string_view(whole).substr(0, length)), "") << "cut at " << length;
  }
  put(64 + 8, ~u64{0}, 8);
  EXPECT_EQ(build_id_in_elf(elf + notes), "");
}

}  // namespace
}  // namespace wperf::perf_events
