// SPDX-License-Identifier: BSD-3-Clause
// The part of process.h that all systems share.
#include "ground/os/process.h"

#include <ctime>

namespace wperf::os {

std::string local_time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
#ifdef _WIN32
  localtime_s(&local, &now);
#else
  localtime_r(&now, &local);
#endif
  char text[32];
  const size_t length = std::strftime(text, sizeof text, "%Y_%m_%d_%H_%M_%S", &local);
  return {text, length};
}

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// In the program's name, quotes group words, and backslashes are ordinary characters, because paths contain many.
std::string take_program(std::string_view line, size_t& at) {
  std::string word;
  bool quoted = false;
  for (; at < line.size() && (quoted || !is_blank(line[at])); ++at) {
    if (line[at] == '"') {
      quoted = !quoted;
    } else {
      word += line[at];
    }
  }
  return word;
}

// Backslashes are special only before a quote: each pair is one backslash, and a single one before the quote makes the
// quote an ordinary character.
std::string take_argument(std::string_view line, size_t& at) {
  std::string word;
  bool quoted = false;
  while (at < line.size() && (quoted || !is_blank(line[at]))) {
    const size_t start = at;
    while (at < line.size() && line[at] == '\\') ++at;
    const size_t slashes = at - start;
    if (at == line.size() || line[at] != '"') {
      word.append(slashes, '\\');
      if (at < line.size() && (quoted || !is_blank(line[at]))) word += line[at++];
      continue;
    }
    word.append(slashes / 2, '\\');
    ++at;
    if (slashes % 2 == 1) {
      word += '"';
    } else if (quoted && at < line.size() && line[at] == '"') {
      word += '"';  // "" inside quotes is one
      ++at;
    } else {
      quoted = !quoted;
    }
  }
  return word;
}

std::string quoted_argument(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\v\"") == std::string::npos) return word;
  std::string quoted = "\"";
  size_t slashes = 0;
  for (const char c : word) {
    if (c == '"') quoted.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    quoted += c;
  }
  quoted.append(slashes, '\\');
  return quoted + '"';
}

// A file name of Windows contains no quote.
std::string quoted_program(const std::string& word) {
  return word.find_first_of(" \t") == std::string::npos ? word : '"' + word + '"';
}

}  // namespace

std::vector<std::string> split_command_line(std::string_view line) {
  std::vector<std::string> words;
  size_t at = 0;
  if (line.empty()) return words;
  words.push_back(take_program(line, at));
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return words;
    words.push_back(take_argument(line, at));
  }
}

std::string join_command_line(std::span<const std::string> words) {
  std::string line;
  for (size_t i = 0; i < words.size(); ++i) {
    line += i == 0 ? quoted_program(words[i]) : ' ' + quoted_argument(words[i]);
  }
  return line;
}

}  // namespace wperf::os
