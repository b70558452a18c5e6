// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/self_describing.h"

#include <gtest/gtest.h>

#include "formats/etl/etl_builder_test.h"

namespace wperf::etl {
namespace {

using B = TraceBuilder;

std::string item(u16 type, const std::string& data, bool more) {
  std::string out;
  const usize padded = (8 + data.size() + 7) / 8 * 8;
  B::put(out, static_cast<u16>(padded));
  B::put(out, type);
  B::put(out, static_cast<u16>(more ? 1 : 0));
  B::put(out, static_cast<u16>(data.size()));
  out += data;
  out.resize(padded);
  return out;
}

// Follows the size: tags, the event's name, its fields.
std::string schema(const std::string& fields) {
  std::string body(
      "\x80\0"
      "Changed\0",
      10);
  body += fields;
  std::string out;
  B::put(out, static_cast<u16>(body.size() + 2));
  return out + body;
}

struct SelfDescribingEvent {
  std::string items, payload;
  Event event;
  SelfDescribingEvent(const std::string& fields, std::string bytes) : payload(std::move(bytes)) {
    items = item(12,
                 std::string("\x0b\0"
                             "Provider\0",
                             11),
                 true) +
            item(11, schema(fields), false);
    event.form = EventForm::manifest;
    event.items = std::as_bytes(std::span(items));
    event.payload = std::as_bytes(std::span(payload));
  }
  DescribedFields read() const { return described_fields(event_names(event).value(), event); }
};

std::vector<std::string> texts(const DescribedFields& read) {
  std::vector<std::string> out;
  for (const DescribedField& field : read.fields) out.push_back(field.name + "=" + field.value);
  return out;
}

std::string field(std::string_view name, std::initializer_list<int> type) {
  std::string out(name);
  out += '\0';
  for (const int byte : type) out += static_cast<char>(byte);
  return out;
}

TEST(SelfDescribing, NamesOfProviderAndEvent) {
  const SelfDescribingEvent told("", "");
  const auto names = event_names(told.event);
  ASSERT_TRUE(names.has_value());
  EXPECT_EQ(names->provider, "Provider");
  EXPECT_EQ(names->event, "Changed");
  EXPECT_FALSE(event_names(Event{}).has_value());
}

TEST(SelfDescribing, NumbersTextsListsAndStructures) {
  std::string payload;
  B::put(payload, std::int32_t{-5});
  B::put(payload, u32{0xff});
  B::put_wide(payload, "wide");
  payload += std::string("narrow\0", 7);
  B::put(payload, u16{2});  // length of the list
  B::put(payload, u8{7});
  B::put(payload, u8{8});
  B::put(payload, u64{1} << 40);  // a field of the structure
  B::put(payload, 1.5);
  const SelfDescribingEvent told(field("a", {7}) + field("hex", {8 | 0x80, 4}) + field("w", {1}) + field("n", {2}) +
                                     field("list", {4 | 0x40}) + field("s", {24 | 0x80, 2}) + field("x", {10}) +
                                     field("y", {12}),
                                 payload);
  const DescribedFields read = told.read();
  EXPECT_FALSE(read.is_cut);
  EXPECT_EQ(texts(read), (std::vector<std::string>{"a=-5", "hex=0xff", "w=wide", "n=narrow", "list[0]=7", "list[1]=8",
                                                   "s.x=1099511627776", "s.y=1.5"}));
  ASSERT_EQ(read.fields.size(), 8u);
  EXPECT_TRUE(read.fields[0].is_number);
  EXPECT_FALSE(read.fields[1].is_number);
}

TEST(SelfDescribing, WhatIsMissingIsSaid) {
  const SelfDescribingEvent told(field("a", {7}) + field("b", {10}), std::string(6, '\1'));
  const DescribedFields read = told.read();
  EXPECT_TRUE(read.is_cut);
  EXPECT_EQ(read.fields.size(), 1u);
  EXPECT_TRUE(SelfDescribingEvent(field("a", {31}), "xxxx").read().is_cut) << "of a kind that is not known";
}

TEST(SelfDescribing, ListsOfListsOfNothingEnd) {
  std::string fields;
  for (int i = 0; i < 6; ++i) fields += field("s", {24 | 0x80 | 0x20, 1, 0xff, 0xff});
  fields += field("e", {4 | 0x20, 0, 0});
  const DescribedFields read = SelfDescribingEvent(fields, "").read();
  EXPECT_TRUE(read.is_cut);
  EXPECT_TRUE(read.fields.empty());
}

}  // namespace
}  // namespace wperf::etl
