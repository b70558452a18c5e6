// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/machine_facts.h"

#include <algorithm>
#include <array>

namespace wperf::os {
namespace {

// "Virtual" also covers Hyper-V and Azure ("Virtual Machine"), VirtualBox and Apple's framework.
constexpr std::array<std::string_view, 11> kNames = {
    "Virtual", "VMware", "Parallels", "Google Compute Engine", "Alibaba Cloud ECS", "OpenStack", "Droplet", "HVM domU",
    "Xen",     "KVM",    "QEMU"};
constexpr std::string_view kAmazon = "Amazon EC2", kWholeMachine = ".metal";  // instances without a hypervisor

}  // namespace

bool is_virtual_machine(std::string_view maker_and_product) {
  const auto has = [&](std::string_view name) { return maker_and_product.find(name) != std::string_view::npos; };
  return std::ranges::any_of(kNames, has) || (has(kAmazon) && !has(kWholeMachine));
}

}  // namespace wperf::os
