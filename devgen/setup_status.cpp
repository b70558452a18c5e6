// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/setup_status.h"

#include "devgen/codes.h"
#include "devgen/explanation.h"

namespace wperf::devgen {
namespace {

std::string word(Switch value) {
  switch (value) {
    case Switch::on:
      return "on";
    case Switch::off:
      return "off";
    case Switch::unknown:
      break;
  }
  return "unknown";
}

std::string device_text(const DeviceFacts& device) {
  if (!device.has_driver) return device.instance_id + ", without a driver";
  if (!device.state_known) return device.instance_id + ", state unknown";
  if (device.started) return device.instance_id + ", started";
  return device.instance_id + ", not started (problem " + std::to_string(device.problem) + ")";
}

std::string service_text(const ServiceFacts& service) {
  if (service.state == ServiceState::absent) return "not installed";
  std::string text = "WPERFDRV, ";
  if (service.state == ServiceState::running) {
    text += "running";
  } else if (service.state == ServiceState::stopped) {
    text += "stopped";
  } else {
    text += "starting or stopping";
  }
  text += service.plug_and_play ? ", of the device" : ", plain";
  if (service.marked_for_deletion) text += ", marked for deletion";
  return text;
}

std::string signature_text(const FileFacts& file) {
  const std::string by = file.signer.empty() ? "" : " by " + file.signer;
  switch (file.signature) {
    case Signature::none:
      return "not signed";
    case Signature::embedded:
      return "signed" + by;
    case Signature::catalog:
      return "signed" + by + " (in a catalog)";
    case Signature::unknown:
      break;
  }
  return "signature unknown";
}

std::string file_text(const FileFacts& file) {
  if (!file.exists) return "missing";
  const std::string version = file.version.empty() ? "without a version" : "version " + file.version;
  const std::string error = file.signature_error.empty() ? "" : "; " + file.signature_error;
  return version + ", " + processor_name(file.processor) + ", " + signature_text(file) + error;
}

bool same_version(const std::string& file, const std::string& ours) {
  return file == ours || file.rfind(ours + ".", 0) == 0;
}

std::string interrupt_text(Interrupt interrupt) {
  switch (interrupt) {
    case Interrupt::not_asked:
      return "not requested yet";
    case Interrupt::held:
      return "granted";
    case Interrupt::refused:
      return "refused: no sampling, counting works; end other profilers that use counters, then sample again";
    case Interrupt::not_given_again:
      return "not granted again since the driver update: no sampling, counting works; restart Windows";
    case Interrupt::maybe_not_again:
      return "not requested since the driver update; if Windows does not grant it again, restart Windows";
    case Interrupt::unknown:
      break;
  }
  return {};
}

// The first thing that prevents the driver from running; empty if it runs.
std::string next_step(const Facts& facts, const std::vector<DeviceFacts>& devices, const ServiceFacts& service,
                      const FileFacts& file, bool answers) {
  if (service.marked_for_deletion) {
    const Explanation marked = explain(code::kServiceMarkedForDelete, facts, file);
    return marked.hint;
  }
  if (answers) return {};
  if (devices.empty() && service.state == ServiceState::absent) return "wperf-devgen install";
  if (!file.exists) return "the driver's file is gone: wperf-devgen uninstall, then wperf-devgen install";
  if (devices.empty()) {
    return service.plug_and_play ? "the device is gone: wperf-devgen install" : "wperf-devgen install --service";
  }
  const DeviceFacts& device = devices[0];
  if (!device.has_driver) return "wperf-devgen install";
  if (device.problem == code::kProblemDisabled) {
    return "the device is disabled: pnputil /enable-device \"" + device.instance_id + "\"";
  }
  if (device.problem != 0) {
    const Explanation problem = explain(error_of_problem(device.problem), facts, file);
    return problem.hint.empty() ? problem.text : problem.text + ": " + problem.hint;
  }
  return "wperf-devgen install";
}

}  // namespace

int show_status(DevgenMachine& machine, Console& console, const char* version) {
  const Facts facts = machine.facts();
  const auto devices = machine.devices();
  const ServiceFacts service = machine.service();
  const bool answers = machine.driver_answers();
  FileFacts file;

  if (devices.empty()) console.out("device:           none");
  for (const DeviceFacts& device : devices) console.out("device:           " + device_text(device));
  for (const std::string& device : machine.windowsperf_devices()) {
    console.out("other driver:     " + device + ", of Arm's WindowsPerf; wperf-devgen leaves it alone");
  }
  console.out("service:          " + service_text(service));
  if (service.state != ServiceState::absent) {
    file = machine.file(service.image_path);
    console.out("driver:           " + service.image_path);
    console.out("                  " + file_text(file));
  }
  for (const std::string& package : machine.packages()) console.out("driver package:   " + package);
  console.out("reachable:        " + std::string(answers ? "yes" : "no"));
  const std::string interrupt = answers ? interrupt_text(machine.interrupt()) : std::string();
  if (!interrupt.empty()) console.out("interrupt:        " + interrupt);
  console.out("test mode:        " + word(facts.test_mode));
  console.out("Secure Boot:      " + word(facts.secure_boot));
  console.out("memory integrity: " + word(facts.memory_integrity));
  console.out("administrator:    " + std::string(facts.elevated ? "yes" : "no"));

  const std::string next = next_step(facts, devices, service, file, answers);
  if (next.empty() && !file.version.empty() && !same_version(file.version, version)) {
    console.out("next:             the driver belongs to another wperf (" + std::string(version) +
                "): wperf-devgen install");
  } else {
    console.out("next:             " + (next.empty() ? std::string("nothing to do, the driver is running") : next));
  }
  return answers ? 0 : 1;
}

}  // namespace wperf::devgen
