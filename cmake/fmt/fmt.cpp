// SPDX-License-Identifier: BSD-3-Clause
// fmt, compiled once for every room. As a header-only library it costs some seconds for each source that formats.
// Debian has the compiled library only as a shared one, which the loader would have to find at each start.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(double value) noexcept -> dragonbox::decimal_fp<double>;
template auto dragonbox::to_decimal(float value) noexcept -> dragonbox::decimal_fp<float>;
template void buffer<char>::append(const char* begin, const char* end);
#if FMT_VERSION < 110000  // not a template since
template void vformat_to(buffer<char>& out, string_view format, format_args arguments, locale_ref locale);
#endif
template auto thousands_sep_impl(locale_ref locale) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref locale) -> char;

}  // namespace detail
FMT_END_NAMESPACE
