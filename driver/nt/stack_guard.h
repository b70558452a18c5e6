// SPDX-License-Identifier: BSD-3-Clause
// Stack protection without a C runtime: functions with arrays compare a secret before they return. Any IRQL.
#pragma once

extern "C" {
// The image's entry: chooses the secret, then continues with DriverEntry.
int driver_entry_with_guard(void* driver, void* registry_path);
}
