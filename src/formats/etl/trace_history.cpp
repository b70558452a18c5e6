// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/trace_history.h"

#include <algorithm>

#include "base/ascii.h"

namespace wperf::etl {
namespace {

bool starts_with_any_case(std::string_view text, std::string_view beginning) {
  if (text.size() < beginning.size()) return false;
  for (usize i = 0; i < beginning.size(); ++i) {
    if (ascii_lower(text[i]) != ascii_lower(beginning[i])) return false;
  }
  return true;
}

// \Device\HarddiskVolume10\x is not on \Device\HarddiskVolume1.
bool lies_on(std::string_view path, std::string_view device) {
  if (device.empty() || !starts_with_any_case(path, device)) return false;
  return device.back() == '\\' || path.size() == device.size() || path[device.size()] == '\\';
}

// The number of entries in `numbers` that had begun at `time`; the last of them owned the id at that time. Events
// during the end of a thread still belong to it.
template <class Entries>
usize begun_at(const Entries& entries, const std::vector<u32>& numbers, u64 time) {
  const auto after =
      std::partition_point(numbers.begin(), numbers.end(), [&](u32 one) { return entries[one].begin <= time; });
  return static_cast<usize>(after - numbers.begin());
}

// The entry that an event refers to. A start event makes a new entry. Any other event refers to the latest entry that
// has not ended; if there is no such entry, it refers to one that existed before the trace. So entries are in the order
// of their starts.
template <class Entry>
Entry& entry_of(std::vector<Entry>& entries, std::vector<u32>& numbers, Rundown kind, u64 time) {
  u64 begin = kind == Rundown::begins ? time : 0;
  if (!numbers.empty()) {
    Entry& last = entries[numbers.back()];
    const bool has_ended = last.end != ~u64{0};
    if (kind != Rundown::begins && !has_ended) return last;
    begin = std::max({begin, last.begin, has_ended ? last.end : 0});
  }
  numbers.push_back(static_cast<u32>(entries.size()));
  Entry& made = entries.emplace_back();
  made.begin = begin;
  return made;
}

}  // namespace

bool TraceHistory::take(const Event& event) {
  if (const auto process = process_event(event)) {
    take_process(*process, event.time);
  } else if (const auto thread = thread_event(event)) {
    take_thread(*thread, event.time);
  } else if (const auto name = thread_name_event(event)) {
    const auto found = threads_of_id_.find(name->thread);
    if (found != threads_of_id_.end()) threads_[found->second.back()].name = name->name;
  } else if (auto image = image_event(event)) {
    take_image(std::move(*image), event.time);
  } else if (auto pdb = pdb_event(event)) {
    pdb_events_ += !pdb->of_managed_code;
    pdbs_.push_back({event.time, std::move(*pdb)});
  } else if (auto volume = volume_event(event)) {
    add_volume(std::move(*volume));
  } else if (auto folder = windows_folder_event(event)) {
    windows_folder_ = std::move(*folder);
  } else {
    return false;
  }
  return true;
}

// Limited because each image's path is compared with all volumes; no machine has that many.
void TraceHistory::add_volume(VolumeEvent volume) {
  constexpr usize kMostVolumes = 256;
  if (volumes_.size() < kMostVolumes) volumes_.push_back(std::move(volume));
}

void TraceHistory::take_process(const ProcessEvent& event, u64 time) {
  Process& one = entry_of(processes_, processes_of_id_[event.process], event.kind, time);
  one.process = event.process;
  one.parent = event.parent;
  if (!event.image.empty()) one.image = event.image;
  if (!event.command.empty()) one.command = event.command;
  if (event.kind == Rundown::ends) one.end = time;
  if (event.kind == Rundown::defunct) one.end = 0;
}

void TraceHistory::take_thread(const ThreadEvent& event, u64 time) {
  Thread& one = entry_of(threads_, threads_of_id_[event.thread], event.kind, time);
  one.thread = event.thread;
  one.process = event.process;
  if (!event.name.empty()) one.name = event.name;
  if (event.kind == Rundown::ends) one.end = time;
}

void TraceHistory::take_image(ImageEvent event, u64 time) {
  Image& one = entry_of(images_, images_at_[{event.base, event.process}], event.kind, time);
  one.process = event.process;
  one.base = event.base;
  one.size = event.size;
  if (event.time_stamp != 0) one.time_stamp = event.time_stamp;
  if (!event.path.empty()) one.path = std::move(event.path);
  if (event.kind == Rundown::ends) one.end = time;
}

std::string TraceHistory::dos_path(const std::string& path) const {
  constexpr std::string_view kSystemRoot = "\\SystemRoot\\", kDosDevices = "\\??\\";
  for (const VolumeEvent& volume : volumes_) {
    if (lies_on(path, volume.device)) {
      std::string drive = volume.drive;
      if (volume.device.back() != '\\' && !drive.empty() && drive.back() == '\\') drive.pop_back();
      return drive + path.substr(volume.device.size());
    }
  }
  if (starts_with_any_case(path, kSystemRoot) && !windows_folder_.empty()) {
    std::string folder = windows_folder_;
    if (folder.back() != '\\') folder += '\\';
    return folder + path.substr(kSystemRoot.size());
  }
  if (path.starts_with(kDosDevices)) return path.substr(kDosDevices.size());
  return path;
}

void TraceHistory::finish() {
  for (const PendingPdb& pdb : pdbs_) {
    const auto here = images_at_.find({pdb.event.base, pdb.event.process});
    if (here == images_at_.end()) continue;
    // The PDB event is just before the image's event, with the same time. In a trace that was not merged, the PDB event
    // is at the end, when the image may already be unloaded; then it belongs to the last image at that address.
    const usize begun = begun_at(images_, here->second, pdb.time);
    if (begun == 0) continue;
    Image& found = images_[here->second[begun - 1]];
    // An image of managed code may have two PDBs; the native one names its functions.
    if (found.has_pdb && pdb.event.of_managed_code) continue;
    found.has_pdb = true;
    found.pdb = pdb.event.id;
    found.pdb_age = pdb.event.age;
    found.pdb_path = pdb.event.path;
  }
  for (Image& image : images_) image.path = dos_path(image.path);
}

std::string_view TraceHistory::image_of(u32 process, u64 time) const {
  const auto found = processes_of_id_.find(process);
  if (found == processes_of_id_.end()) return {};
  const usize begun = begun_at(processes_, found->second, time);
  return begun != 0 ? std::string_view(processes_[found->second[begun - 1]].image) : std::string_view();
}

u32 TraceHistory::process_of(u32 thread, u64 time) const {
  const auto found = threads_of_id_.find(thread);
  if (found == threads_of_id_.end()) return thread == 0 ? 0 : kNobody;
  const usize begun = begun_at(threads_, found->second, time);
  return begun != 0 ? threads_[found->second[begun - 1]].process : kNobody;
}

u32 TraceHistory::later_threads(u32 thread, u64 time) const {
  const auto found = threads_of_id_.find(thread);
  if (found == threads_of_id_.end()) return 0;
  const usize begun = begun_at(threads_, found->second, time);
  return begun == 0 ? 0 : static_cast<u32>(found->second.size() - begun);
}

bool TraceHistory::may_be_parent(u32 process, u64 child_begin) const {
  const auto found = processes_of_id_.find(process);
  if (found == processes_of_id_.end()) return true;  // the process ended before the trace, or its events are missing
  return std::ranges::any_of(found->second, [&](u32 index) {
    return processes_[index].begin <= child_begin && child_begin <= processes_[index].end;
  });
}

std::vector<std::pair<u32, u32>> TraceHistory::children() const {
  std::vector<std::pair<u32, u32>> children;
  for (const Process& one : processes_) {
    // Process 0, idle, is its own parent. A later process with the parent's number is not the parent.
    if (one.process != 0 && may_be_parent(one.parent, one.begin)) children.emplace_back(one.parent, one.process);
  }
  return children;
}

}  // namespace wperf::etl
