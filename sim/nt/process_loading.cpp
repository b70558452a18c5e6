// SPDX-License-Identifier: BSD-3-Clause
// Loads the program of a new process: reads its image, and gives the process its folders, streams, handles and command
// line before start.cpp maps it.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/nt/image_file.h"
#include "sim/nt/nt_process.h"
#include "sim/nt/pe_image.h"
#include "sim/nt/state.h"

namespace wperf::sim::nt {

std::string system_folder_of_build() {
  Dl_info library{};
  std::error_code code;
  if (dladdr(reinterpret_cast<void*>(&system_folder_of_build), &library) == 0 || library.dli_fname == nullptr)
    return {};
  // The library is build/PRESET/bin/libwperf-sim.so and the DLLs are in build/tools/windows; after an installation they
  // are PREFIX/lib/wperf/libwperf-sim.so and the folder next to it.
  const auto folder = std::filesystem::weakly_canonical(library.dli_fname, code).parent_path();
  if (folder.filename() == "wperf" && folder.parent_path().filename() == "lib") return (folder / "windows").string();
  return (folder.parent_path().parent_path() / "tools" / "windows").string();
}

namespace {

constexpr usize kLongestCommandLine = 32766;

// If the command line names the program by a host path, the program sees its own path there instead, because programs
// like cmd.exe treat a slash as the start of an option.
std::string command_line_of(const ProcessOptions& options, const std::string& program_path) {
  const std::string& given = options.command_line;
  const usize at = given.starts_with('"') ? 1 : 0;
  const bool begins_with_it = given.compare(at, options.image_path.size(), options.image_path) == 0;
  if (!begins_with_it || options.image_path.find('/') == std::string::npos) return given;
  std::string line = given;
  line.replace(at, options.image_path.size(), program_path);
  return line;
}

bool open_folders(State& state, const ProcessOptions& options, const std::string& program, LoadError& error) {
  const Surroundings& surroundings = options.surroundings;
  if (state.program->pe.needs_loader && !state.files.set_system_folder(options.system_folder)) {
    error.text = std::filesystem::path(program).filename().string() +
                 " needs the DLLs of Windows, and there is no folder " + options.system_folder + " with them";
    error.hint = kWayToDlls;
    return false;
  }
  if (state.program->pe.needs_loader && !state.files.make_home()) {
    error.text = "cannot make a folder for the program's files in the folder for temporary files";
    error.hint = "/tmp/wperf-" + std::to_string(::geteuid()) + " must be a folder that only this user can write";
    return false;
  }
  if (!surroundings.folder.empty() && !state.files.set_work_folder(surroundings.folder, surroundings.writes)) {
    error.text = "the folder " + surroundings.folder + " of the option 'folder=' cannot be opened";
    return false;
  }
  if (!state.files.set_program_folder(std::filesystem::path(program).parent_path().string())) {
    error.text = "the folder of " + program + " cannot be opened";
    return false;
  }
  return true;
}

bool is_linux_program(const std::vector<std::byte>& bytes) {
  constexpr std::array kElf = {std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
  return bytes.size() >= kElf.size() && std::equal(kElf.begin(), kElf.end(), bytes.begin());
}

// Folders, streams and handles come from the creator if there is one, and otherwise from the options. `program`: the
// path of the image on the host.
bool take_surroundings(State& state, const ProcessOptions& options, const std::string& program, LoadError& error) {
  if (const Inheritance* const inherited = options.inheritance.get(); inherited != nullptr) {
    state.registry = inherited->registry;
    state.streams = inherited->streams;
    state.input_read = inherited->input_read;
    state.handles = inherited->handles;
    state.program_path = inherited->program_path;
    return true;
  }
  if (!open_folders(state, options, program, error)) return false;
  state.streams = options.surroundings.streams;
  state.program_path = std::string(kProgramFolder) + "\\" + std::filesystem::path(program).filename().string();
  return true;
}

}  // namespace

bool load_program(State& state, const ProcessOptions& options, LoadError& error) {
  error = {};
  std::error_code code;
  std::string path =
      std::filesystem::canonical(options.image_path, code).string();  // its DLLs are in the folder of the real file
  if (code) path = options.image_path;
  ImageFile file;
  if (!read_image_file(path, file, error)) return false;
  if (options.command_line.size() > kLongestCommandLine || options.command_line.find('\0') != std::string::npos) {
    error.text = "the command line of " + file.name + " is longer than Windows allows";
    return false;
  }
  if (is_linux_program(file.bytes)) {
    error = {file.name + " is not a Windows program",
             file.name +
                 " is a Linux program; leave out `--device sim`, or build it for ARM64 Windows "
                 "(docs/user/sim-programs.md)"};
    return false;
  }
  std::string why;
  state.program = read_image(std::move(file.bytes), why);
  if (state.program != nullptr && state.program->pe.is_dll) why = "is a DLL, not a program";
  if (!why.empty()) {
    error.text = file.name + " " + why;
    return false;
  }
  if (!take_surroundings(state, options, path, error)) return false;
  state.process_object->id = options.process_id;
  state.process_id = options.process_id;
  state.processor_count = options.core_count;
  state.affinity = options.affinity != 0 ? options.affinity & all_processors(state) : all_processors(state);
  const Inheritance* const inherited = options.inheritance.get();
  state.console = inherited != nullptr && inherited->console != 0 ? inherited->console : options.process_id;
  state.group = inherited != nullptr && inherited->group != 0 ? inherited->group : options.process_id;
  state.command_line = inherited != nullptr ? options.command_line : command_line_of(options, state.program_path);
  state.modules.push_back({std::filesystem::path(options.image_path).filename().string(), options.image_path, 0, 0, 0});
  if (!prepare_process(state, inherited, error)) return false;
  Thread& first = *state.threads.front();
  first.processor = options.core;
  first.affinity = options.affinity != 0 ? state.affinity : u64{1} << (options.core & 63);
  return true;
}

}  // namespace wperf::sim::nt
