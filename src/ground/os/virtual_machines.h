// SPDX-License-Identifier: BSD-3-Clause
// Is this computer a virtual machine, by what its firmware calls it (SMBIOS, maker and product)? Windows' own answer to
// whether a hypervisor runs is no help: it runs above its own one on the machine itself, too. Called by devices and
// `wperf doctor`. Pure.
#pragma once
#include <string_view>

namespace wperf::os {

// "QEMU Virtual Machine", "Amazon EC2 m7g.large".
bool is_virtual_machine(std::string_view maker_and_product);

}  // namespace wperf::os
