// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/machine_facts.h"

#include <gtest/gtest.h>

namespace wperf::os {
namespace {

TEST(VirtualMachines, AreKnownByTheirFirmware) {
  for (const char* model : {"Microsoft Corporation Virtual Machine", "VMware, Inc. VMware20,1",
                            "Parallels International GmbH. Parallels ARM Virtual Machine", "Parallels",
                            "Apple Inc. Apple Virtualization Generic Platform", "innotek GmbH VirtualBox",
                            "Google Google Compute Engine", "Amazon EC2 m7g.large", "Alibaba Cloud Alibaba Cloud ECS",
                            "OpenStack Foundation OpenStack Nova", "RDO OpenStack Compute", "DigitalOcean Droplet",
                            "Xen HVM domU", "Red Hat KVM", "KVM", "QEMU QEMU Virtual Machine", "QEMU"}) {
    EXPECT_TRUE(is_virtual_machine(model)) << model;
  }
}

TEST(VirtualMachines, MachinesThemselvesAreNone) {
  for (const char* model : {"", "Microsoft Corporation Surface Pro, 11th Edition", "LENOVO 21BX",
                            "Qualcomm Snapdragon-Devkit", "Ampere(R) Altra Developer Platform", "Amazon EC2 c7g.metal",
                            "Amazon EC2 c8g.metal-48xl", "Google Pixelbook", "Alibaba"}) {
    EXPECT_FALSE(is_virtual_machine(model)) << model;
  }
}

}  // namespace

namespace {

TEST(HostName, IsOneWord) {
  const std::string name = host_name();
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(name.find_first_of(" \n\t"), std::string::npos) << name;
  EXPECT_EQ(name.find('\0'), std::string::npos) << "its end is no part of it";
}

}  // namespace
}  // namespace wperf::os
