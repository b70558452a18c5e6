// SPDX-License-Identifier: BSD-3-Clause
// Makes perf.data files for tests. `Fields` appends bytes field by field; `FileBuilder` arranges events, records and
// features.
#pragma once
#include <cstring>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/perf_data/perf_file.h"

namespace wperf::perf_data::test {

class Fields {
 public:
  template <class T>
  Fields& put(T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  Fields& u16s(std::initializer_list<u16> values) {
    for (const u16 value : values) put(value);
    return *this;
  }
  Fields& u32s(std::initializer_list<u32> values) {
    for (const u32 value : values) put(value);
    return *this;
  }
  Fields& u64s(std::initializer_list<u64> values) {
    for (const u64 value : values) put(value);
    return *this;
  }
  // Text followed by zeros, `room` bytes in total; 0: up to the next multiple of 8.
  Fields& text(std::string_view text, usize room = 0) {
    if (room == 0) room = text.size() / 8 * 8 + 8;
    for (usize i = 0; i < room; ++i) put(i < text.size() ? text[i] : '\0');
    return *this;
  }
  Fields& bytes(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  const std::vector<std::byte>& all() const { return bytes_; }
  usize size() const { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
};

inline Fields record(RecordType type, const Fields& body, u16 misc = 0) {
  Fields all;
  all.put(static_cast<u32>(type)).put(misc).put(static_cast<u16>(8 + body.size())).bytes(body.all());
  return all;
}

// An event for tests; `size` is the size of its struct in the file.
inline Fields attributes(u64 sample_type, u64 read_format = 0, u64 flags = 1u << 18, u32 size = 136) {
  Fields all;
  all.u32s({1, size}).u64s({7, 4000, sample_type, read_format, flags}).u32s({0, 0}).u64s({11});
  Fields later;
  later.u64s({12, kBranchHardwareIndex, 0x5}).u32s({64, 1}).u64s({0x3}).u32s({0, 0, 0, 0}).u64s({77, 13});
  all.bytes(Bytes(later.all()).first(size - 64));
  return all;
}

class FileBuilder {
 public:
  FileBuilder& event(const Fields& attributes, std::vector<u64> ids = {}) {
    events_.emplace_back(attributes, std::move(ids));
    return *this;
  }
  FileBuilder& add(RecordType type, const Fields& body, u16 misc = 0) {
    records_.bytes(record(type, body, misc).all());
    return *this;
  }
  FileBuilder& raw(const Fields& bytes) {
    records_.bytes(bytes.all());
    return *this;
  }
  FileBuilder& feature(Feature feature, const Fields& bytes) {
    features_[static_cast<u32>(feature)] = bytes;
    return *this;
  }
  FileBuilder& unfinished() {
    is_unfinished_ = true;
    return *this;
  }

  std::vector<std::byte> build() const {
    constexpr u64 kHeaderSize = 104;
    Fields ids, table;
    const u64 attr_size = events_.empty() ? 152 : events_.front().first.size() + 16;
    for (const auto& [attributes, event_ids] : events_) {
      table.bytes(attributes.all()).u64s({kHeaderSize + ids.size(), event_ids.size() * 8});
      for (const u64 id : event_ids) ids.put(id);
    }
    const u64 table_at = kHeaderSize + ids.size(), data_at = table_at + table.size();
    u64 bits[4] = {};
    for (const auto& [number, bytes] : features_) bits[number / 64] |= u64{1} << (number % 64);
    Fields file;
    file.text("PERFILE2", 8).u64s({kHeaderSize, attr_size, table_at, table.size(), data_at});
    file.u64s({is_unfinished_ ? 0 : records_.size(), 0, 0, bits[0], bits[1], bits[2], bits[3]});
    file.bytes(ids.all()).bytes(table.all()).bytes(records_.all());
    u64 at = file.size() + features_.size() * 16;
    for (const auto& [number, bytes] : features_) {
      file.u64s({at, bytes.size()});
      at += bytes.size();
    }
    for (const auto& [number, bytes] : features_) file.bytes(bytes.all());
    return file.all();
  }

  // The same file as it is written to a pipe, where events are records.
  std::vector<std::byte> build_pipe() const {
    Fields file;
    file.text("PERFILE2", 8).u64s({16});
    for (const auto& [attributes, ids] : events_) {
      Fields body = attributes;
      for (const u64 id : ids) body.put(id);
      file.bytes(record(RecordType::header_attr, body).all());
    }
    for (const auto& [number, bytes] : features_) {
      Fields body;
      body.u64s({number}).bytes(bytes.all());
      file.bytes(record(RecordType::header_feature, body).all());
    }
    file.bytes(records_.all());
    return file.all();
  }

 private:
  std::vector<std::pair<Fields, std::vector<u64>>> events_;
  std::map<u32, Fields> features_;
  Fields records_;
  bool is_unfinished_ = false;
};

}  // namespace wperf::perf_data::test
