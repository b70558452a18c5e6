// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/on_windows_win.h"

#include <windows.h>

namespace wperf::windows {
namespace {

// Modern Standby respects the first request. The second request ends when the lid is closed, but older machines support
// only this one.
constexpr POWER_REQUEST_TYPE kKept[] = {PowerRequestExecutionRequired, PowerRequestSystemRequired};

}  // namespace

AwakeRequest::AwakeRequest() : request_(nullptr) {
  wchar_t reason[] = L"wperf is measuring: in sleep the counters of the cores are lost";
  REASON_CONTEXT context{};
  context.Version = POWER_REQUEST_CONTEXT_VERSION;
  context.Flags = POWER_REQUEST_CONTEXT_SIMPLE_STRING;
  context.Reason.SimpleReasonString = reason;
  void* const made = PowerCreateRequest(&context);
  if (made == INVALID_HANDLE_VALUE) return;
  request_ = made;
  for (const POWER_REQUEST_TYPE type : kKept) PowerSetRequest(request_, type);
}

AwakeRequest::~AwakeRequest() {
  if (request_ != nullptr) CloseHandle(request_);  // ends the requests
}

}  // namespace wperf::windows
