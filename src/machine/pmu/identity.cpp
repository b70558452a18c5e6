// SPDX-License-Identifier: BSD-3-Clause
// The vendor and the product of a core: the fields of MIDR_EL1 (Arm ARM).
#include <algorithm>
#include <iterator>
#include <tuple>

#include "machine/pmu/catalogue.h"
#include "machine/pmu/tables.h"

namespace wperf::pmu {
namespace {

u16 implementer_of(u64 midr) {
  return static_cast<u16>(midr >> 24 & 0xff);
}
u16 part_of(u64 midr) {
  return static_cast<u16>(midr >> 4 & 0xfff);
}
// r3p1 is 0x31.
u16 revision_of(u64 midr) {
  return static_cast<u16>((midr >> 20 & 0xf) << 4 | (midr & 0xf));
}

}  // namespace

Product identify(u64 midr) {
  const auto key_of = [](const tables::IdentityRow& row) {
    return std::tuple(row.implementer, row.part, row.from_revision);
  };
  const std::tuple wanted(implementer_of(midr), part_of(midr), revision_of(midr));
  const tables::IdentityRow* first = tables::kIdentities;
  const tables::IdentityRow* after =
      std::upper_bound(first, first + tables::kIdentityCount, wanted,
                       [&](const auto& key, const tables::IdentityRow& row) { return key < key_of(row); });
  if (after == first) return architectural();
  const tables::IdentityRow& row = after[-1];  // the newest listed revision up to this core's revision
  if (row.implementer != implementer_of(midr) || row.part != part_of(midr)) return architectural();
  return Product(row.product);
}

std::string_view spe_version_name(u64 id_aa64dfr0) {
  static constexpr std::string_view kNames[] = {"not implemented", "FEAT_SPE",     "FEAT_SPEv1p1",
                                                "FEAT_SPEv1p2",    "FEAT_SPEv1p3", "FEAT_SPEv1p4"};
  const u64 version = id_aa64dfr0 >> 32 & 0xf;
  return version < std::size(kNames) ? kNames[version] : "unknown SPE configuration!";
}

std::string_view vendor_name(u64 midr) {
  switch (implementer_of(midr)) {
    case 0x41:
      return "Arm Limited";
    case 0x42:
      return "Broadcomm Corporation";  // sic: scripts compare it
    case 0x43:
      return "Cavium Inc";
    case 0x44:
      return "Digital Equipment Corporation";
    case 0x46:
      return "Fujitsu Ltd";
    case 0x49:
      return "Infineon Technologies AG";
    case 0x4d:
      return "Motorola or Freescale Semiconductor Inc";
    case 0x4e:
      return "NVIDIA Corporation";
    case 0x50:
      return "Applied Micro Circuits Corporation";
    case 0x51:
      return "Qualcomm Inc";
    case 0x56:
      return "Marvell International Ltd";
    case 0x69:
      return "Intel Corporation";
    case 0x6d:
      return "Microsoft Corporation";
    case 0xc0:
      return "Ampere Computing";
    default:
      return "Unknown Vendor";
  }
}

}  // namespace wperf::pmu
