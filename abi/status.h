/* SPDX-License-Identifier: BSD-3-Clause
 * The status codes in a driver's answer. Values are part of the wire: append, never renumber. */
#ifndef WPERF_ABI_STATUS_H
#define WPERF_ABI_STATUS_H

#include "abi/int_types.h"

typedef wperf_u32 WperfStatus;

enum {
  WPERF_OK = 0,
  WPERF_UNKNOWN_CODE = 1, /* no such request */
  WPERF_BAD_SIZE = 2,     /* input or output buffer too short or too long */
  WPERF_BAD_VERSION = 3,  /* header size or version not of this wire */
  WPERF_BAD_ARGUMENT = 4, /* a field is out of its range */
  WPERF_LOCK_BUSY = 5,    /* another client holds the driver */
  WPERF_LOCK_LOST = 6,    /* the caller held the driver; another client took it by force */
  WPERF_LOCK_NEEDED = 7,  /* the request needs the lock and the caller never had it */
  WPERF_WRONG_STATE = 8,  /* e.g. start before configure */
  WPERF_NO_COUNTERS = 9,  /* fewer free hardware counters than the request needs */
  WPERF_NO_MEMORY = 10,
  WPERF_NOT_SUPPORTED = 11, /* the hardware lacks it */
  WPERF_ACCESS_DENIED = 12,
  WPERF_HARDWARE_FAILED = 13, /* a call into the machine failed */
  WPERF_PROFILING_BUSY = 14,  /* another driver profiles with the SPE of a chosen core */
  WPERF_NO_INTERRUPT = 15     /* the system does not give the driver the overflow interrupt: no sampling by counters */
};

#endif
