// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/simulated_products.h"

namespace wperf::sim {
namespace {

// MIDR_EL1: implementer 31:24, variant 23:20, architecture 19:16 (0xf = by feature registers), part 15:4, revision 3:0.
constexpr u64 midr(u32 implementer, u32 part, u32 variant, u32 revision) {
  return u64{implementer} << 24 | u64{variant} << 20 | u64{0xf} << 16 | u64{part} << 4 | revision;
}
constexpr u32 kArm = 0x41, kQualcomm = 0x51, kMicrosoft = 0x6d, kAmpere = 0xc0;
// PMUVer and PMSVer by architecture: Armv8.2, 8.4, 9.0, 9.2, 9.3.
constexpr u32 kPmuV82 = 4, kPmuV84 = 5, kPmuV90 = 6, kPmuV92 = 7, kPmuV93 = 8;
constexpr u32 kNoSpe = 0, kSpe10 = 1, kSpe11 = 2, kSpe12 = 3;

constexpr Product kProducts[] = {
    {"ampereone", midr(kAmpere, 0xac3, 0, 0), 6, kPmuV90, kNoSpe, 16, 64, 2048, 48, 2048, 5},
    {"ampereonex", midr(kAmpere, 0xac4, 0, 0), 6, kPmuV90, kNoSpe, 16, 64, 2048, 48, 2048, 5},
    {"azure-cobalt-100", midr(kMicrosoft, 0xd49, 0, 0), 6, kPmuV90, kSpe11, 64, 64, 1024, 48, 1280, 5},
    {"c1-nano", midr(kArm, 0xd8a, 0, 0), 20, kPmuV93, kSpe12, 32, 32, 256, 16, 512, 3},
    {"c1-premium", midr(kArm, 0xd90, 0, 0), 31, kPmuV93, kSpe12, 64, 64, 1024, 96, 2048, 10},
    {"c1-pro", midr(kArm, 0xd8b, 0, 0), 31, kPmuV93, kSpe12, 64, 64, 512, 48, 1536, 5},
    {"c1-ultra", midr(kArm, 0xd8c, 0, 0), 31, kPmuV93, kSpe12, 64, 128, 2048, 96, 2048, 10},
    {"cortex-a510", midr(kArm, 0xd46, 1, 1), 6, kPmuV90, kNoSpe, 32, 32, 256, 16, 512, 3},
    {"cortex-a520", midr(kArm, 0xd80, 0, 1), 6, kPmuV92, kNoSpe, 32, 32, 256, 16, 512, 3},
    {"cortex-a55", midr(kArm, 0xd05, 2, 0), 6, kPmuV82, kNoSpe, 32, 32, 128, 16, 1024, 2},
    {"cortex-a710", midr(kArm, 0xd47, 2, 0), 6, kPmuV90, kNoSpe, 64, 64, 512, 48, 1024, 5},
    {"cortex-a715", midr(kArm, 0xd4d, 1, 0), 6, kPmuV90, kSpe12, 64, 64, 512, 48, 1536, 5},
    {"cortex-a720", midr(kArm, 0xd81, 0, 1), 6, kPmuV92, kSpe12, 64, 64, 512, 48, 1536, 5},
    {"cortex-a725", midr(kArm, 0xd87, 0, 1), 6, kPmuV92, kSpe12, 64, 64, 512, 48, 1536, 5},
    {"cortex-a76", midr(kArm, 0xd0b, 4, 0), 6, kPmuV82, kNoSpe, 64, 64, 512, 48, 1280, 4},
    {"cortex-a77", midr(kArm, 0xd0d, 1, 1), 6, kPmuV82, kNoSpe, 64, 64, 512, 48, 1280, 6},
    {"cortex-a78", midr(kArm, 0xd41, 1, 1), 6, kPmuV82, kSpe11, 64, 64, 512, 32, 1024, 6},
    {"cortex-a78c", midr(kArm, 0xd4b, 0, 0), 6, kPmuV82, kSpe11, 64, 64, 512, 32, 1024, 6},
    {"cortex-x1", midr(kArm, 0xd44, 1, 1), 6, kPmuV82, kSpe11, 64, 64, 1024, 48, 2048, 8},
    {"cortex-x1c", midr(kArm, 0xd4c, 0, 0), 6, kPmuV82, kSpe11, 64, 64, 1024, 48, 2048, 8},
    {"cortex-x2", midr(kArm, 0xd48, 2, 0), 6, kPmuV90, kNoSpe, 64, 64, 1024, 48, 2048, 8},
    {"cortex-x3", midr(kArm, 0xd4e, 1, 0), 6, kPmuV90, kSpe12, 64, 64, 1024, 48, 2048, 8},
    {"cortex-x4", midr(kArm, 0xd82, 0, 1), 6, kPmuV92, kSpe12, 64, 64, 2048, 96, 2048, 10},
    {"cortex-x925", midr(kArm, 0xd85, 0, 1), 6, kPmuV92, kSpe12, 64, 64, 2048, 96, 2048, 10},
    {"neoverse-e1", midr(kArm, 0xd4a, 0, 0), 6, kPmuV82, kNoSpe, 32, 32, 256, 32, 1024, 2},
    {"neoverse-n1", midr(kArm, 0xd0c, 4, 1), 6, kPmuV82, kSpe10, 64, 64, 1024, 48, 1280, 4},
    {"neoverse-n2", midr(kArm, 0xd49, 0, 0), 6, kPmuV90, kSpe11, 64, 64, 1024, 48, 1280, 5},
    {"neoverse-n2-r0p0", midr(kArm, 0xd49, 0, 0), 6, kPmuV90, kSpe11, 64, 64, 1024, 48, 1280, 5},
    {"neoverse-n2-r0p1", midr(kArm, 0xd49, 0, 1), 6, kPmuV90, kSpe11, 64, 64, 1024, 48, 1280, 5},
    {"neoverse-n2-r0p3", midr(kArm, 0xd49, 0, 3), 6, kPmuV90, kSpe11, 64, 64, 1024, 48, 1280, 5},
    {"neoverse-n3", midr(kArm, 0xd8e, 0, 0), 6, kPmuV92, kSpe12, 64, 64, 1024, 48, 2048, 5},
    {"neoverse-v1", midr(kArm, 0xd40, 1, 1), 6, kPmuV84, kSpe11, 64, 64, 1024, 48, 2048, 8},
    {"neoverse-v2", midr(kArm, 0xd4f, 0, 0), 6, kPmuV90, kSpe11, 64, 64, 2048, 48, 2048, 8},
    {"neoverse-v3", midr(kArm, 0xd84, 0, 0), 6, kPmuV92, kSpe12, 64, 64, 2048, 96, 2048, 10},
    {"qualcomm-oryon", midr(kQualcomm, 0x001, 1, 1), 6, kPmuV92, kNoSpe, 192, 96, 12288, 224, 8192, 8},
};

}  // namespace

const Product* find_product(std::string_view name) {
  for (const Product& product : kProducts)
    if (product.name == name) return &product;
  return nullptr;
}

std::vector<std::string_view> product_names() {
  std::vector<std::string_view> names;
  for (const Product& product : kProducts) names.push_back(product.name);
  return names;
}

}  // namespace wperf::sim
