// SPDX-License-Identifier: BSD-3-Clause
// Sections, and the views of them that programs map: images, files, plain memory.
#include <algorithm>
#include <array>
#include <cstring>

#include "sim/nt/placement.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kSectionImage = 0x1000000, kSectionReserve = 0x4000000;
constexpr u64 kLargestSection = 1ull << 36, kLargestReservingSection = 1ull << 41, kMostReservedBySections = 1ull << 42;

bool is_writable(u32 protection) {
  return (protection & (kPageReadWrite | kPageExecuteReadWrite)) != 0;
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('\\') + 1);
}

std::shared_ptr<Section> image_section(Call& call, const File& file, Status& status) {
  const Place place = call.state.files.find(file.path);
  status = kInvalidImageFormat;
  auto section = std::make_shared<Section>(call.state.sections);
  std::weak_ptr<ImageContents>& known = call.state.images[place.path];
  section->image = known.lock();
  if (section->image == nullptr) {
    auto bytes = FileSystem::contents(place);
    std::string why = "cannot be read";
    if (bytes) section->image = read_image(std::move(*bytes), why);
    if (section->image == nullptr) note_refused_image(call.state, place.path, why);
    known = section->image;
  }
  if (section->image == nullptr) return nullptr;
  section->path = place.path;
  section->size = section->image->pe.image_size;
  status = kSuccess;
  return section;
}

// Returns false if the process's sections would use too much memory.
bool charge(Section& section, u64 more) {
  if (section.sums->bytes + more > kMostSectionBytes) return false;
  section.sums->bytes += more;
  section.charged += more;
  return true;
}

// Commits the pages of the section that a view of it lacks, between two offsets in the section.
Status commit_lacking(Memory& memory, u64 base, const State::View& view, u64 begin, u64 end) {
  const u64 view_end = view.offset + memory.reservation_of(base)->size;
  Status status = kSuccess;
  view.section->committed.for_each(std::max(begin, view.offset), std::min(end, view_end), [&](u64 from, u64 until) {
    if (status == kSuccess) status = memory.commit_rest(base + (from - view.offset), until - from);
  });
  return status;
}

Status map_file(State& state, Section& section, const std::shared_ptr<File>& file, u64 wanted) {
  FileFacts facts;
  if (file->type != File::Type::disk) return kInvalidParameter;
  if (file->files->facts(file->number, facts) != FileProblem::none) return kUnsuccessful;
  if (is_writable(section.protection) && !file->may_write) return kAccessDenied;
  section.size = wanted != 0 ? wanted : facts.bytes;
  if (section.size == 0) return kMappedFileSizeZero;
  if (section.size > kLargestSection) return kSectionTooBig;
  if (section.size > facts.bytes) {
    if (!is_writable(section.protection)) return kSectionTooBig;
    if (!file->files->resize(file->number, section.size)) return kDiskFull;
  }
  section.memory = file->files->map(file->number, page_up(section.size), is_writable(section.protection));
  if (section.memory == nullptr) return kAccessDenied;
  section.file = file;
  section.uses = state.system->open_files.of(facts);
  ++section.uses->sections;
  return kSuccess;
}

// arguments: handle, access, attributes, size, protection, kind, file
u64 create_section(Call& call) {
  u64 size = 0;
  if (!call.put(call.argument(0), u64{0})) return 0;  // kernelbase returns it after a failure
  if (call.argument(3) != 0 && !call.get(call.argument(3), size)) return 0;
  if (!Memory::is_protection(call.argument32(4))) return kInvalidPageProtection;
  const auto file = call.state.handles.at<File>(call.argument(6));
  if (call.argument(6) != 0 && file == nullptr) return kInvalidHandle;
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  if ((call.argument32(5) & kSectionImage) != 0) {
    if (file == nullptr) return kInvalidHandle;
    Status status = kSuccess;
    const auto section = image_section(call, *file, status);
    return section == nullptr ? status : call.give_handle(call.argument(0), section);
  }
  if (!name.text.empty()) {
    const auto known = call.state.system->names.find(name.text);
    if (const ObjectPointer before = known != call.state.system->names.end() ? known->second.lock() : nullptr) {
      const Status status = call.give_handle(call.argument(0), before);
      return status == kSuccess ? kObjectNameExists : status;
    }
  }
  auto section = std::make_shared<Section>(call.state.sections);
  section->protection = call.argument32(4);
  if (file != nullptr) {
    if (const Status status = map_file(call.state, *section, file, size); status != kSuccess) return status;
  } else {
    if (size == 0) return kInvalidParameter;
    const bool reserves = (call.argument32(5) & kSectionReserve) != 0;
    if (size > (reserves ? kLargestReservingSection : kLargestSection)) return kSectionTooBig;
    if (reserves && section->sums->reserved + size > kMostReservedBySections) return kNoMemory;
    section->size = size;
    section->reserves = reserves;
    if (reserves) section->sums->reserved += size;
    if (!reserves && !charge(*section, size)) return kNoMemory;
    section->memory = HostMemory::make(page_up(size));
    if (section->memory == nullptr) return kNoMemory;
  }
  if (!name.text.empty()) {
    section->name = name.text;
    if (!keep_name(call.state, name.text, section)) return kInsufficientResources;
  }
  return call.give_handle(call.argument(0), section);
}

u64 open_section(Call& call) {
  ObjectName name;
  if (!call.put(call.argument(0), u64{0})) return 0;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  const auto known = call.state.system->names.find(name.text);
  const ObjectPointer object = known == call.state.system->names.end() ? nullptr : known->second.lock();
  if (object == nullptr || object->kind != Object::Kind::section) return kObjectNameNotFound;
  return call.give_handle(call.argument(0), object);
}

// arguments: section, class, buffer, its size, size used
u64 query_section(Call& call) {
  constexpr u32 kBasic = 0, kImage = 1;
  const auto section = call.state.handles.at<Section>(call.argument(0));
  if (section == nullptr) return kInvalidHandle;
  const u64 buffer = call.argument(2), room = call.argument(3);
  if (call.argument32(1) == kBasic) {
    const u64 basic[3] = {0, section->image != nullptr ? u64{kSectionImage} : u64{0x8000000}, section->size};
    return call.answer_with(buffer, room, basic, sizeof basic, 0);
  }
  if (call.argument32(1) != kImage || section->image == nullptr) return kInvalidInfoClass;
  std::array<std::byte, kImageInformationSize> information;
  fill_image_information(*section->image, section->image->pe.preferred_base, information.data());
  return call.answer_with(buffer, room, information.data(), information.size(), 0);
}

// Notifies programs that watch the file's folder.
void note_written(const Section& section) {
  if (section.file != nullptr && is_writable(section.protection))
    section.file->files->note_written(section.file->number);
}

// The argument positions of a call that maps a view.
struct ViewCall {
  u64 address_at = 0, size_at = 0, offset_at = 0;
  u32 type = 0, protection = 0;
};

u64 map_image_view(Call& call, const Section& section, const ViewCall& view) {
  State& state = call.state;
  const u64 base = map_image(state.memory, *section.image, 0, state.seed, state.images_mapped++);
  if (base == 0) return kNoMemory;
  const u64 size = section.image->pe.image_size;
  learn_services(state, *section.image, base);
  replace_functions(state, name_of(section.path), *section.image, base);
  std::erase_if(state.modules,
                [&](const Module& module) { return module.base < base + size && base < module.base + module.size; });
  state.modules.push_back({name_of(section.path), state.files.host_path(section.path), base, size,
                           section.image->pe.entry_rva != 0 ? base + section.image->pe.entry_rva : 0});
  if (same_ignoring_case(name_of(section.path), "kernelbase.dll"))
    state.console_control = export_of(*section.image, base, "CtrlRoutine");
  state.guest_paths[base] = section.path;
  return call.put(view.address_at, base) && call.put(view.size_at, size) ? kSuccess : kAccessViolation;
}

u64 map_view_as(Call& call, const ViewCall& view) {
  State& state = call.state;
  const auto section = state.handles.at<Section>(call.argument(0));
  if (section == nullptr || call.object_of(call.argument(1)) != state.process_object) return kInvalidHandle;
  if (section->image != nullptr) return map_image_view(call, *section, view);
  u64 offset = 0, size = 0;
  Memory::ReserveOptions options;
  if (!call.get(view.address_at, options.address) || !call.get(view.size_at, size)) return 0;
  if (view.offset_at != 0 && !call.get(view.offset_at, offset)) return 0;
  const u32 protection = view.protection;
  if (!Memory::is_protection(protection)) return kInvalidPageProtection;
  if (is_writable(protection) && !is_writable(section->protection)) return kSectionProtection;
  if (offset % kAllocationGranularity != 0) return kMappedAlignment;
  if (offset >= section->size) return kInvalidViewSize;
  if (size == 0) size = section->size - offset;
  if (size > page_up(section->size) - offset) return kInvalidViewSize;
  options.size = page_up(size);
  options.type = MemoryType::mapped;
  options.protection = protection;
  options.memory = section->memory;
  options.offset = offset;
  options.replaces_placeholder = (view.type & kReplacePlaceholder) != 0;
  if ((protection & (kPageWriteCopy | kPageExecuteWriteCopy)) != 0) {  // writes stay in the view (copy on write)
    if (section->reserves) return call.lack("views with copy on write of sections with SEC_RESERVE");
    if (!state.memory.has_room(options.size)) return kNoMemory;
    options.memory = HostMemory::make(options.size);
    if (options.memory == nullptr) return kNoMemory;
    std::memcpy(options.memory->data(), section->memory->data() + offset, options.size);
    options.offset = 0;
  }
  const u64 base = state.memory.reserve(options);
  if (base == 0) return kConflictingAddresses;
  const State::View made{section, offset};
  const Status status = section->reserves ? commit_lacking(state.memory, base, made, offset, offset + options.size)
                                          : state.memory.commit(base, options.size, protection);
  if (status != kSuccess) {
    (void)state.memory.release(base);
    return status;
  }
  state.views[base] = made;
  return call.put(view.address_at, base) && call.put(view.size_at, options.size) ? kSuccess : kAccessViolation;
}

// arguments: section, process, address, zero bits, committed size, offset, size, inheritance, type, protection
u64 map_view(Call& call) {
  return map_view_as(call,
                     {call.argument(2), call.argument(6), call.argument(5), call.argument32(8), call.argument32(9)});
}

// arguments: section, process, address, offset, size, type, protection, extended parameters, their count
u64 map_view_ex(Call& call) {
  return map_view_as(call,
                     {call.argument(2), call.argument(4), call.argument(3), call.argument32(5), call.argument32(6)});
}

u64 unmap(Call& call, bool keeps_place) {
  State& state = call.state;
  if (call.object_of(call.argument(0)) != state.process_object) return kInvalidHandle;
  const auto reserved = state.memory.reservation_of(call.argument(1));
  if (!reserved || reserved->type == MemoryType::private_pages) return kNotMappedView;
  if (const auto view = state.views.find(reserved->base); view != state.views.end()) {
    note_written(*view->second.section);
    state.views.erase(view);
  }
  return keeps_place ? state.memory.preserve_placeholder(reserved->base, reserved->size)
                     : state.memory.release(reserved->base);
}

// arguments: process, address
u64 unmap_view(Call& call) {
  return unmap(call, false);
}

// arguments: process, address, flags
u64 unmap_view_ex(Call& call) {
  return unmap(call, (call.argument32(2) & kPreservePlaceholder) != 0);
}

// arguments: process, address, size, I/O status
u64 flush_view(Call& call) {
  u64 address = 0;
  if (!call.get(call.argument(1), address)) return 0;
  const auto view =
      call.state.views.find(call.state.memory.reservation_of(address).value_or(Memory::Reservation{}).base);
  if (view == call.state.views.end()) return kNotMappedView;
  note_written(*view->second.section);
  return call.argument(3) == 0 || call.put_io_status(call.argument(3), kSuccess, 0) ? kSuccess : kAccessViolation;
}

// Whether two addresses are in the same file. That is true only for addresses in one module, because two modules never
// share a file.
u64 same_file(Call& call) {
  constexpr u64 kNotSameDevice = 0xc00000d4;
  const auto first = call.state.memory.reservation_of(call.argument(0));
  const auto second = call.state.memory.reservation_of(call.argument(1));
  if (!first || !second) return kInvalidParameter;
  const auto& paths = call.state.guest_paths;
  const auto one = paths.find(first->base), other = paths.find(second->base);
  const bool same =
      first->base == second->base || (one != paths.end() && other != paths.end() && one->second == other->second);
  return same ? u64{kSuccess} : kNotSameDevice;
}

constexpr Service kSections[] = {
    {"NtCreateSection", create_section},    {"NtOpenSection", open_section},
    {"NtQuerySection", query_section},      {"NtMapViewOfSection", map_view},
    {"NtUnmapViewOfSection", unmap_view},   {"NtUnmapViewOfSectionEx", unmap_view_ex},
    {"NtMapViewOfSectionEx", map_view_ex},  {"NtFlushVirtualMemory", flush_view},
    {"NtAreMappedFilesTheSame", same_file},
};

}  // namespace

Status commit_pages(State& state, u64 address, u64 size, u32 protection) {
  const auto reserved = state.memory.reservation_of(address);
  const auto view = reserved ? state.views.find(reserved->base) : state.views.end();
  if (view == state.views.end() || !view->second.section->reserves)
    return state.memory.commit(address, size, protection);
  Section& section = *view->second.section;
  if (size > kMostSectionBytes || section.sums->bytes + size > kMostSectionBytes) return kNoMemory;
  if (const Status status = state.memory.commit(address, size, protection); status != kSuccess) return status;
  const u64 begin = view->second.offset + page_down(address) - reserved->base;
  const u64 end = view->second.offset + page_up(address + size) - reserved->base;
  const u64 more = section.committed.add(begin, end);
  section.sums->bytes += more;
  section.charged += more;
  if (more == 0) return kSuccess;
  for (const auto& [base, other] : state.views) {
    if (other.section.get() != &section) continue;
    if (const Status status = commit_lacking(state.memory, base, other, begin, end); status != kSuccess) return status;
  }
  return kSuccess;
}

bool commit_shared_page(State& state, u64 address) {
  const auto reserved = state.memory.reservation_of(address);
  const auto view = reserved ? state.views.find(reserved->base) : state.views.end();
  if (view == state.views.end() || !view->second.section->reserves) return false;
  if (state.memory.query(address).protection != 0) return false;
  const u64 begin = view->second.offset + page_down(address) - reserved->base;
  return commit_lacking(state.memory, reserved->base, view->second, begin, begin + kPageSize) == kSuccess &&
         state.memory.query(address).protection != 0;
}

void note_refused_image(State& state, const std::string& path, const std::string& why) {
  constexpr usize kMost = 64;
  if (state.refused_images.size() == kMost) state.refused_images.erase(state.refused_images.begin());
  state.refused_images.emplace_back(in_lower_case(name_of(path)), printable(path) + " " + why);
}

std::span<const Service> section_services() {
  return kSections;
}

}  // namespace wperf::sim::nt
