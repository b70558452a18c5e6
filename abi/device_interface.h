/* SPDX-License-Identifier: BSD-3-Clause
 * How tool, installer and Windows kernel driver find each other, and how a status of ours travels through an
 * I/O request. */
#ifndef WPERF_ABI_DEVICE_INTERFACE_H
#define WPERF_ABI_DEVICE_INTERFACE_H

#include "abi/status.h"

/* {F8047FDD-7083-4C2E-90EF-C0C73F1045FD}: initialises a GUID. */
#define WPERF_INTERFACE_GUID {0xF8047FDDu, 0x7083u, 0x4C2Eu, {0x90, 0xEF, 0xC0, 0xC7, 0x3F, 0x10, 0x45, 0xFD}}
#define WPERF_HARDWARE_ID "Root\\WPERFDRIVER" /* of the root-enumerated device */
#define WPERF_SERVICE_NAME "WPERFDRIVER"
/* Started as a plain service (without its device) the driver has this name instead of the interface. */
#define WPERF_DEVICE_NAME "\\Device\\WPERFDRIVER"
#define WPERF_DEVICE_LINK "\\DosDevices\\WPERFDRIVER"
#define WPERF_DEVICE_PATH "\\\\.\\WPERFDRIVER" /* the same, as a program opens it */

/* A refused request ends with this NTSTATUS: severity error and the customer bit, which the system passes through
   GetLastError() unchanged; 0x0057 marks it as ours. */
#define WPERF_NT_STATUS(status) (0xE0570000u | (status))
#define WPERF_IS_NT_STATUS(code) (((code) & 0xFFFF0000u) == 0xE0570000u)
#define WPERF_STATUS_OF_NT(code) ((WperfStatus)((code) & 0xFFFFu))

#endif
