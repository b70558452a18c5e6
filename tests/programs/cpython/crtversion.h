// SPDX-License-Identifier: BSD-3-Clause
// Replaces a header of Microsoft's C runtime.
#pragma once
#define _VC_CRT_MAJOR_VERSION 14
#define _VC_CRT_MINOR_VERSION 40
#define _VC_CRT_BUILD_VERSION 0
#define _VC_CRT_RBUILD_VERSION 0
