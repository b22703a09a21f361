#!/bin/sh
# Shows the main job on real input: two devices, one shared folder, edits on both while they are apart, and what
# each sees when they have met. demo.sh BINARY
set -eu

runic=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/runic-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
RUNIC_PASSPHRASE='correct horse battery staple'
export RUNIC_PASSPHRASE

say() { printf '\n== %s\n\n' "$*"; }
show() {
  printf '$ runic'
  printf ' %s' "$@"
  printf '\n'
}
on() {
  device=$1
  shift
  printf '%s' "$device "
  show "$@"
  "$runic" --repo "$work/$device" "$@"
}

say "A laptop begins a repository and puts it into a shared folder"
on laptop init --name laptop --passphrase
on laptop remote add home "$work/shared"
on laptop record usage --provider claude --used 4200 --limit 10000 --account me@example.com
on laptop record preferences theme=dark refreshInterval=600
on laptop record alert --provider claude --warning 0.8
on laptop push

say "A desktop clones it with the passphrase"
on desktop clone "$work/shared" --name desktop
on desktop list usage

say "Both record while they are apart: different keys, and one key twice"
on laptop record usage --provider codex --used 900 --limit 5000
on laptop record preferences theme=light displayFormat=compact
on desktop record usage --provider gemini --used 17 --limit 1000
on desktop record preferences theme=blue notificationsEnabled=true
on desktop record alert --provider claude --critical 0.9 --disabled

say "They meet in the folder"
on laptop push
on desktop sync
on laptop sync

say "What each device sees"
for device in laptop desktop; do
  on "$device" list usage
  on "$device" get preferences user-preferences
  on "$device" get alert claude
  on "$device" conflicts
done

say "The one conflict is settled on the desktop, and so everywhere"
on desktop resolve preferences user-preferences theme --ours
on desktop push
on laptop pull
on laptop get preferences user-preferences theme
on laptop conflicts

say "What lies in the shared folder: sealed, signed, named by content"
(cd "$work/shared" && find . -type f | sort)
on laptop fsck home

say "Both devices show the same"
for kind in usage preferences alert; do
  "$runic" --repo "$work/laptop" list "$kind" --json >"$work/laptop.$kind"
  "$runic" --repo "$work/desktop" list "$kind" --json >"$work/desktop.$kind"
  cmp "$work/laptop.$kind" "$work/desktop.$kind"
  printf '%s: %s records, the same on both\n' "$kind" "$(wc -l <"$work/laptop.$kind")"
done
