#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The work of actions/bench/action.yml:
#   bench.sh run       compares OLD with NEW; writes bench.json, bench.md and gate.xml, the summary of the job, and
#                      the outputs `status` and `folder`. Ends with 0: a later step ends with the status.
#   bench.sh comment   puts FOLDER/bench.md into the comment NAME of pull request NUMBER, which it makes once.
set -euo pipefail

# split NAME TEXT: the words of a text, quoted as in a shell, become the array NAME. Nothing in them is expanded. Fails if
# a quotation has no end.
split() {
  local -n words=$1
  mapfile -d '' -t words < <(python3 -c '
import os, shlex, sys
try:
    found = shlex.split(sys.argv[1])
except ValueError as error:
    sys.exit(f"::error::the words of {sys.argv[1]!r} cannot be read: {error}")
sys.stdout.buffer.write(b"".join(os.fsencode(word) + b"\0" for word in found))' "$2")
  wait "$!"
}

# NAME becomes a part of a comment and of a filter.
check_name() {
  [[ "${NAME:-}" != *[!A-Za-z0-9._-]* ]] || { echo "::error::the name may only have letters, digits, . _ and -" >&2; return 1; }
}

# The path of the program, from an archive if that is one.
find_wperf() {
  case "$1" in
    *.tar.gz)
      tar -xzf "$1" -C "$2" --strip-components=1
      printf '%s\n' "$2/bin/wperf"
      ;;
    *) command -v -- "$1" || { echo "::error::there is no program $1" >&2; return 1; } ;;
  esac
}

run() {
  local folder unpacked wperf condition status=0 old new options conditions=()
  folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/wperf-bench.XXXXXX")
  unpacked=$(mktemp -d "${RUNNER_TEMP:-/tmp}/wperf.XXXXXX")
  wperf=$(find_wperf "${WPERF:-wperf}" "$unpacked")
  split old "$OLD"
  split new "$NEW"
  split options "${OPTIONS:-}"
  while IFS= read -r condition; do
    [ -z "$condition" ] || conditions+=(--fail-if "$condition")
  done <<<"${CONDITIONS:-}"
  "$wperf" bench "${options[@]}" "${conditions[@]}" --github --junit "$folder/gate.xml" --markdown "$folder/bench.md" \
    -o "$folder/bench.json" -- "${old[@]}" --- "${new[@]}" || status=$?
  [ ! -s "$folder/bench.md" ] || cat "$folder/bench.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  printf 'status=%s\nfolder=%s\n' "$status" "$folder" >>"${GITHUB_OUTPUT:-/dev/stdout}"
}

# The comment is found again by its first line. People could write that line, too, so only comments of bots count.
comment() {
  local mark="<!-- wperf bench${NAME:+ $NAME} -->" id body
  [ -s "$FOLDER/bench.md" ] || { echo "there is no result to comment"; return; }
  body=$FOLDER/comment.md
  { echo "$mark"; cat "$FOLDER/bench.md"; } >"$body"
  id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id" | head -n 1)
  if [ -n "$id" ]; then
    gh api --silent -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$body"
  else
    gh api --silent "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" -F "body=@$body"
  fi
}

case "${1:-}" in
  run) check_name; run ;;
  comment) check_name; comment ;;
  *)
    sed -n '3,6s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
