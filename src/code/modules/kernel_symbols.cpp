// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "code/symbols/elf/elf_file.h"
#include "ground/os/files.h"
#include "ground/os/process.h"

namespace wperf::modules {
namespace {

// The module's name from the path of a mapping, which is the kernel's name "[ath9k]" or a file
// "/lib/modules/…/snd-pcm.ko.xz". Windows modules are named after their files. Empty if the mapping is not a module.
std::string module_name(std::string_view path) {
  if (path.starts_with("[kernel") || path.starts_with("[guest")) return {};
  if (path.starts_with('[') && path.ends_with(']')) return std::string(path.substr(1, path.size() - 2));
  if (path.starts_with("bpf_")) return "bpf";
  if (path.find('\\') != std::string_view::npos) return std::string(path.substr(path.rfind('\\') + 1));
  const size_t end = path.rfind(".ko");
  if (end == std::string_view::npos || (end + 3 != path.size() && path[end + 3] != '.')) return {};
  const size_t begin = path.substr(0, end).rfind('/') + 1;  // npos + 1: 0
  std::string name(path.substr(begin, end - begin));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

KernelModules::KernelModules(std::span<const perf_data::KernelRange> ranges) {
  for (const perf_data::KernelRange& range : ranges) {
    std::string name = module_name(range.path);
    if (!name.empty()) modules_.push_back({range.begin, range.end, std::move(name)});
  }
}

std::string_view KernelModules::name_at(u64 address) const {
  const auto behind = std::upper_bound(modules_.begin(), modules_.end(), address,
                                       [](u64 wanted, const Module& one) { return wanted < one.begin; });
  if (behind == modules_.begin() || address >= std::prev(behind)->end) return {};
  return std::prev(behind)->name;
}

namespace {

constexpr std::string_view kKernelPath = "[kernel.kallsyms]";
constexpr size_t kMostListBytes = 256 << 20;

bytes::Span recorded_build_id(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history) {
  for (const perf_data::KernelRange& range : history.kernel()) {
    if (range.path.starts_with(kKernelPath) && !range.build_id.empty()) return range.build_id;
  }
  for (const perf_data::BuildId& known : file.features().build_ids()) {
    if (known.file == kKernelPath) return known.id;
  }
  return {};
}

// The running kernel's build id is in its notes: sizes of name and content, type, "GNU", content.
bytes::Span build_id_in_notes(std::string_view notes) {
  constexpr u32 kBuildIdNote = 3;
  const auto up = [](u64 size) { return (size + 3) & ~u64{3}; };
  bytes::Reader reader(std::as_bytes(std::span(notes.data(), notes.size())));
  while (reader.left() >= 12) {
    const u32 name_size = reader.take<u32>(), size = reader.take<u32>(), type = reader.take<u32>();
    const bytes::Span name = reader.bytes(up(name_size));
    const bytes::Span content = reader.bytes(up(size));
    if (!reader.sound()) break;
    if (type == kBuildIdNote && bytes::text_in(name) == "GNU") return bytes::slice(content, 0, size);
  }
  return {};
}

}  // namespace

bool is_running_kernel(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history, std::string& reason) {
  const bytes::Span recorded = recorded_build_id(file, history);
  if (!recorded.empty()) {
    const auto notes = os::load_text_file("/sys/kernel/notes", 1 << 20);
    const bytes::Span running = notes.has_value() ? build_id_in_notes(notes.value()) : bytes::Span{};
    // A recorded build id may be padded with zeros.
    const bool same = !running.empty() && recorded.size() >= running.size() &&
                      std::equal(running.begin(), running.end(), recorded.begin());
    if (!same)
      reason =
          "it was recorded on another kernel than the running one; only `wperf report` on that machine names its "
          "functions";
    return same;
  }
  const auto release = os::load_text_file("/proc/sys/kernel/osrelease", 4096);
  std::string_view running = release.has_value() ? std::string_view(release.value()) : std::string_view();
  if (running.ends_with('\n')) running.remove_suffix(1);
  const std::string_view of_file = file.features().text(perf_data::Feature::os_release);
  if (!running.empty() && running == of_file) return true;
  reason = of_file.empty() ? "the recording does not name its kernel"
                           : "it was recorded on the kernel " + std::string(of_file) +
                                 ", which is not running here; only `wperf report` on that machine names its functions";
  return false;
}

namespace {

// Searches lines such as "ffffffff81000000 T _text". The table keeps only one symbol for each address, but the text has
// all of them.
std::optional<u64> address_in_list(std::string_view text, std::string_view name) {
  if (name.empty()) return {};
  const std::string wanted = " " + std::string(name) + "\n";
  const size_t found = text.find(wanted);
  if (found == std::string_view::npos || found < 2) return {};
  const size_t before = text.rfind('\n', found);
  const std::string_view line = text.substr(before == std::string_view::npos ? 0 : before + 1);
  u64 address = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
  if (error != std::errc() || *end != ' ') return {};
  return address;
}

// The path of this kernel's cached list; empty if it cannot be cached.
std::string kept_list_path(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history) {
  const std::string folder = os::symbol_cache_folder();
  const bytes::Span id = recorded_build_id(file, history);
  if (folder.empty() || id.empty()) return {};
  return folder + "/kernel-" + symbols::build_id_text(id) + ".list";
}

}  // namespace

KernelSymbols KernelSymbols::load(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history) {
  KernelSymbols out;
  out.modules_ = KernelModules(history.kernel());
  if (!is_running_kernel(file, history, out.reason_)) return out;
  for (const perf_data::KernelRange& range : history.kernel()) {
    if (!range.path.starts_with(kKernelPath) || range.page_offset == 0) continue;
    out.reference_name_ = range.path.substr(kKernelPath.size());
    out.reference_ = range.page_offset;
    break;
  }
  const std::string kept = kept_list_path(file, history);
  if (kept.empty() || out.reference_name_.empty()) {
    out.read_whole_list();
    return out;
  }
  if (os::file_exists(kept)) {
    auto mapped = os::MappedFile::open(kept);
    if (mapped.has_value()) out.kept_ = symbols::KernelList::open(mapped.value().bytes(), out.reference_name_);
    if (out.kept_.has_value()) out.kept_file_ = std::move(mapped).value();
  }
  if (!out.kept_.has_value()) {
    out.read_whole_list();
    out.keep_list(kept);
  }
  return out;
}

void KernelSymbols::read_whole_list() {
  whole_.emplace();
  auto text = os::load_text_file("/proc/kallsyms", kMostListBytes);
  if (!text.has_value()) {
    reason_ = text.error().text;
    return;
  }
  text_ = std::move(text).value();
  whole_ = symbols::ListedSymbols::parse_kallsyms(text_);
  if (whole_->are_hidden()) {
    reason_ = "/proc/kallsyms hides its addresses (kernel.kptr_restrict); run wperf as root";
    return;
  }
  const auto here = address_in_list(text_, reference_name_);
  if (here.has_value()) moved_by_ = reference_ - *here;
}

// Leaves out the modules, whose addresses change each time they are loaded.
void KernelSymbols::keep_list(const std::string& path) {
  if (!reason_.empty() || whole_->all().empty() || !address_in_list(text_, reference_name_).has_value()) return;
  const std::string list = symbols::KernelList::write(*whole_, reference_name_, reference_ - moved_by_);
  static_cast<void>(os::save_with_folders(path, std::as_bytes(std::span(list)), os::Readers::owner));
}

KernelSymbols::Function KernelSymbols::find(u64 address) {
  const std::string_view module = modules_.name_at(address);
  Function found;
  if (reason_.empty()) found = find_in_lists(address, module);
  if (found.module.empty()) found.module = module;
  return found;
}

// Stores the result in last_.
bool KernelSymbols::find_in_kept(u64 distance) {
  if (distance - last_.begin < last_.end - last_.begin) return true;
  const bool is_behind = distance - last_.begin < u64{1} << 63;
  const auto found = kept_->find(distance, is_behind ? last_.line : 0);
  if (!found.has_value()) return false;
  last_ = *found;
  constexpr usize kReleasedTogether = 256 << 10;
  if (last_.line >= released_ + kReleasedTogether) {
    kept_file_->release(released_, last_.line);
    released_ = last_.line;
  }
  return true;
}

KernelSymbols::Function KernelSymbols::find_in_lists(u64 address, std::string_view module) {
  if (kept_.has_value() && module.empty() && find_in_kept(address - reference_)) {
    return {last_.begin + reference_, last_.name, {}};
  }
  if (!whole_.has_value()) read_whole_list();
  const symbols::ListedSymbol* found = whole_->find(address - moved_by_);
  // Modules move independently of the kernel, so another module may be at this address now.
  if (found == nullptr || (moved_by_ != 0 && !found->module.empty())) return {};
  if (!module.empty() && found->module != module) return {};
  return {found->begin + moved_by_, found->name, found->module};
}

}  // namespace wperf::modules
