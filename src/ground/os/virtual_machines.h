// SPDX-License-Identifier: BSD-3-Clause
// Is this computer a virtual machine, by the names in its firmware (SMBIOS, maker and product)? Windows' own answer to
// whether a hypervisor runs does not help: Windows runs above its own hypervisor on real machines, too. Pure.
#pragma once
#include <string_view>

namespace wperf::os {

// "QEMU Virtual Machine", "Amazon EC2 m7g.large".
bool is_virtual_machine(std::string_view maker_and_product);

}  // namespace wperf::os
