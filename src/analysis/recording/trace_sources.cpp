// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_sources.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::recording {
namespace {

constexpr usize kEnoughToTell = 4096;

// Unpacks only as much as needed to recognise the file.
bool holds_trace(const packing::ZipEntry& entry) {
  std::vector<std::byte> beginning;
  static_cast<void>(packing::ZipFile::unpack(entry, [&](bytes::Span piece) {
    const bytes::Span part = piece.first(std::min(piece.size(), kEnoughToTell));
    beginning.insert(beginning.end(), part.begin(), part.end());
    return beginning.size() < kEnoughToTell;
  }));
  return etl::TraceFile::has_signature(beginning);
}

bool is_same(bytes::Span a, bytes::Span b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

bool TraceSources::has_signature(bytes::Span file) {
  return etl::TraceFile::has_signature(file) || packing::ZipFile::has_signature(file);
}

diag::Result<void> TraceSources::add(RecordingInput input, const std::string& name) {
  inputs_.push_back(std::move(input));
  const RecordingInput& kept = inputs_.back();
  if (packing::ZipFile::has_signature(kept.bytes())) return add_zip(kept, name);
  if (!etl::TraceFile::has_signature(kept.bytes())) {
    return diag::Error{.text = name + " is not an .etl trace",
                       .hint =
                           "several files can be read together only if all are traces of one session; to show one "
                           "function, use -s NAME",
                       .code = diag::ExitCode::damaged_input};
  }
  sources_.push_back(
      {.name = name, .bytes = kept.bytes(), .release = [&kept](u64 begin, u64 end) { kept.release(begin, end); }});
  return {};
}

diag::Result<void> TraceSources::add_zip(const RecordingInput& input, const std::string& name) {
  auto zip = packing::ZipFile::open(input.bytes());
  if (!zip.has_value()) {
    diag::Error error = std::move(zip).error();
    error.text = name + ": " + error.text;
    return error;
  }
  const usize before = sources_.size();
  u64 not_read = 0;
  for (const packing::ZipEntry& entry : zip.value().entries()) {
    not_read += packing::ZipFile::unpack(entry, [](bytes::Span) { return false; }) == packing::Unpacked::not_read;
    if (!holds_trace(entry)) continue;
    const std::string inside = name + "/" + entry.name;
    if (entry.is_stored()) {
      // An uncompressed trace is read directly from the zip file.
      const u64 offset = static_cast<u64>(entry.packed.data() - input.bytes().data());
      sources_.push_back({.name = inside, .bytes = entry.packed, .release = [&input, offset](u64 begin, u64 end) {
                            input.release(offset + begin, offset + end);
                          }});
    } else {
      WPERF_CHECK_OK(add_packed(entry, inside));
    }
  }
  if (not_read != 0) {
    warnings_.push_back(
        fmt::format("{} of the {} files in {} cannot be unpacked: they are encrypted, or compressed with another "
                    "method than deflate",
                    not_read, zip.value().entries().size(), name));
  }
  if (sources_.size() != before) return {};
  return diag::Error{.text = fmt::format("{}: this zip file contains no .etl trace", name),
                     .hint = not_read != 0 ? "unpack it, and report the .etl files in it" : "",
                     .code = diag::ExitCode::damaged_input};
}

diag::Result<void> TraceSources::add_packed(const packing::ZipEntry& entry, const std::string& name) {
  packing::Unpacked outcome{};
  WPERF_TRY(UnpackedFile unpacked, UnpackedFile::create([&](const packing::TakePiece& take) {
              outcome = packing::ZipFile::unpack(entry, take);
            }));
  if (outcome == packing::Unpacked::damaged) {
    warnings_.push_back(fmt::format("{} is damaged inside its zip file; wperf shows the part before the damage", name));
  } else if (outcome == packing::Unpacked::not_sound) {
    warnings_.push_back(name + " does not match the checksum in its zip file; it is damaged");
  }
  unpacked_.push_back(std::move(unpacked));
  const UnpackedFile& kept = unpacked_.back();
  sources_.push_back(
      {.name = name, .bytes = kept.bytes(), .release = [&kept](u64 begin, u64 end) { kept.release(begin, end); }});
  return {};
}

u64 TraceSources::size() const {
  u64 size = 0;
  for (const Source& source : sources_) size += source.bytes.size();
  return size;
}

bool TraceSources::has_shrunk() const {
  return std::any_of(inputs_.begin(), inputs_.end(), [](const RecordingInput& one) { return one.has_shrunk(); });
}

diag::Result<etl::Trace> TraceSources::open(const std::function<void(u64 bytes)>& passed) {
  std::vector<etl::TraceFile> files;
  std::vector<std::string> names;
  for (usize i = 1; i < sources_.size(); ++i) {
    const auto same = std::find_if(sources_.begin(), sources_.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Source& one) { return is_same(one.bytes, sources_[i].bytes); });
    if (same == sources_.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    return diag::usage_error(
        fmt::format("{} and {} are the same file, which would count twice", same->name, sources_[i].name),
        "give it once");
  }
  for (const Source& source : sources_) {
    auto opened = etl::TraceFile::open(source.bytes, source.release);
    if (!opened.has_value()) {
      diag::Error error = std::move(opened).error();
      error.text = source.name + ": " + error.text;
      return error;
    }
    etl::TraceFile file = std::move(opened).value();
    file.on_passed([&release = source.release, passed](u64 begin, u64 end) {
      release(begin, end);
      passed(end - begin);
    });
    files.push_back(std::move(file));
    names.push_back(source.name);
  }
  return etl::Trace::of_session(std::move(files), names);
}

}  // namespace wperf::recording
