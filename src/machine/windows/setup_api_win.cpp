// SPDX-License-Identifier: BSD-3-Clause
#include "machine/windows/setup_api_win.h"

#include <windows.h>
// Comes after windows.h, which it needs.
#include <cfgmgr32.h>
#include <setupapi.h>

#include <algorithm>
#include <cwchar>
#include <memory>

#include "abi/device_interface.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"
#include "machine/windows/driver_facts.h"

namespace wperf::windows {
namespace {

constexpr GUID kInterface = WPERF_INTERFACE_GUID;
constexpr GUID kWindowsPerfInterface = WINDOWSPERF_INTERFACE_GUID;

// Functions of setupapi.dll and cfgmgr32.dll; the members have their names.
struct Functions {
  decltype(&SetupDiGetClassDevsW) get_devices = nullptr;
  decltype(&SetupDiDestroyDeviceInfoList) destroy_list = nullptr;
  decltype(&SetupDiEnumDeviceInfo) enumerate_devices = nullptr;
  decltype(&SetupDiEnumDeviceInterfaces) enumerate_interfaces = nullptr;
  decltype(&SetupDiGetDeviceInterfaceDetailW) interface_detail = nullptr;
  decltype(&SetupDiGetDeviceInstanceIdW) instance_id = nullptr;
  decltype(&SetupDiGetDeviceRegistryPropertyW) property = nullptr;
  decltype(&CM_Get_DevNode_Status) device_status = nullptr;
  decltype(&CM_Get_First_Log_Conf) first_configuration = nullptr;
  decltype(&CM_Free_Log_Conf_Handle) free_configuration = nullptr;
  decltype(&CM_Get_Next_Res_Des) next_resource = nullptr;
  decltype(&CM_Get_Res_Des_Data_Size) resource_size = nullptr;
  decltype(&CM_Get_Res_Des_Data) resource_data = nullptr;
  decltype(&CM_Free_Res_Des_Handle) free_resource = nullptr;
  bool devices = false, resources = false;  // all functions of that group were found
};

Functions load_functions() {
  Functions to;
  const os::SystemLibrary setup(L"setupapi.dll");
  to.devices = setup.bind("SetupDiGetClassDevsW", to.get_devices) &&
               setup.bind("SetupDiDestroyDeviceInfoList", to.destroy_list) &&
               setup.bind("SetupDiEnumDeviceInfo", to.enumerate_devices) &&
               setup.bind("SetupDiEnumDeviceInterfaces", to.enumerate_interfaces) &&
               setup.bind("SetupDiGetDeviceInterfaceDetailW", to.interface_detail) &&
               setup.bind("SetupDiGetDeviceInstanceIdW", to.instance_id) &&
               setup.bind("SetupDiGetDeviceRegistryPropertyW", to.property);
  const os::SystemLibrary manager(L"cfgmgr32.dll");
  manager.bind("CM_Get_DevNode_Status", to.device_status);
  to.resources = manager.bind("CM_Get_First_Log_Conf", to.first_configuration) &&
                 manager.bind("CM_Free_Log_Conf_Handle", to.free_configuration) &&
                 manager.bind("CM_Get_Next_Res_Des", to.next_resource) &&
                 manager.bind("CM_Get_Res_Des_Data_Size", to.resource_size) &&
                 manager.bind("CM_Get_Res_Des_Data", to.resource_data) &&
                 manager.bind("CM_Free_Res_Des_Handle", to.free_resource);
  return to;
}

const Functions& functions() {
  static const Functions loaded = load_functions();
  return loaded;
}

// A list of devices, which is freed at the end of the scope.
class DeviceList {
 public:
  DeviceList(const GUID* device_class, const wchar_t* enumerator, DWORD flags) {
    if (functions().devices) list_ = functions().get_devices(device_class, enumerator, nullptr, flags);
  }
  ~DeviceList() {
    if (valid()) functions().destroy_list(list_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  bool valid() const { return list_ != INVALID_HANDLE_VALUE; }
  HDEVINFO get() const { return list_; }

 private:
  HDEVINFO list_ = INVALID_HANDLE_VALUE;
};

std::wstring instance_id_of(const DeviceList& list, SP_DEVINFO_DATA& device) {
  wchar_t id[MAX_DEVICE_ID_LEN + 1] = {};
  return functions().instance_id(list.get(), &device, id, MAX_DEVICE_ID_LEN, nullptr) != 0 ? id : L"";
}

// The ids, separated by commas.
std::string hardware_ids_of(const DeviceList& list, SP_DEVINFO_DATA& device) {
  wchar_t ids[2048] = {};
  constexpr DWORD kRoom = sizeof ids - 2 * sizeof(wchar_t);  // an answer without its two final zeros does no harm
  if (functions().property(list.get(), &device, SPDRP_HARDWAREID, nullptr, reinterpret_cast<BYTE*>(ids), kRoom,
                           nullptr) == 0) {
    return {};
  }
  std::string text;
  for (const wchar_t* id = ids; *id != L'\0'; id += std::wcslen(id) + 1) {
    text += (text.empty() ? "" : ",") + os::utf8_of(id);
  }
  return text;
}

std::optional<PresentInterface> describe(const DeviceList& list, SP_DEVICE_INTERFACE_DATA& found) {
  DWORD size = 0;
  functions().interface_detail(list.get(), &found, nullptr, 0, &size, nullptr);
  if (size < sizeof(SP_DEVICE_INTERFACE_DETAIL_DATA_W)) return std::nullopt;
  const auto room = std::make_unique<u64[]>((size + 7) / 8);
  auto* const detail = reinterpret_cast<SP_DEVICE_INTERFACE_DETAIL_DATA_W*>(room.get());
  detail->cbSize = sizeof(SP_DEVICE_INTERFACE_DETAIL_DATA_W);
  SP_DEVINFO_DATA device{};
  device.cbSize = sizeof device;
  if (functions().interface_detail(list.get(), &found, detail, size, nullptr, &device) == 0) return std::nullopt;
  return PresentInterface{.path = detail->DevicePath,
                          .instance_id = os::utf8_of(instance_id_of(list, device)),
                          .hardware_ids = hardware_ids_of(list, device)};
}

// Calls `visit` for each installed device whose first hardware id is this one.
template <typename Visit>
void for_each_root_device(const char* hardware_id, Visit visit) {
  const DeviceList list(nullptr, L"ROOT", DIGCF_ALLCLASSES);
  if (!list.valid()) return;
  SP_DEVINFO_DATA device{};
  device.cbSize = sizeof device;
  for (DWORD i = 0; functions().enumerate_devices(list.get(), i, &device) != 0; ++i) {
    const std::string ids = hardware_ids_of(list, device);
    if (_stricmp(ids.substr(0, ids.find(',')).c_str(), hardware_id) == 0) visit(list, device);
  }
}

// Calls `visit` for each present device below ACPI\<acpi_id>.
template <typename Visit>
void for_each_acpi_device(const wchar_t* acpi_id, Visit visit) {
  const DeviceList list(nullptr, L"ACPI", DIGCF_PRESENT | DIGCF_ALLCLASSES);
  if (!list.valid()) return;
  const std::wstring prefix = L"ACPI\\" + std::wstring(acpi_id) + L"\\";
  SP_DEVINFO_DATA device{};
  device.cbSize = sizeof device;
  for (DWORD i = 0; functions().enumerate_devices(list.get(), i, &device) != 0; ++i) {
    const std::wstring id = instance_id_of(list, device);
    if (_wcsnicmp(id.c_str(), prefix.c_str(), prefix.size()) == 0) visit(id, device.DevInst);
  }
}

// MEM_DES and MEM_LARGE_DES have the same beginning: count, type, first and last address.
template <typename Description>
device::DeviceMemory memory_of(const std::vector<u64>& data) {
  const auto& description = *reinterpret_cast<const Description*>(data.data());
  if constexpr (requires { description.MLD_Alloc_Base; }) {
    return {description.MLD_Alloc_Base, description.MLD_Alloc_End - description.MLD_Alloc_Base + 1};
  } else {
    return {description.MD_Alloc_Base, description.MD_Alloc_End - description.MD_Alloc_Base + 1};
  }
}

std::optional<device::DeviceMemory> first_memory(LOG_CONF configuration) {
  std::optional<device::DeviceMemory> memory;
  for (const RESOURCEID kind : {RESOURCEID{ResType_Mem}, RESOURCEID{ResType_MemLarge}}) {
    RES_DES resource = 0;
    if (functions().next_resource(&resource, configuration, kind, nullptr, 0) != CR_SUCCESS) continue;
    ULONG size = 0;
    if (functions().resource_size(&size, resource, 0) == CR_SUCCESS && size >= sizeof(MEM_DES)) {
      std::vector<u64> data((size + 7) / 8);
      if (functions().resource_data(resource, data.data(), size, 0) == CR_SUCCESS) {
        memory = kind == ResType_Mem ? memory_of<MEM_DES>(data) : memory_of<Mem_Large_Des_s>(data);
      }
    }
    functions().free_resource(resource);
    if (memory.has_value()) break;
  }
  return memory;
}

std::optional<PresentInterface> find_interface(const GUID& interface_class) {
  const DeviceList list(&interface_class, nullptr, DIGCF_PRESENT | DIGCF_DEVICEINTERFACE);
  if (!list.valid()) return std::nullopt;
  SP_DEVICE_INTERFACE_DATA found{};
  found.cbSize = sizeof found;
  for (DWORD i = 0; functions().enumerate_interfaces(list.get(), nullptr, &interface_class, i, &found) != 0; ++i) {
    if ((found.Flags & SPINT_ACTIVE) == 0) continue;
    if (auto described = describe(list, found); described.has_value()) return described;
  }
  return std::nullopt;
}

}  // namespace

std::optional<PresentInterface> find_driver_interface() {
  return find_interface(kInterface);
}

std::optional<PresentInterface> find_windowsperf_interface() {
  return find_interface(kWindowsPerfInterface);
}

std::optional<u32> driver_device_problem() {
  std::optional<u32> answer;
  for_each_root_device(WPERF_HARDWARE_ID, [&](const DeviceList&, SP_DEVINFO_DATA& device) {
    if (answer.has_value()) return;
    ULONG status = 0, problem = 0;
    const bool known = functions().device_status != nullptr &&
                       functions().device_status(&status, &problem, device.DevInst, 0) == CR_SUCCESS;
    answer = known && (status & DN_HAS_PROBLEM) != 0 ? problem : 0;
  });
  return answer;
}

std::vector<OtherDriver> other_drivers() {
  std::vector<OtherDriver> found;
  for_each_root_device(WINDOWSPERF_HARDWARE_ID, [&](const DeviceList& list, SP_DEVINFO_DATA& device) {
    found.push_back(
        {.instance_id = os::utf8_of(instance_id_of(list, device)), .hardware_ids = hardware_ids_of(list, device)});
  });
  return found;
}

u32 count_acpi_devices(const wchar_t* acpi_id) {
  u32 count = 0;
  for_each_acpi_device(acpi_id, [&](const std::wstring&, DEVINST) { ++count; });
  return count;
}

std::vector<device::DeviceMemory> acpi_device_memory(const wchar_t* acpi_id) {
  std::vector<device::DeviceMemory> memories;
  if (!functions().resources) return memories;
  std::vector<std::pair<std::wstring, DEVINST>> devices;
  for_each_acpi_device(acpi_id, [&](const std::wstring& id, DEVINST device) { devices.emplace_back(id, device); });
  std::sort(devices.begin(), devices.end());
  for (const auto& [id, device] : devices) {
    LOG_CONF configuration = 0;
    if (functions().first_configuration(&configuration, device, ALLOC_LOG_CONF) != CR_SUCCESS) continue;
    if (const auto memory = first_memory(configuration); memory.has_value()) memories.push_back(*memory);
    functions().free_configuration(configuration);
  }
  return memories;
}

}  // namespace wperf::windows
