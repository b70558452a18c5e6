/* SPDX-License-Identifier: BSD-3-Clause
 * The names by which tool, installer and Windows kernel driver find each other, and the form of a driver status in an
 * I/O request. */
#ifndef WPERF_ABI_DEVICE_INTERFACE_H
#define WPERF_ABI_DEVICE_INTERFACE_H

#include "abi/status.h"

/* {B90F1AC6-75B2-4B1E-9E67-C148D77903E0}: initialises a GUID. */
#define WPERF_INTERFACE_GUID {0xB90F1AC6u, 0x75B2u, 0x4B1Eu, {0x9E, 0x67, 0xC1, 0x48, 0xD7, 0x79, 0x03, 0xE0}}
#define WPERF_HARDWARE_ID "Root\\WPERFDRV" /* the hardware ID of the root-enumerated device */
#define WPERF_SERVICE_NAME "WPERFDRV"
/* The setup class in wperf-driver.inf, by which the driver is recognised. */
#define WPERF_SETUP_CLASS "{563D4287-18A1-498A-9D89-14A956BCAC6C}"
/* Clients written for Arm's WindowsPerf search the list of drivers for WPERFDRIVER; driverquery shows 22 characters. */
#define WPERF_SERVICE_TITLE "WPERFDRIVER of wperf"
#define WPERF_DRIVER_FILE "wperf-driver.sys" /* in the archive and in the driver store */
/* The file of a plain service, in the drivers folder of Windows, which all drivers share. */
#define WPERF_PLAIN_DRIVER_FILE "wperfdrv.sys"
/* Started as a plain service (without its device) the driver has this name instead of the interface. */
#define WPERF_DEVICE_NAME "\\Device\\WPERFDRV"
#define WPERF_DEVICE_LINK "\\DosDevices\\WPERFDRV"
#define WPERF_DEVICE_PATH "\\\\.\\WPERFDRV" /* the same, as a program opens it */

/* A refused request ends with this NTSTATUS: severity error and the customer bit, which the system passes through
   GetLastError() unchanged; 0x0057 marks it as a status of this driver. */
#define WPERF_NT_STATUS(status) (0xE0570000u | (status))
#define WPERF_IS_NT_STATUS(code) (((code) & 0xFFFF0000u) == 0xE0570000u)
#define WPERF_STATUS_OF_NT(code) ((WperfStatus)((code) & 0xFFFFu))

/* The driver of Arm's WindowsPerf, which may be installed at the same time: it has another protocol and another device
   name, but its files have the same names. */
#define WINDOWSPERF_INTERFACE_GUID {0xF8047FDDu, 0x7083u, 0x4C2Eu, {0x90, 0xEF, 0xC0, 0xC7, 0x3F, 0x10, 0x45, 0xFD}}
#define WINDOWSPERF_HARDWARE_ID "Root\\WPERFDRIVER"
#define WINDOWSPERF_SERVICE_NAME "WPERFDRIVER"

#endif
