// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/pe_image.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/nt/image_file.h"

namespace wperf::sim {
namespace {

std::vector<std::byte> workload_bytes(const std::string& name) {
  nt::ImageFile file;
  LoadError error;
  EXPECT_TRUE(nt::read_image_file(std::string(WPERF_WORKLOADS_DIR) + "/" + name, file, error)) << error.text;
  return file.bytes;
}

void patch(std::vector<std::byte>& bytes, usize offset, u16 value) {
  bytes.at(offset) = static_cast<std::byte>(value & 0xff);
  bytes.at(offset + 1) = static_cast<std::byte>(value >> 8);
}

usize pe_offset(const std::vector<std::byte>& bytes) {
  return std::to_integer<usize>(bytes.at(0x3c)) | std::to_integer<usize>(bytes.at(0x3d)) << 8;
}

constexpr usize kOptional = 24;  // after the PE signature and the COFF header
constexpr usize kDirectories = kOptional + 112;

std::string why(const std::vector<std::byte>& bytes) {
  PeImage image;
  return parse_pe(bytes, image);
}

TEST(PeImage, reads_a_program) {
  PeImage image;
  ASSERT_EQ(parse_pe(workload_bytes("googolplex.exe"), image), "");
  EXPECT_FALSE(image.is_dll);
  EXPECT_TRUE(image.relocatable);
  EXPECT_EQ(image.preferred_base, 0x140000000u);
  EXPECT_TRUE(image.needs_loader);
  const auto text = std::find_if(image.sections.begin(), image.sections.end(),
                                 [](const PeSection& section) { return section.name == ".text"; });
  ASSERT_NE(text, image.sections.end());
  EXPECT_EQ(text->permissions, u32{kRead | kExecute});
  EXPECT_GE(image.entry_rva, text->rva);
}

TEST(PeImage, reads_exports_and_relocations_of_a_dll) {
  PeImage image;
  ASSERT_EQ(parse_pe(workload_bytes("probe.dll"), image), "");
  EXPECT_TRUE(image.is_dll);
  EXPECT_EQ(image.relocation_rvas.size(), 7u);
  ASSERT_EQ(image.exports.size(), 8u);
  EXPECT_EQ(image.exports[0].name, "");
  const auto forward = std::find_if(image.exports.begin(), image.exports.end(),
                                    [](const PeExport& entry) { return entry.name == "probe_remainder"; });
  ASSERT_NE(forward, image.exports.end());
  EXPECT_EQ(forward->rva, 0u);
  const auto longest = std::ranges::max_element(image.exports, {}, [](const PeExport& one) { return one.name.size(); });
  EXPECT_EQ(longest->name.size(), 1010u);  // names of C++ functions may be so long
}

TEST(PeImage, knows_programs_that_need_no_loader) {
  PeImage image;
  ASSERT_EQ(parse_pe(workload_bytes("exact_1k.exe"), image), "");
  EXPECT_FALSE(image.needs_loader);
}

TEST(PeImage, names_what_is_not_a_program_for_this_machine) {
  EXPECT_EQ(why({}), "is not a Windows program");
  EXPECT_EQ(why(std::vector<std::byte>(100, std::byte{'x'})), "is not a Windows program");

  auto bytes = workload_bytes("fib.exe");
  const usize pe = pe_offset(bytes);
  bytes[pe] = std::byte{'N'};
  EXPECT_EQ(why(bytes), "is not a Windows program (it has an MZ header, but no PE header)");
  bytes[pe] = std::byte{'P'};

  patch(bytes, pe + 4, 0x8664);
  EXPECT_EQ(why(bytes), "is an x64 program; the simulated machine runs ARM64 programs");
  patch(bytes, pe + 4, 0x014c);
  EXPECT_EQ(why(bytes), "is an x86 program; the simulated machine runs ARM64 programs");
  patch(bytes, pe + 4, 0x01c4);
  EXPECT_EQ(why(bytes), "is a 32-bit Arm program; the simulated machine runs ARM64 programs");
  patch(bytes, pe + 4, 0x1234);
  EXPECT_EQ(why(bytes), "is for an unknown machine; the simulated machine runs ARM64 programs");
}

TEST(PeImage, tells_arm64ec_from_x64) {
  auto bytes = workload_bytes("fib.exe");
  const usize pe = pe_offset(bytes);
  patch(bytes, pe + 4, 0x8664);
  // Data inside .text, which is not zero, serves as a load configuration with a CHPE pointer.
  patch(bytes, pe + kDirectories + 10 * 8, 0x1000);
  patch(bytes, pe + kDirectories + 10 * 8 + 4, 0x140);
  EXPECT_EQ(why(bytes), "is an ARM64EC program; the simulated machine runs plain ARM64 programs");
}

TEST(PeImage, refuses_drivers_and_managed_programs) {
  auto bytes = workload_bytes("fib.exe");
  const usize pe = pe_offset(bytes);
  patch(bytes, pe + kOptional + 68, 1);
  EXPECT_EQ(why(bytes), "is a driver or boot program; the simulated machine runs ordinary programs");
  patch(bytes, pe + kOptional + 68, 3);
  patch(bytes, pe + kDirectories + 14 * 8, 0x1000);
  EXPECT_EQ(why(bytes), "is a .NET program; the simulated machine runs native ARM64 programs");
}

TEST(PeImage, refuses_sums_that_do_not_fit) {
  const auto good = workload_bytes("probe.dll");
  const usize pe = pe_offset(good);
  const usize sections = pe + kOptional + 240;

  auto bytes = good;
  patch(bytes, sections + 22, 0xffff);  // high half of the first section's file offset
  EXPECT_EQ(why(bytes), "is damaged or truncated: section .text extends past the end of the file");

  bytes = good;
  patch(bytes, sections + 40 + 12, 0x1000);  // the second section at the first one's address
  EXPECT_EQ(why(bytes), "is damaged: section .rdata does not fit into the image");

  bytes = good;
  patch(bytes, pe + kOptional + 32, 0x200);  // section alignment
  EXPECT_EQ(why(bytes), "has sections that are not aligned to pages, which the simulator does not support");

  bytes = good;
  patch(bytes, pe + kOptional + 16, 0x2000);  // entry point in .rdata
  EXPECT_EQ(why(bytes), "is damaged: its entry point is outside its code");

  bytes = good;
  patch(bytes, pe + kDirectories + 5 * 8, 0x1000);  // relocations that are code
  EXPECT_EQ(why(bytes).rfind("is damaged: its relocations are invalid", 0), 0u) << why(bytes);
}

TEST(PeImage, every_truncation_is_an_error) {
  for (const char* name : {"googolplex.exe", "probe.exe", "probe.dll", "bignum.dll"}) {
    const auto bytes = workload_bytes(name);
    PeImage image;
    // The last section ends in zero padding up to the file alignment, which is not needed although the sizes include
    // it.
    for (usize size = 0; size < bytes.size(); size += 64) {
      EXPECT_NE(parse_pe(std::span(bytes).first(size), image), "") << name << " cut to " << size;
    }
  }
}

}  // namespace
}  // namespace wperf::sim
