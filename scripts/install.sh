#!/bin/sh
# Installs what was built: install.sh BINARY PREFIX; takes it away again: install.sh --remove PREFIX
set -eu
cd "$(dirname "$0")/.."

binary=$1
prefix=$2

bash_completion=$prefix/share/bash-completion/completions/runic
zsh_completion=$prefix/share/zsh/site-functions/_runic
fish_completion=$prefix/share/fish/vendor_completions.d/runic.fish

if [ "$binary" = --remove ]; then
  rm -f "$prefix/bin/runic" "$bash_completion" "$zsh_completion" "$fish_completion"
  rm -f "$prefix"/share/man/man1/runic.1 "$prefix"/share/man/man1/runic-*.1
  rm -rf "$prefix/share/doc/runic"
  exit 0
fi

# FILE TARGET: installs a file where it exists.
put() {
  [ -f "$1" ] || return 0
  mkdir -p "$(dirname "$2")"
  install -m 644 "$1" "$2"
}

mkdir -p "$prefix/bin"
# Next to its target, then renamed: a program that runs at this moment is not disturbed.
install -m 755 "$binary" "$prefix/bin/.runic.new"
strip "$prefix/bin/.runic.new" 2>/dev/null || true
mv -f "$prefix/bin/.runic.new" "$prefix/bin/runic"

put completions/runic.bash "$bash_completion"
put completions/_runic "$zsh_completion"
put completions/runic.fish "$fish_completion"
for page in man/runic*.1; do
  put "$page" "$prefix/share/man/man1/$(basename "$page")"
done
put LICENSE "$prefix/share/doc/runic/LICENSE"
echo "installed $prefix/bin/runic"
