// SPDX-License-Identifier: BSD-3-Clause
#include "sim/tracing/simulated_leaves_linux.h"

namespace wperf::etw::fake {

bool SimulatedLeaves::link_is_caller(const std::vector<readings::Module>& modules, u64 pc) {
  for (const readings::Module& module : modules) {
    if (pc < module.base || pc - module.base >= module.size || module.path.empty()) continue;
    const auto [entry, is_new] = images_.try_emplace(module.path);
    Image& image = entry->second;
    if (is_new) {
      if (auto file = os::MappedFile::open(module.path); file.has_value()) image.file = std::move(file).value();
      if (image.file.has_value()) {
        if (auto parsed = symbols::PeFile::parse(image.file->bytes()); parsed.has_value())
          image.parsed = std::move(parsed).value();
      }
    }
    if (!image.parsed.has_value()) return false;
    return image.parsed->caller_place({static_cast<u32>(pc - module.base)}) == code::CallerPlace::link_register;
  }
  return false;
}

}  // namespace wperf::etw::fake
