// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/data_sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"

namespace wperf::spe {

namespace {

constexpr std::string_view kLevelNames[kDataLevelCount] = {"l1",           "l2",           "cluster", "peer-core",
                                                           "peer-cluster", "system-cache", "dram",    "remote",
                                                           "remote-dram",  "device",       "unknown"};

}  // namespace

std::string_view name_of(DataLevel level) {
  return kLevelNames[static_cast<usize>(level)];
}

const DataSource* DataSourceFamily::find(u64 value) const {
  const auto found = std::ranges::lower_bound(sources, value, {}, &DataSource::value);
  return found != sources.end() && found->value == value ? &*found : nullptr;
}

const DataSourceFamily* find_data_source_family(u64 midr) {
  const u64 implementer = bit_field(midr, 24, 8);
  const u64 part = bit_field(midr, 4, 12);
  for (const DataSourceCore& core : kDataSourceCores) {
    if (core.implementer == implementer && core.part == part) return &kDataSourceFamilies[core.family];
  }
  return nullptr;
}

std::span<const DataSourceFamily> data_source_families() {
  return kDataSourceFamilies;
}

std::string data_source_name(const DataSourceFamily* family, u64 value) {
  const DataSource* const source = family != nullptr ? family->find(value) : nullptr;
  return source != nullptr ? std::string(source->name) : fmt::format("source-{:#x}", value);
}

}  // namespace wperf::spe
