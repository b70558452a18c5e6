// SPDX-License-Identifier: BSD-3-Clause
// Data sources: the place that provided the data of a load. Each core family uses its own numbers in data source
// packets. data/spe has the published numbers; tools/gen_spe_sources.py generates the tables from them.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"

namespace wperf::spe {

// From near to far, which is the order in reports.
enum class DataLevel : u8 {
  l1,
  l2,
  cluster,       // shared by the cores of one cluster
  peer_core,     // the cache of another core
  peer_cluster,  // a cache of another cluster
  system_cache,
  dram,
  remote,       // a cache of another socket
  remote_dram,  // memory of another socket
  device,       // a device, or memory that is not cached
  unknown,
};
inline constexpr usize kDataLevelCount = 11;

std::string_view name_of(DataLevel level);  // "l1", "peer-core"

struct DataSource {
  u64 value = 0;
  std::string_view name;  // "l2"
  std::string_view text;  // "level 2 cache"
  DataLevel level = DataLevel::unknown;
  bool modified = false;  // the line had been modified in another cache
};

struct DataSourceFamily {
  std::string_view name;                // "arm-common"
  std::string_view title;               // "Arm Neoverse and Cortex"
  std::span<const DataSource> sources;  // ascending by value

  const DataSource* find(u64 value) const;  // null: not published
};

// Looked up by implementer and part number in MIDR_EL1; null if the core is unknown.
const DataSourceFamily* find_data_source_family(u64 midr);
std::span<const DataSourceFamily> data_source_families();

// The name, or the number if there is no name: "l2", "source-0x1f". `family` may be null.
std::string data_source_name(const DataSourceFamily* family, u64 value);

// The rows of the generated table.
struct DataSourceCore {
  u32 implementer, part, family;
};
extern const std::span<const DataSourceFamily> kDataSourceFamilies;
extern const std::span<const DataSourceCore> kDataSourceCores;  // ascending

}  // namespace wperf::spe
