// SPDX-License-Identifier: BSD-3-Clause
// The registry. It is empty: programs get the answers for a key that does not exist or may not be created.
#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

u64 no_key(Call&) {
  return kObjectNameNotFound;
}
u64 denied(Call&) {
  return kAccessDenied;
}
u64 bad_handle(Call&) {
  return kInvalidHandle;
}

constexpr Service kRegistry[] = {
    {"NtOpenKey", no_key},
    {"NtOpenKeyEx", no_key},
    {"NtCreateKey", denied},
    {"NtQueryKey", bad_handle},
    {"NtQueryValueKey", bad_handle},
    {"NtEnumerateKey", bad_handle},
    {"NtEnumerateValueKey", bad_handle},
    {"NtSetValueKey", bad_handle},
    {"NtDeleteKey", bad_handle},
    {"NtDeleteValueKey", bad_handle},
    {"NtNotifyChangeKey", bad_handle},
};

}  // namespace

std::span<const Service> registry_services() {
  return kRegistry;
}

}  // namespace wperf::sim::nt
