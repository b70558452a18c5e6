// SPDX-License-Identifier: BSD-3-Clause
// The root-enumerated device and its driver package, with SetupAPI. newdev.dll is loaded when it is needed: Windows
// without a desktop may lack it, and the cross compiler has no import library for it.
#include <windows.h>
// These come after windows.h, which they need.
#include <cfgmgr32.h>
#include <setupapi.h>

#include <algorithm>
#include <iterator>

#include "abi/device_interface.h"
#include "abi/wire.h"
#include "devgen/codes.h"
#include "devgen/windows_machine.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"

namespace wperf::devgen {
namespace {

constexpr GUID kInterface = WPERF_INTERFACE_GUID;
constexpr wchar_t kInfName[] = L"wperf-driver.inf";
constexpr DWORD kInstallForce = 1;           // INSTALLFLAG_FORCE of newdev.h
constexpr DWORD kInstallNonInteractive = 4;  // INSTALLFLAG_NONINTERACTIVE
constexpr DWORD kSlots = 16;                 // instances of the device that are examined

using UpdateDriver = BOOL(WINAPI*)(HWND, LPCWSTR, LPCWSTR, DWORD, PBOOL);

class DeviceSet {
 public:
  explicit DeviceSet(HDEVINFO handle) : handle_(handle) {}
  ~DeviceSet() {
    if (valid()) SetupDiDestroyDeviceInfoList(handle_);
  }
  DeviceSet(const DeviceSet&) = delete;
  DeviceSet& operator=(const DeviceSet&) = delete;
  bool valid() const { return handle_ != INVALID_HANDLE_VALUE; }
  HDEVINFO get() const { return handle_; }

 private:
  HDEVINFO handle_;
};

std::wstring hardware_id() {
  return os::wide_of(WPERF_HARDWARE_ID);
}

// Returns the strings of a property that is a list.
std::vector<std::wstring> strings_of(HDEVINFO set, SP_DEVINFO_DATA& device, DWORD property) {
  wchar_t text[1024] = {};
  std::vector<std::wstring> strings;
  if (!SetupDiGetDeviceRegistryPropertyW(set, &device, property, nullptr, reinterpret_cast<BYTE*>(text),
                                         sizeof text - 2 * sizeof(wchar_t), nullptr)) {
    return strings;
  }
  for (const wchar_t* at = text; *at != 0; at += strings.back().size() + 1) strings.emplace_back(at);
  return strings;
}

bool has_hardware_id(const std::wstring& wanted, HDEVINFO set, SP_DEVINFO_DATA& device) {
  const auto ids = strings_of(set, device, SPDRP_HARDWAREID);
  return std::any_of(ids.begin(), ids.end(),
                     [&](const std::wstring& id) { return _wcsicmp(id.c_str(), wanted.c_str()) == 0; });
}

std::string instance_id_of(HDEVINFO set, SP_DEVINFO_DATA& device) {
  wchar_t id[MAX_DEVICE_ID_LEN] = {};
  if (!SetupDiGetDeviceInstanceIdW(set, &device, id, MAX_DEVICE_ID_LEN, nullptr)) return {};
  return os::utf8_of(id);
}

std::string inf_name_of(HDEVINFO set, SP_DEVINFO_DATA& device) {
  const HKEY key = SetupDiOpenDevRegKey(set, &device, DICS_FLAG_GLOBAL, 0, DIREG_DRV, KEY_READ);
  if (key == INVALID_HANDLE_VALUE) return {};
  wchar_t name[MAX_PATH] = {};
  DWORD size = sizeof name - sizeof(wchar_t);
  const LSTATUS read = RegQueryValueExW(key, L"InfPath", nullptr, nullptr, reinterpret_cast<BYTE*>(name), &size);
  RegCloseKey(key);
  return read == ERROR_SUCCESS ? os::utf8_of(name) : std::string();
}

DeviceFacts facts_of(HDEVINFO set, SP_DEVINFO_DATA& device) {
  DeviceFacts facts;
  facts.instance_id = instance_id_of(set, device);
  facts.has_driver = !strings_of(set, device, SPDRP_SERVICE).empty();
  facts.inf_name = inf_name_of(set, device);
  ULONG status = 0;
  ULONG problem = 0;
  // A status without any bit means that there is no answer (Wine).
  if (CM_Get_DevNode_Status(&status, &problem, device.DevInst, 0) == CR_SUCCESS && status != 0) {
    facts.state_known = true;
    facts.started = (status & DN_STARTED) != 0;
    facts.problem = (status & DN_HAS_PROBLEM) != 0 ? problem : 0;
  }
  return facts;
}

// Calls visit(set, device) for each device with this hardware id until visit returns false.
template <typename Visit>
void visit_devices(const std::wstring& wanted, Visit visit) {
  const DeviceSet set(SetupDiGetClassDevsW(nullptr, L"ROOT", nullptr, DIGCF_ALLCLASSES));
  if (!set.valid()) return;
  SP_DEVINFO_DATA device = {};
  device.cbSize = sizeof device;
  for (DWORD index = 0; SetupDiEnumDeviceInfo(set.get(), index, &device); ++index) {
    if (has_hardware_id(wanted, set.get(), device) && !visit(set.get(), device)) return;
  }
}

// Whether a user is in front of a screen to answer a question of Windows.
bool has_desktop() {
  USEROBJECTFLAGS flags = {};
  return GetUserObjectInformationW(GetProcessWindowStation(), UOI_FLAGS, &flags, sizeof flags, nullptr) &&
         (flags.dwFlags & WSF_VISIBLE) != 0;
}

Win32Error last_error() {
  const DWORD error = GetLastError();
  return error != 0 ? error : code::kGenFailure;
}

// Returns the path of the driver's interface; without an interface, the plain service's path.
std::wstring path_of_driver() {
  const DeviceSet set(SetupDiGetClassDevsW(&kInterface, nullptr, nullptr, DIGCF_DEVICEINTERFACE | DIGCF_PRESENT));
  SP_DEVICE_INTERFACE_DATA data = {};
  data.cbSize = sizeof data;
  if (set.valid() && SetupDiEnumDeviceInterfaces(set.get(), nullptr, &kInterface, 0, &data)) {
    alignas(SP_DEVICE_INTERFACE_DETAIL_DATA_W) BYTE buffer[2048] = {};
    auto* const detail = reinterpret_cast<SP_DEVICE_INTERFACE_DETAIL_DATA_W*>(buffer);
    detail->cbSize = sizeof *detail;
    return SetupDiGetDeviceInterfaceDetailW(set.get(), &data, detail, sizeof buffer, nullptr, nullptr)
               ? std::wstring(detail->DevicePath)
               : std::wstring();
  }
  return os::wide_of(WPERF_DEVICE_PATH);
}

}  // namespace

std::vector<DeviceFacts> WindowsMachine::devices() {
  std::vector<DeviceFacts> found;
  visit_devices(hardware_id(), [&](HDEVINFO set, SP_DEVINFO_DATA& device) {
    found.push_back(facts_of(set, device));
    return true;
  });
  return found;
}

std::vector<std::string> WindowsMachine::windowsperf_devices() {
  std::vector<std::string> found;
  visit_devices(os::wide_of(WINDOWSPERF_HARDWARE_ID), [&](HDEVINFO set, SP_DEVINFO_DATA& device) {
    found.push_back(instance_id_of(set, device));
    return true;
  });
  return found;
}

Interrupt WindowsMachine::interrupt() {
  const HANDLE driver = CreateFileW(path_of_driver().c_str(), GENERIC_READ | GENERIC_WRITE,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr);
  if (driver == INVALID_HANDLE_VALUE) return Interrupt::unknown;
  const WperfPlainRequest request = {{sizeof request, WPERF_WIRE_VERSION}};
  WperfInterruptReply reply = {};
  DWORD returned = 0;
  const BOOL told =
      DeviceIoControl(driver, static_cast<DWORD>(WPERF_CODE_INTERRUPT), const_cast<WperfPlainRequest*>(&request),
                      sizeof request, &reply, sizeof reply, &returned, nullptr);
  CloseHandle(driver);
  constexpr Interrupt kStates[] = {Interrupt::not_asked, Interrupt::held, Interrupt::refused,
                                   Interrupt::not_given_again, Interrupt::maybe_not_again};
  const bool known = told && returned == sizeof reply && reply.state < std::size(kStates);
  return known ? kStates[reply.state] : Interrupt::unknown;
}

bool WindowsMachine::driver_answers() {
  const DeviceSet set(SetupDiGetClassDevsW(&kInterface, nullptr, nullptr, DIGCF_DEVICEINTERFACE | DIGCF_PRESENT));
  SP_DEVICE_INTERFACE_DATA data = {};
  data.cbSize = sizeof data;
  if (set.valid() && SetupDiEnumDeviceInterfaces(set.get(), nullptr, &kInterface, 0, &data)) {
    return (data.Flags & SPINT_ACTIVE) != 0;
  }
  wchar_t target[MAX_PATH];
  return QueryDosDeviceW(os::wide_of(WPERF_SERVICE_NAME).c_str(), target, MAX_PATH) != 0;
}

Win32Error WindowsMachine::create_device(const std::string& inf_path, std::string& instance_id) {
  // The class of wperf-driver.inf; the .inf defines it, so this device is the first one of that class.
  GUID device_class = {};
  wchar_t class_name[MAX_CLASS_NAME_LEN] = {};
  if (!SetupDiGetINFClassW(os::wide_of(inf_path).c_str(), &device_class, class_name, MAX_CLASS_NAME_LEN, nullptr)) {
    return last_error();
  }
  const DeviceSet set(SetupDiCreateDeviceInfoList(&device_class, nullptr));
  if (!set.valid()) return last_error();
  SP_DEVINFO_DATA device = {};
  device.cbSize = sizeof device;
  bool made = false;
  for (DWORD slot = 0; slot < kSlots && !made; ++slot) {
    std::wstring id = hardware_id() + L"\\0000";
    id[id.size() - 2] = static_cast<wchar_t>(L'0' + slot / 10);
    id.back() = static_cast<wchar_t>(L'0' + slot % 10);
    made = SetupDiCreateDeviceInfoW(set.get(), id.c_str(), &device_class, L"wperf driver", nullptr, 0, &device) != 0;
    if (!made && GetLastError() != ERROR_DEVINST_ALREADY_EXISTS) return last_error();
  }
  if (!made) return last_error();
  const std::wstring ids = hardware_id() + std::wstring(2, L'\0');  // a list with one entry
  if (!SetupDiSetDeviceRegistryPropertyW(set.get(), &device, SPDRP_HARDWAREID,
                                         reinterpret_cast<const BYTE*>(ids.data()),
                                         static_cast<DWORD>(ids.size() * sizeof(wchar_t))) ||
      !SetupDiCallClassInstaller(DIF_REGISTERDEVICE, set.get(), &device)) {
    return last_error();
  }
  instance_id = instance_id_of(set.get(), device);
  return 0;
}

Change WindowsMachine::update_driver(const std::string& inf_path) {
  const os::SystemLibrary newdev(L"newdev.dll");
  UpdateDriver update = nullptr;
  if (!newdev.bind("UpdateDriverForPlugAndPlayDevicesW", update)) return {.error = code::kModuleNotFound};
  const DWORD flags = kInstallForce | (has_desktop() ? 0 : kInstallNonInteractive);
  BOOL restart = FALSE;
  if (!update(nullptr, hardware_id().c_str(), os::wide_of(inf_path).c_str(), flags, &restart)) {
    return {.error = last_error()};
  }
  return {.restart = restart != FALSE};
}

Change WindowsMachine::remove_device(const std::string& instance_id) {
  Change change{.error = code::kNoSuchDevice};
  visit_devices(hardware_id(), [&](HDEVINFO set, SP_DEVINFO_DATA& device) {
    if (instance_id_of(set, device) != instance_id) return true;
    if (!SetupDiCallClassInstaller(DIF_REMOVE, set, &device)) {
      change.error = last_error();
      return false;
    }
    change = {};
    SP_DEVINSTALL_PARAMS_W parameters = {};
    parameters.cbSize = sizeof parameters;
    if (SetupDiGetDeviceInstallParamsW(set, &device, &parameters)) {
      change.restart = (parameters.Flags & (DI_NEEDREBOOT | DI_NEEDRESTART)) != 0;
    }
    return false;
  });
  return change;
}

bool WindowsMachine::is_our_inf(const std::string& path) {
  wchar_t setup_class[64] = {};
  GetPrivateProfileStringW(L"Version", L"ClassGuid", L"", setup_class, static_cast<DWORD>(std::size(setup_class)),
                           os::wide_of(path).c_str());
  return _wcsicmp(setup_class, os::wide_of(WPERF_SETUP_CLASS).c_str()) == 0;
}

std::vector<std::string> WindowsMachine::packages() {
  std::vector<std::string> names;
  wchar_t folder[MAX_PATH];
  const UINT length = GetWindowsDirectoryW(folder, MAX_PATH);
  if (length == 0 || length >= MAX_PATH) return names;
  const std::wstring inf_folder = std::wstring(folder) + L"\\inf\\";
  WIN32_FIND_DATAW entry;
  const HANDLE search = FindFirstFileW((inf_folder + L"oem*.inf").c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) return names;
  do {
    alignas(SP_INF_INFORMATION) BYTE buffer[8192];
    auto* const information = reinterpret_cast<SP_INF_INFORMATION*>(buffer);
    SP_ORIGINAL_FILE_INFO_W original = {};
    original.cbSize = sizeof original;
    const std::wstring path = inf_folder + entry.cFileName;
    if (SetupGetInfInformationW(path.c_str(), INFINFO_INF_NAME_IS_ABSOLUTE, information, sizeof buffer, nullptr) &&
        SetupQueryInfOriginalFileInformationW(information, 0, nullptr, &original) &&
        _wcsicmp(original.OriginalInfName, kInfName) == 0 && is_our_inf(os::utf8_of(path))) {
      names.push_back(os::utf8_of(entry.cFileName));
    }
  } while (FindNextFileW(search, &entry));
  FindClose(search);
  return names;
}

Win32Error WindowsMachine::remove_package(const std::string& inf_name) {
  return SetupUninstallOEMInfW(os::wide_of(inf_name).c_str(), 0, nullptr) ? 0 : last_error();
}

}  // namespace wperf::devgen
