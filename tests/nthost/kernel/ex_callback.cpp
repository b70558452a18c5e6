// SPDX-License-Identifier: BSD-3-Clause
// The callback object \Callback\PowerState: ExCreateCallback, ExRegisterCallback, ExUnregisterCallback. Routines are
// called at DISPATCH_LEVEL, the highest level that Microsoft's page allows.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"

namespace wperf::nthost {
namespace {

constexpr WCHAR kName[] = L"\\Callback\\PowerState";

u64 power_state;  // its address is the object
u32 references = 0;
CALLBACK_FUNCTION* routine = nullptr;
void* context = nullptr;

bool is_power_state(const UNICODE_STRING& name) {
  if (name.Length != sizeof kName - sizeof kName[0]) return false;
  for (u32 i = 0; i < name.Length / 2u; ++i) {
    if (name.Buffer[i] != kName[i]) return false;
  }
  return true;
}

void notify(u64 value) {
  if (routine == nullptr) return;
  const u32 before = current_irql();
  set_irql(kDispatch);
  routine(context, reinterpret_cast<void*>(PO_CB_SYSTEM_STATE_LOCK), reinterpret_cast<void*>(value));
  if (current_irql() != kDispatch) fail("the power callback returned at {}", name_of_level(current_irql()));
  set_irql(before);
}

}  // namespace

void announce_sleep() {
  notify(0);
}
void announce_waking() {
  notify(1);
}

bool release_callback_object(void* object) {
  if (object != &power_state || references == 0) return false;
  --references;
  return true;
}

void report_callback_leaks() {
  if (routine != nullptr) fail("leak: a callback is still registered");
  if (references != 0) fail("leak: {} references to a callback object", references);
  routine = nullptr;
  references = 0;
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS ExCreateCallback(CALLBACK_OBJECT** object, OBJECT_ATTRIBUTES* attributes, BOOLEAN create,
                                     BOOLEAN allow_multiple) {
  (void)allow_multiple;
  WPERF_ALLOW_ONLY(kPassive);
  if (create) fail("{}: this object is the system's", __func__);
  if (!is_power_state(*attributes->ObjectName)) return STATUS_OBJECT_NAME_NOT_FOUND;
  ++references;
  *object = reinterpret_cast<CALLBACK_OBJECT*>(&power_state);
  return STATUS_SUCCESS;
}

extern "C" PVOID ExRegisterCallback(CALLBACK_OBJECT* object, CALLBACK_FUNCTION* function, PVOID of_function) {
  WPERF_ALLOW_UP_TO(kApc);
  if (reinterpret_cast<wperf::u64*>(object) != &power_state || references == 0) {
    give_up("{}: {x} is no callback object", __func__, object);
  }
  if (routine != nullptr) give_up("{}: one routine is offered", __func__);
  context = of_function;
  routine = function;
  return &routine;
}

extern "C" void ExUnregisterCallback(PVOID registration) {
  WPERF_ALLOW_UP_TO(kApc);
  if (registration != &routine || routine == nullptr) fail("{}: {x} is not registered", __func__, registration);
  routine = nullptr;
}
