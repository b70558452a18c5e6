// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/kernel_modules.h"

#include <algorithm>

namespace wperf::modules {
namespace {

// The kernel's own name for the module of a mapping, "[ath9k]", or its file, "/lib/modules/…/snd-pcm.ko.xz". Modules of
// Windows have the names of their files. Empty if the mapping is not a module.
std::string module_name(std::string_view path) {
  if (path.starts_with("[kernel") || path.starts_with("[guest")) return {};
  if (path.starts_with('[') && path.ends_with(']')) return std::string(path.substr(1, path.size() - 2));
  if (path.starts_with("bpf_")) return "bpf";
  if (path.find('\\') != std::string_view::npos) return std::string(path.substr(path.rfind('\\') + 1));
  const size_t end = path.rfind(".ko");
  if (end == std::string_view::npos || (end + 3 != path.size() && path[end + 3] != '.')) return {};
  const size_t begin = path.substr(0, end).rfind('/') + 1;  // npos + 1: 0
  std::string name(path.substr(begin, end - begin));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

KernelModules::KernelModules(std::span<const perf_data::KernelRange> ranges) {
  for (const perf_data::KernelRange& range : ranges) {
    std::string name = module_name(range.path);
    if (!name.empty()) modules_.push_back({range.begin, range.end, std::move(name)});
  }
}

std::string_view KernelModules::name_at(u64 address) const {
  const auto behind = std::upper_bound(modules_.begin(), modules_.end(), address,
                                       [](u64 wanted, const Module& one) { return wanted < one.begin; });
  if (behind == modules_.begin() || address >= std::prev(behind)->end) return {};
  return std::prev(behind)->name;
}

}  // namespace wperf::modules
