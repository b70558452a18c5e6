// SPDX-License-Identifier: BSD-3-Clause
// Completion scripts. If there is no command on the line yet, the scripts offer commands. After a command, they offer
// its options, its words or the files that it reads, and values of the option before the cursor. Names of events and
// metrics come from `wperf list`, so they fit this machine.
#include "app/cli/completion_words.h"
#include "app/cli/help.h"
#include "ground/text/shell_words.h"

namespace wperf::cli {
namespace {

constexpr std::string_view kNotice = "# Made from src/app/cli/options.cpp; do not edit.\n";

// "-o|--output|…": the patterns for the chosen options in a shell's case; empty if there are none.
template <typename Chosen>
std::string patterns_of(Chosen chosen, std::string_view separator = "|") {
  std::string patterns;
  for (const OptionRow& row : option_rows()) {
    if (!chosen(row)) continue;
    if (!patterns.empty()) patterns += separator;
    patterns += spellings(row, separator);
  }
  return patterns;
}

bool takes_file(const OptionRow& row) {
  return row.value == Value::file;
}

bool takes_folder(const OptionRow& row) {
  return row.value == Value::folder || row.option == Option::symbol_path;
}

bool takes_names(Option option) {
  return option == Option::events || option == Option::metrics;
}

// Can the value be any text, so that no words can be offered?
bool is_open(const OptionRow& row) {
  const bool typed = row.value == Value::text || row.value == Value::number || row.value == Value::duration;
  return typed && value_words(row.option).empty() && !takes_names(row.option) && !takes_folder(row);
}

// Event names are in rows that end in [… event]; metric names follow the headings that mention -m.
constexpr std::string_view kAskForNames =
    "wperf list 2>/dev/null | awk -v of=\"$of\" "
    "'/-e\\)$/ {kind = \"-e\"} /-m\\)$/ {kind = \"-m\"} "
    "kind == of && NF > 1 && $1 !~ /^(List|Alias|Metric|Group|=+)$/ && !/SPE filter/ {print $1}'";

// 'it\'s': one word for fish.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// '…' with quotes doubled: one word for PowerShell.
std::string powershell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string first_sentence(std::string_view help) {
  const usize end = help.find(". ");
  return std::string(end == std::string_view::npos ? help.substr(0, help.size() - 1) : help.substr(0, end));
}

// In items of _describe, a colon ends the word, and the description follows.
std::string zsh_item(std::string_view word, std::string_view help) {
  return "    " + text::single_quoted(std::string(word) + ":" + first_sentence(help)) + "\n";
}

template <typename Row>
std::string zsh_items(const Row& row) {
  std::string items = zsh_item(row.name, row.help);
  if (!row.alias.empty()) items += zsh_item(row.alias, row.help);
  return items;
}

template <typename Row>
std::string powershell_items(const Row& row) {
  std::string out;
  for (const std::string_view word : {row.name, row.alias}) {
    if (word.empty()) continue;
    out += "  $help[" + powershell_quoted(word) + "] = " + powershell_quoted(first_sentence(row.help)) + "\n";
  }
  return out;
}

template <typename Row>
std::string fish_items(const Row& row) {
  std::string items;
  for (const std::string_view word : {row.name, row.alias}) {
    if (word.empty()) continue;
    items += " \\\n        " + std::string(word) + " " + fish_quoted(first_sentence(row.help));
  }
  return items;
}

// One case for each option with known values.
std::string fish_value_cases() {
  std::string cases;
  for (const OptionRow& row : option_rows()) {
    const std::string words = takes_names(row.option) ? "(__wperf_names " + std::string(row.name) + ")"
                                                      : std::string(value_words(row.option));
    if (words.empty()) continue;
    cases += "    case " + spellings(row, " ") + "\n      " +
             (takes_list(row.option) ? "__wperf_list " : "printf '%s\\n' ") + words + "\n      return\n";
  }
  return cases;
}

// For each command a case that offers its options. The last case offers the commands and all options.
std::string fish_option_cases() {
  std::string cases;
  for (const CommandRow& row : command_rows()) {
    cases += "    case " + spellings(row, " ") + "\n";
    if (const std::string words = own_words(row); !words.empty()) cases += "      printf '%s\\n' " + words + "\n";
    cases += "      printf '%s\\t%s\\n'";
    for (const OptionRow& option : option_rows()) {
      if (option.commands.has(row.command)) cases += fish_items(option);
    }
    cases += "\n";
  }
  cases += "    case ''\n      printf '%s\\t%s\\n'";
  for (const CommandRow& row : command_rows()) cases += fish_items(row);
  cases +=
      " \\\n        " + std::string(kHelpWord) + " " + fish_quoted(first_sentence(row_of(request::Command::help).help));
  for (const OptionRow& option : option_rows()) cases += fish_items(option);
  return cases + "\n";
}

std::string powershell_words(std::string_view name, std::string_view words) {
  return "  " + std::string(name) + " = " + powershell_quoted(words) + " -split ' '\n";
}

}  // namespace

std::string render_bash_completion() {
  std::string out = "# bash completion for wperf. Source it, or put it into bash-completion's folder as `wperf`.\n";
  out += kNotice;
  out += "_wperf_names() {\n  local of=$1\n  ";
  out += kAskForNames;
  out +=
      "\n}\n"
      "# The words before the last comma remain.\n"
      "_wperf_list() {\n"
      "  mapfile -t COMPREPLY < <(compgen -P \"${2%\"${2##*,}\"}\" -W \"$1\" -- \"${2##*,}\")\n"
      "  compopt -o nospace\n"
      "}\n"
      "_wperf() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word command='' i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    if [[ $word == -- ]]; then\n"
      "      compopt -o default\n"
      "      return\n"
      "    fi\n"
      "    case $word in\n";
  for (const CommandRow& row : command_rows()) {
    out += "      " + spellings(row, "|") + ") command=${command:-" + std::string(row.name) + "} ;;\n";
  }
  out +=
      "    esac\n"
      "  done\n"
      "  case $previous in\n";
  out += "    " + patterns_of(takes_file) + ")\n      compopt -o filenames\n" +
         "      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n      return ;;\n";
  out += "    " + patterns_of(takes_folder) + ")\n      compopt -o filenames\n" +
         "      mapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n      return ;;\n";
  for (const OptionRow& row : option_rows()) {
    const std::string pattern = "    " + spellings(row, "|") + ")\n      ";
    const std::string words = takes_names(row.option) ? "\"$(_wperf_names " + std::string(row.name) + ")\""
                                                      : text::single_quoted(value_words(row.option));
    if (takes_list(row.option)) {
      out.append(pattern).append("_wperf_list ").append(words).append(" \"$current\"\n      return ;;\n");
    } else if (!value_words(row.option).empty()) {
      out.append(pattern).append("mapfile -t COMPREPLY < <(compgen -W ").append(words);
      out += " -- \"$current\")\n      return ;;\n";
    }
  }
  out += "    " + patterns_of(is_open) +
         ") return ;;\n"
         "  esac\n"
         "  local words\n"
         "  case $command in\n";
  for (const CommandRow& row : command_rows()) {
    out += "    " + std::string(row.name) + ") words=" + text::single_quoted(words_after(row)) + " ;;\n";
  }
  out += "    *) words=" + text::single_quoted(command_words() + " " + all_option_words()) +
         " ;;\n"
         "  esac\n"
         "  if [[ $command == @(" +
         file_commands("|") +
         ") && $current != -* ]]; then\n"
         "    compopt -o filenames\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "    return\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -F _wperf wperf wperf.exe\n";
  return out;
}

std::string render_zsh_completion() {
  std::string out =
      "#compdef wperf wperf.exe\n# zsh completion for wperf. Put it into a folder of $fpath as `_wperf`.\n";
  out += kNotice;
  out += "_wperf_names() {\n  local of=$1\n  ";
  out += kAskForNames;
  out += "\n}\nlocal -a verbs flags\nlocal word command='' i\nverbs=(\n";
  for (const CommandRow& row : command_rows()) out += zsh_items(row);
  out += zsh_item(kHelpWord, row_of(request::Command::help).help);
  out +=
      ")\n"
      "for ((i = 2; i < CURRENT; ++i)); do\n"
      "  word=$words[i]\n"
      "  if [[ $word == -- ]]; then\n"
      "    shift $i words\n"
      "    ((CURRENT -= i))\n"
      "    _normal\n"
      "    return\n"
      "  fi\n"
      "  case $word in\n";
  for (const CommandRow& row : command_rows()) {
    out += "    " + spellings(row, "|") + ") command=${command:-" + std::string(row.name) + "} ;;\n";
  }
  out += "  esac\ndone\ncase $words[CURRENT-1] in\n";
  out += "  " + patterns_of(takes_file) + ") _files; return ;;\n";
  out += "  " + patterns_of(takes_folder) + ") _files -/; return ;;\n";
  for (const OptionRow& row : option_rows()) {
    const std::string words = takes_names(row.option) ? "${(f)\"$(_wperf_names " + std::string(row.name) + ")\"}"
                                                      : std::string(value_words(row.option));
    if (words.empty()) continue;
    out += "  " + spellings(row, "|") + ") ";
    if (takes_list(row.option)) out += "compset -P '*,'; ";
    out += "compadd -- " + words + "; return ;;\n";
  }
  out += "  " + patterns_of(is_open) + ") _message value; return ;;\nesac\ncase $command in\n";
  for (const CommandRow& row : command_rows()) {
    out += "  " + std::string(row.name) + ") flags=(" + own_words(row) + "\n";
    for (const OptionRow& option : option_rows()) {
      if (option.commands.has(row.command)) out += zsh_items(option);
    }
    out += "  ) ;;\n";
  }
  out += "  *)\n    _describe -t commands command verbs\n    flags=(\n";
  for (const OptionRow& option : option_rows()) out += zsh_items(option);
  out += "    ) ;;\nesac\n[[ $command == (" + file_commands("|") + ") && $PREFIX != -* ]] && { _files; return }\n";
  out += "_describe -t options option flags\n";
  return out;
}

std::string render_fish_completion() {
  std::string out = "# fish completion for wperf. Put it into a folder of $fish_complete_path as `wperf.fish`.\n";
  out += kNotice;
  out += "function __wperf_names\n  set -l of $argv[1]\n  ";
  out += kAskForNames;
  out +=
      "\nend\n"
      "# Text before the last comma stays.\n"
      "function __wperf_list\n"
      "  set -l kept (string match -r -- '.*,' (commandline -ct))\n"
      "  printf '%s\\n' \"$kept\"$argv\n"
      "end\n"
      "function __wperf_offer\n"
      "  set -l current (commandline -ct)\n"
      "  set -l before (commandline -opc)\n"
      "  set -e before[1]\n"
      "  set -l command ''\n"
      "  for i in (seq (count $before))\n"
      "    switch $before[$i]\n"
      "      case --\n"
      "        set -e before[1..$i]\n"
      "        complete -C (string join ' ' -- (string escape -- $before) \"$current\")\n"
      "        return\n";
  for (const CommandRow& row : command_rows()) {
    out += "      case " + spellings(row, " ") + "\n        test -n \"$command\"; or set command " +
           std::string(row.name) + "\n";
  }
  out += "    end\n  end\n  switch \"$before[-1]\"\n";
  out += "    case " + patterns_of(takes_file, " ") + "\n      __fish_complete_path \"$current\"\n      return\n";
  out += "    case " + patterns_of(takes_folder, " ") +
         "\n      __fish_complete_directories \"$current\" ''\n      return\n";
  out += fish_value_cases();
  out += "    case " + patterns_of(is_open, " ") +
         "\n      return\n"
         "  end\n"
         "  if contains -- \"$command\" " +
         file_commands(" ") +
         "; and not string match -q -- '-*' \"$current\"\n"
         "    __fish_complete_path \"$current\"\n"
         "    return\n"
         "  end\n"
         "  switch \"$command\"\n";
  out += fish_option_cases();
  return out +
         "  end\n"
         "end\n"
         "complete -c wperf -f -a '(__wperf_offer)'\n";
}

std::string render_powershell_completion() {
  std::string out = "# PowerShell completion for wperf. Dot-source it from your $PROFILE.\n";
  out += kNotice;
  // PowerShell's hash tables do not distinguish -c from -C.
  out +=
      "Register-ArgumentCompleter -Native -CommandName wperf, wperf.exe -ScriptBlock {\n"
      "  param($word, $line, $cursor)\n"
      "  $help = [System.Collections.Generic.Dictionary[string,string]]::new([StringComparer]::Ordinal)\n"
      "  $optionsOf = [System.Collections.Generic.Dictionary[string,object]]::new([StringComparer]::Ordinal)\n"
      "  $valuesOf = [System.Collections.Generic.Dictionary[string,object]]::new([StringComparer]::Ordinal)\n";
  for (const CommandRow& row : command_rows()) out += powershell_items(row);
  for (const OptionRow& row : option_rows()) out += powershell_items(row);
  for (const CommandRow& row : command_rows()) {
    for (const std::string_view word : {row.name, row.alias}) {
      if (!word.empty()) out += powershell_words("$optionsOf[" + powershell_quoted(word) + "]", words_after(row));
    }
  }
  std::string valued;
  for (const OptionRow& row : option_rows()) {
    const std::string_view offered = value_words(row.option);
    if (row.takes_word() && offered.empty() && !takes_names(row.option)) {
      append_word(valued, spellings(row, " "));
    }
    if (!offered.empty()) out += powershell_words("$valuesOf[" + powershell_quoted(row.name) + "]", offered);
  }
  out += powershell_words("$valued", valued);
  out += powershell_words("$everything", command_words() + " " + all_option_words());
  out +=
      "  $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } |\n"
      "      Select-Object -Skip 1 | ForEach-Object { $_.ToString() })\n"
      "  if ($before -ccontains '--') { return }\n"
      "  $previous = if ($before.Count) { $before[-1] } else { '' }\n"
      "  if ($valued -ccontains $previous) { return }\n"
      "  $command = $before | Where-Object { $optionsOf.ContainsKey($_) } | Select-Object -First 1\n"
      "  if (@('" +
      file_commands("', '") +
      "') -ccontains $command -and -not $word.StartsWith('-') -and -not "
      "$valuesOf.ContainsKey($previous)) { "
      "return }\n"
      "  $kept = ''\n"
      "  if ($previous -ceq '-e' -or $previous -ceq '-m') {\n"
      "    $all = wperf list --json 2>$null | ConvertFrom-Json\n"
      "    $offered = if ($previous -ceq '-e') { $all.Predefined_Events | Where-Object Event_Type -ne '[SPE filter]' "
      "|\n"
      "      ForEach-Object Alias_Name } else { @($all.Predefined_Metrics.Metric) + "
      "@($all.Predefined_Groups_of_Metrics.Group) }\n"
      "  } elseif ($valuesOf.ContainsKey($previous)) { $offered = $valuesOf[$previous] }\n"
      "  elseif ($command) { $offered = $optionsOf[$command] } else { $offered = $everything }\n"
      "  if ($word -match '^(.*,)([^,]*)$') { $kept = $Matches[1]; $word = $Matches[2] }\n"
      "  $offered | Where-Object { $_.StartsWith($word, [StringComparison]::Ordinal) } | ForEach-Object {\n"
      "    $tip = if ($help.ContainsKey($_)) { $help[$_] } else { $_ }\n"
      "    [System.Management.Automation.CompletionResult]::new($kept + $_, $_, 'ParameterValue', $tip)\n"
      "  }\n"
      "}\n";
  return out;
}

}  // namespace wperf::cli
