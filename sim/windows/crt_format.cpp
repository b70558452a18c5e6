// SPDX-License-Identifier: BSD-3-Clause
// printf: one conversion at a time. The host's own printf does each, with the widths of Windows (long has 32 bits, long
// double is double).
#include <algorithm>
#include <bit>
#include <cstdio>
#include <vector>

#include "sim/windows/crt_call.h"
#include "sim/windows/wide_strings.h"

namespace wperf::sim {
namespace {

constexpr int kWidest = 1 << 20;

struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  enum class Size : u8 { plain, byte, half, word, wide } size = Size::plain;
  bool wide_text = false;
  char kind = 0;
};

class Formatter {
 public:
  Formatter(Win32Call& call, std::string_view format, ArgumentList arguments)
      : call_(call), format_(format), arguments_(arguments) {}

  std::optional<std::string> run() {
    while (at_ < format_.size()) {
      const usize percent = std::min(format_.find('%', at_), format_.size());
      out_.append(format_, at_, percent - at_);
      at_ = percent + 1;
      if (percent == format_.size()) break;
      Conversion conversion;
      if (!parse(conversion) || !convert(conversion)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  bool number(int& out) {
    if (peek() == '*') {
      ++at_;
      u64 value = 0;
      if (!arguments_.next(value)) return false;
      out = static_cast<int>(static_cast<u32>(value));
    } else {
      out = 0;
      while (peek() >= '0' && peek() <= '9') out = std::min(out * 10 + (format_[at_++] - '0'), kWidest);
    }
    out = std::clamp(out, -kWidest, kWidest);
    return true;
  }

  bool parse(Conversion& out) {
    while (peek() != 0 && std::string_view("-+ #0").find(peek()) != std::string_view::npos) out.flags += format_[at_++];
    if ((peek() >= '0' && peek() <= '9') || peek() == '*') {
      if (!number(out.width)) return false;
      if (out.width < 0) {
        out.flags += '-';
        out.width = -out.width;
      }
    }
    if (peek() == '.') {
      ++at_;
      if (!number(out.precision)) return false;
      if (out.precision < 0) out.precision = -1;
    }
    parse_size(out);
    out.kind = peek();
    if (at_ < format_.size()) ++at_;
    return true;
  }

  void parse_size(Conversion& out) {
    using Size = Conversion::Size;
    const std::string_view rest = format_.substr(at_);
    for (const auto& [text, size] : {std::pair<std::string_view, Size>{"I64", Size::wide},
                                     {"I32", Size::plain},
                                     {"hh", Size::byte},
                                     {"ll", Size::wide},
                                     {"h", Size::half},
                                     {"l", Size::word},
                                     {"w", Size::word},
                                     {"z", Size::wide},
                                     {"t", Size::wide},
                                     {"j", Size::wide},
                                     {"I", Size::wide},
                                     {"L", Size::plain}}) {
      if (!rest.starts_with(text)) continue;
      out.size = size;
      out.wide_text = size == Size::word;
      at_ += text.size();
      return;
    }
  }

  template <class Value>
  void put(const Conversion& conversion, const char* kind, Value value) {
    std::string format = "%" + conversion.flags;
    if (conversion.width >= 0) format += std::to_string(conversion.width);
    if (conversion.precision >= 0) format += "." + std::to_string(conversion.precision);
    format += kind;
    const int length = std::snprintf(nullptr, 0, format.c_str(), value);
    if (length < 0) return;
    const usize before = out_.size();
    out_.resize(before + static_cast<usize>(length) + 1);
    std::snprintf(out_.data() + before, static_cast<usize>(length) + 1, format.c_str(), value);
    out_.pop_back();
  }

  void put_text(const Conversion& conversion, std::string_view text) {
    if (conversion.precision >= 0) text = text.substr(0, static_cast<usize>(conversion.precision));
    const usize width = conversion.width < 0 ? 0 : static_cast<usize>(conversion.width);
    const usize padding = width > text.size() ? width - text.size() : 0;
    const bool left = conversion.flags.find('-') != std::string::npos;
    if (!left) out_.append(padding, ' ');
    out_ += text;
    if (left) out_.append(padding, ' ');
  }

  bool convert_text(const Conversion& conversion, u64 address) {
    if (address == 0) {
      put_text(conversion, "(null)");
      return true;
    }
    const bool wide = conversion.wide_text || conversion.kind == 'S';
    // With a precision the text need not have an end.
    if (!wide && conversion.precision >= 0) {
      std::string text;
      for (char unit = 0; text.size() < static_cast<usize>(conversion.precision); text += unit) {
        if (!call_.read_value(address + text.size(), unit)) return false;
        if (unit == 0) break;
      }
      put_text(conversion, text);
      return true;
    }
    const auto text = wide ? wide_text_at(call_, address) : text_at(call_, address);
    if (!text) return false;
    put_text(conversion, *text);
    return true;
  }

  static std::int64_t signed_value(Conversion::Size size, u64 value) {
    switch (size) {
      case Conversion::Size::wide:
        return static_cast<std::int64_t>(value);
      case Conversion::Size::half:
        return static_cast<std::int16_t>(value);
      case Conversion::Size::byte:
        return static_cast<std::int8_t>(value);
      default:
        return static_cast<std::int32_t>(value);
    }
  }

  static u64 unsigned_value(Conversion::Size size, u64 value) {
    switch (size) {
      case Conversion::Size::wide:
        return value;
      case Conversion::Size::half:
        return static_cast<u16>(value);
      case Conversion::Size::byte:
        return static_cast<u8>(value);
      default:
        return static_cast<u32>(value);
    }
  }

  bool convert(const Conversion& conversion) {
    if (conversion.kind == '%') {
      out_ += '%';
      return true;
    }
    if (conversion.kind == 0) return true;
    if (std::string_view("diouxXcCpsSeEfFgGaA").find(conversion.kind) == std::string_view::npos) {
      call_.crash(std::string("a format string contains %") + conversion.kind +
                  ", which the simulator does not support");
      return false;
    }
    u64 value = 0;
    if (!arguments_.next(value)) return false;
    switch (conversion.kind) {
      case 'd':
      case 'i':
        put(conversion, "lld", static_cast<long long>(signed_value(conversion.size, value)));
        return true;
      case 'c':
      case 'C':
        put_character(conversion, value);
        return true;
      case 'p':
        put({conversion.flags, conversion.width, 16, Conversion::Size::wide, false, 'X'}, "llX",
            static_cast<unsigned long long>(value));
        return true;
      case 's':
      case 'S':
        return convert_text(conversion, value);
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        put(conversion, (std::string("ll") + conversion.kind).c_str(),
            static_cast<unsigned long long>(unsigned_value(conversion.size, value)));
        return true;
      default:
        put(conversion, std::string(1, conversion.kind).c_str(), std::bit_cast<double>(value));
        return true;
    }
  }

  void put_character(const Conversion& conversion, u64 value) {
    const auto unit = static_cast<u16>(value);
    const bool wide = (conversion.wide_text || conversion.kind == 'C') && unit >= 0x80;
    put_text({conversion.flags, conversion.width, -1, conversion.size, false, 'c'},
             wide ? to_utf8({&unit, 1}) : std::string(1, static_cast<char>(value)));
  }

  Win32Call& call_;
  std::string_view format_;
  ArgumentList arguments_;
  usize at_ = 0;
  std::string out_;
};

}  // namespace

bool ArgumentList::next(u64& out) {
  constexpr u32 kInRegisters = 8;
  if (address_ != 0) {
    const u64 place = address_;
    address_ += sizeof out;
    return call_.read_value(place, out);
  }
  if (index_ < kInRegisters) {
    out = call_.argument(index_++);
    return true;
  }
  return call_.read_value(call_.state.current->registers.sp + (index_++ - kInRegisters) * sizeof out, out);
}

std::optional<std::string> format_text(Win32Call& call, std::string_view format, ArgumentList arguments) {
  return Formatter(call, format, arguments).run();
}

}  // namespace wperf::sim
