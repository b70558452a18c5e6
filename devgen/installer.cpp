// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/installer.h"

#include <algorithm>

#include "abi/device_interface.h"
#include "devgen/codes.h"
#include "devgen/explanation.h"

namespace wperf::devgen {
namespace {

constexpr const char* kInfName = "wperf-driver.inf";
constexpr const char* kDriverName = WPERF_DRIVER_FILE;
constexpr const char* kCatalogName = "wperf-driver.cat";

std::string beside(const std::string& path, const char* name) {
  const auto end = path.find_last_of("\\/");
  return end == std::string::npos ? name : path.substr(0, end + 1) + name;
}

// One run of the installer: its findings and the steps that it has to undo.
class Run {
 public:
  Run(DevgenMachine& machine, Console& console) : machine_(machine), console_(console), facts_(machine.facts()) {}

  Win32Error install_device();
  Win32Error install_plain_service();
  Win32Error uninstall();
  Win32Error fail(Win32Error error);

 private:
  Win32Error find_driver();
  Win32Error remove_plain_service();
  Win32Error ensure_device(std::string& instance_id);
  Win32Error verify_device(const std::string& instance_id);
  Win32Error bind_driver(const std::string& instance_id);
  void take_back_device(const std::string& instance_id, Win32Error error);
  Win32Error put_plain_service(const std::string& target);
  void note(Win32Error error, const std::string& what, Win32Error& first);
  Win32Error delete_service();
  bool remove_devices(Win32Error& first);

  DevgenMachine& machine_;
  Console& console_;
  Facts facts_;
  std::string inf_path_;
  std::string driver_path_;
  FileFacts driver_;
  std::string missing_;  // the missing file, as a sentence
  std::vector<std::string> packages_before_;
  bool restart_ = false;
};

Win32Error Run::fail(Win32Error error) {
  console_.out("GetLastError " + std::to_string(error));
  const Explanation explanation = explain(error, facts_, driver_);
  console_.err("error: " + (missing_.empty() ? explanation.text : missing_));
  if (!explanation.hint.empty()) console_.err("hint: " + explanation.hint);
  return error;
}

// Finds the files, and checks whether this Windows could ever load them.
Win32Error Run::find_driver() {
  if (!facts_.elevated) return code::kAccessDenied;
  // The program's own folder is searched first: a file in a folder of downloads must not replace the driver that came
  // with the program.
  auto inf = machine_.find_file(Folder::of_program, kInfName);
  if (!inf.has_value()) inf = machine_.find_file(Folder::current, kInfName);
  if (!inf.has_value()) {
    missing_ = std::string(kInfName) + " is neither in the folder of wperf-devgen.exe nor in the current directory";
    return code::kFileNotFound;
  }
  inf_path_ = *inf;
  if (!machine_.is_our_inf(inf_path_)) {
    missing_ = inf_path_ + " belongs to another driver; Arm's WindowsPerf has a file with this name";
    return code::kFileNotFound;
  }
  driver_path_ = beside(inf_path_, kDriverName);
  driver_ = machine_.file(driver_path_);
  if (!driver_.exists) {
    missing_ = std::string(kDriverName) + " is not in the same folder as " + inf_path_;
    return code::kFileNotFound;
  }
  if (facts_.processor != 0 && driver_.processor != facts_.processor) return code::kMachineMismatch;
  if (const std::string concern = signature_concern(driver_); !concern.empty()) {
    console_.err("warning: " + concern);
  }
  return 0;
}

Win32Error Run::delete_service() {
  const Win32Error stopped = machine_.stop_service();
  // If the service refuses to stop, the driver stays until a restart (its device waits for one too), and the service is
  // removed with it.
  const bool waits = stopped == code::kServiceRefusesControl;
  restart_ = restart_ || waits;
  if (stopped != 0 && !waits && stopped != code::kServiceNotActive && stopped != code::kServiceDoesNotExist) {
    return stopped;
  }
  const Win32Error deleted = machine_.delete_service();
  return deleted == code::kServiceDoesNotExist ? 0 : deleted;
}

// A plain service of an earlier installation has the same name as the device's service.
Win32Error Run::remove_plain_service() {
  const ServiceFacts service = machine_.service();
  if (service.marked_for_deletion) return code::kServiceMarkedForDelete;
  if (service.state == ServiceState::absent || service.plug_and_play) return 0;
  console_.out("The plain service of an earlier installation is removed.");
  if (const Win32Error error = delete_service(); error != 0) return error;
  machine_.delete_file(machine_.plain_driver_path());
  return 0;
}

Win32Error Run::ensure_device(std::string& instance_id) {
  const auto devices = machine_.devices();
  if (devices.empty()) return machine_.create_device(inf_path_, instance_id);
  instance_id = devices[0].instance_id;
  console_.out("The device " + instance_id + " already exists; its driver is updated.");
  // The driver serves one device. Additional devices come from installers that made a new device at each call.
  for (usize index = 1; index < devices.size(); ++index) {
    const Change removed = machine_.remove_device(devices[index].instance_id);
    if (removed.error != 0) return removed.error;
    restart_ = restart_ || removed.restart;
    console_.out("The extra device " + devices[index].instance_id + " is removed.");
  }
  return 0;
}

// Windows reports success for an installation that left the device without a running driver.
Win32Error Run::verify_device(const std::string& instance_id) {
  for (const DeviceFacts& device : machine_.devices()) {
    if (device.instance_id != instance_id) continue;
    if (!device.has_driver) return code::kNoSuchDevice;
    if (!device.state_known || device.started) return 0;
    const Win32Error error = error_of_problem(device.problem);
    if (error != code::kRestartRequired) return error;
    restart_ = true;
    return 0;
  }
  return code::kNoSuchDevice;
}

Win32Error Run::bind_driver(const std::string& instance_id) {
  if (machine_.interrupted()) return code::kCancelled;
  const Change updated = machine_.update_driver(inf_path_);
  // The catalog is the only required file whose presence was not checked before.
  const bool has_catalog = machine_.file(beside(inf_path_, kCatalogName)).exists;
  if (updated.error == code::kFileNotFound && !has_catalog) return code::kNoCatalogForInf;
  if (updated.error != 0) return updated.error;
  restart_ = restart_ || updated.restart;
  if (machine_.interrupted()) return code::kCancelled;
  return verify_device(instance_id);
}

void Run::take_back_device(const std::string& instance_id, Win32Error error) {
  if (const Change removed = machine_.remove_device(instance_id); removed.error != 0) {
    console_.err("warning: the device " + instance_id + " could not be removed again (" + number_text(removed.error) +
                 ")");
    return;
  }
  for (const std::string& package : machine_.packages()) {
    if (std::ranges::find(packages_before_, package) == packages_before_.end()) machine_.remove_package(package);
  }
  // The service was made for a device that no longer exists, so it can never start again.
  if (error != code::kServiceMarkedForDelete && machine_.service().plug_and_play) machine_.delete_service();
  console_.out("The device created for the driver is removed again.");
}

Win32Error Run::install_device() {
  if (const Win32Error error = find_driver(); error != 0) return fail(error);
  if (machine_.interrupted()) return fail(code::kCancelled);
  packages_before_ = machine_.packages();
  const bool was_there = !machine_.devices().empty();
  if (const Win32Error error = remove_plain_service(); error != 0) return fail(error);
  std::string instance_id;
  Win32Error error = ensure_device(instance_id);
  if (error == 0) {
    error = bind_driver(instance_id);
    if (error != 0 && !was_there) take_back_device(instance_id, error);
  }
  if (error != 0 && !was_there && plain_service_survives(error, facts_, driver_)) {
    console_.err("warning: " + explain(error, facts_, driver_).text + " (" + number_text(error) +
                 "), so the driver is installed as a plain service; its file is signed and test mode is on");
    return install_plain_service();
  }
  if (error != 0) return fail(error);
  console_.out("Device installed successfully");
  if (restart_) console_.out("Restart Windows to complete the installation.");
  return 0;
}

Win32Error Run::put_plain_service(const std::string& target) {
  if (const Win32Error error = machine_.copy_file(driver_path_, target); error != 0) return error;
  Win32Error error = machine_.interrupted() ? code::kCancelled : machine_.create_plain_service(target);
  if (error == 0) {
    error = machine_.start_service();
    if (error == code::kServiceAlreadyRunning) error = 0;
    if (error == 0 && machine_.interrupted()) error = code::kCancelled;
    if (error != 0) delete_service();
  }
  if (error != 0) machine_.delete_file(target);
  return error;
}

Win32Error Run::install_plain_service() {
  if (inf_path_.empty()) {
    if (const Win32Error error = find_driver(); error != 0) return fail(error);
  }
  if (!machine_.devices().empty()) return fail(code::kServiceExists);
  const ServiceFacts service = machine_.service();
  if (service.marked_for_deletion) return fail(code::kServiceMarkedForDelete);
  if (service.state != ServiceState::absent) {
    console_.out("The service already exists; its driver is replaced.");
    if (const Win32Error error = delete_service(); error != 0) return fail(error);
  }
  if (const Win32Error error = put_plain_service(machine_.plain_driver_path()); error != 0) return fail(error);
  console_.out("Device installed successfully");
  console_.out(
      "It is a plain service; after a restart of Windows, run `wperf-devgen install --service` to start it again.");
  return 0;
}

void Run::note(Win32Error error, const std::string& what, Win32Error& first) {
  if (error == 0) {
    console_.out("Removed: " + what + ".");
    return;
  }
  console_.err("warning: " + what + " could not be removed (" + number_text(error) + ")");
  if (first == 0) first = error;
}

// Returns true if there were any devices.
bool Run::remove_devices(Win32Error& first) {
  const auto devices = machine_.devices();
  for (const DeviceFacts& device : devices) {
    const Change removed = machine_.remove_device(device.instance_id);
    restart_ = restart_ || removed.restart;
    note(removed.error, "device " + device.instance_id, first);
  }
  return !devices.empty();
}

Win32Error Run::uninstall() {
  if (!facts_.elevated) return fail(code::kAccessDenied);
  Win32Error first = 0;
  bool found = remove_devices(first);
  if (machine_.service().state != ServiceState::absent) {
    found = true;
    note(delete_service(), "service WPERFDRV", first);
  }
  for (const std::string& package : machine_.packages()) {
    found = true;
    note(machine_.remove_package(package), "driver package " + package, first);
  }
  const std::string plain = machine_.plain_driver_path();
  if (machine_.file(plain).exists) {
    found = true;
    note(machine_.delete_file(plain), "driver file " + plain, first);
  }
  if (first != 0) return fail(first);
  if (!found) console_.out("The driver was not installed here.");
  console_.out("Device uninstalled sucessfully");
  if (restart_) console_.out("Restart Windows to complete the removal.");
  return 0;
}

}  // namespace

Win32Error install(DevgenMachine& machine, Console& console, InstallWay way) {
  console.out("Install requested.");
  Run run(machine, console);
  return way == InstallWay::device ? run.install_device() : run.install_plain_service();
}

Win32Error uninstall(DevgenMachine& machine, Console& console) {
  console.out("Uninstall requested.");
  return Run(machine, console).uninstall();
}

}  // namespace wperf::devgen
