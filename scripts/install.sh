#!/bin/sh
# Installs what was built, and takes away again exactly what it installed:
#
#   install.sh BINARY PREFIX           installs, and notes what in PREFIX/share/doc/runic/installed
#   install.sh --remove PREFIX         removes what is noted there
#   install.sh --stage BINARY FOLDER   puts the same files into a folder for a package, and notes nothing
#
# PREFIX begins with a slash: of PREFIX=~/.local most shells hand on the ~ as it stands.
set -eu
cd "$(dirname "$0")/.."

note=share/doc/runic/installed

# What is installed, a line each: mode, target below the prefix, source.
layout() {
  echo "755 bin/runic $1"
  echo "644 share/bash-completion/completions/runic completions/runic.bash"
  echo "644 share/zsh/site-functions/_runic completions/_runic"
  echo "644 share/fish/vendor_completions.d/runic.fish completions/runic.fish"
  for page in docs/man/*.[17]; do
    echo "644 share/man/man${page##*.}/${page##*/} $page"
  done
  echo "644 share/doc/runic/LICENSE LICENSE"
}

# PATH: takes it for the prefix.
set_prefix() {
  case $1 in
    /*) prefix=$1 ;;
    *)
      echo "install.sh: error: the prefix '$1' is no whole path" >&2
      echo "install.sh: hint: begin it with a slash, as in PREFIX=\"\$HOME/.local\"" >&2
      exit 2
      ;;
  esac
}

# FOLDER: makes it below the prefix with what is missing above it, and prints what it made.
make_folder() {
  [ -d "$prefix/$1" ] && return 0
  case $1 in */*) make_folder "${1%/*}" ;; esac
  mkdir "$prefix/$1"
  chmod 755 "$prefix/$1"
  echo "$1/"
}

# Next to its target, then renamed: a program that runs at this moment is not disturbed.
put() {
  cp "$3" "$prefix/$2.new"
  chmod "$1" "$prefix/$2.new"
  [ "$1" = 644 ] || strip "$prefix/$2.new" 2>/dev/null || true
  mv -f "$prefix/$2.new" "$prefix/$2"
}

# Copies everything and prints what came to be, folders first.
copy_all() {
  layout "$1" | while read -r mode target source; do
    make_folder "${target%/*}"
    put "$mode" "$target" "$source"
    echo "$target"
  done
}

# The noted paths, the deepest first; never one that leads out of the prefix.
noted() {
  [ -f "$prefix/$note" ] || return 0
  grep -v -e '^/' -e '\.\.' "$prefix/$note" | sort -r
}

case $1 in
  --remove)
    set_prefix "$2"
    # The note's own folder comes after the note itself.
    noted >"${TMPDIR:-/tmp}/runic-noted.$$"
    rm -f "$prefix/$note"
    while read -r path; do
      case $path in
        */) rmdir "$prefix/$path" 2>/dev/null || true ;;
        *) rm -f "$prefix/$path" ;;
      esac
    done <"${TMPDIR:-/tmp}/runic-noted.$$"
    rm -f "${TMPDIR:-/tmp}/runic-noted.$$"
    ;;
  --stage)
    prefix=$3
    mkdir -p "$prefix"
    copy_all "$2" >/dev/null
    ;;
  *)
    set_prefix "$2"
    mkdir -p "$prefix"
    before=$(noted)
    now=$(copy_all "$1")
    # What an older version put there and this one does not have is taken away; its folders stay noted.
    printf '%s\n' "$before" | while read -r path; do
      case $path in
        '' | */) ;;
        *) printf '%s\n' "$now" | grep -qxF "$path" || rm -f "$prefix/$path" ;;
      esac
    done
    { printf '%s\n' "$before" | grep '/$' || :; printf '%s\n' "$now"; } | sort -u >"$prefix/$note.new"
    mv -f "$prefix/$note.new" "$prefix/$note"
    echo "installed $prefix/bin/runic"
    ;;
esac
