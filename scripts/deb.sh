#!/bin/sh
# Makes a Debian package of a program that was built, with the files that 'make install' installs:
# deb.sh BINARY FOLDER. The same input makes the same bytes. MAINTAINER names who answers for it.
set -eu
cd "$(dirname "$0")/.."
. scripts/release-facts

maintainer=${MAINTAINER:-The runic authors <authors@runic.invalid>}
binary=$1
mkdir -p "$2"
target=$(CDPATH='' cd -- "$2" && pwd)
architecture=$(dpkg --print-architecture)
work=$(mktemp -d "${TMPDIR:-/tmp}/runic-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
root=$work/root
documents=$root/usr/share/doc/runic

mkdir -p "$root/DEBIAN"
chmod 755 "$root"
./scripts/install.sh --stage "$binary" "$root/usr"
# Debian's zsh looks there, and its licences stand in a file of their own.
mkdir -p "$root/usr/share/zsh/vendor-completions" "$root/usr/share/lintian/overrides"
mv "$root/usr/share/zsh/site-functions/_runic" "$root/usr/share/zsh/vendor-completions/_runic"
rmdir "$root/usr/share/zsh/site-functions"
{
  echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
  echo 'Upstream-Name: runic'
  echo
  echo 'Files: *'
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
  echo 'License: Expat'
  sed '1,/^Copyright/d; /./!d' LICENSE | sed 's/^/ /; s/^ THE SOFTWARE IS/ .\n&/; s/^ The above/ .\n&/'
} >"$documents/copyright"
rm "$documents/LICENSE"
{
  printf 'runic (%s) unstable; urgency=medium\n\n' "$version"
  printf '  * Release %s; its changes are told in CHANGELOG.md of the source.\n\n' "$version"
  printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$documents/changelog.gz"
gzip -9n "$root"/usr/share/man/man*/*
# One file that runs everywhere is what the package is for.
echo 'runic: statically-linked-binary [usr/bin/runic]' >"$root/usr/share/lintian/overrides/runic"

size=$(find "$root/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
cat >"$root/DEBIAN/control" <<END
Package: runic
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Section: utils
Priority: optional
Recommends: openssh-client, rsync
Suggests: libnotify-bin, rclone, sqlite3, zstd
Description: encrypted, file-based sync of usage, preferences and alerts
 runic records what AI tools use, preferences and alert thresholds on every
 machine, offline, and brings them together through a folder that the machines
 share already, or through rsync, ssh or rclone.
 .
 What lies in that folder is encrypted, can be checked without the key, and is
 never written by two machines at once.
END
(cd "$root" && find usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} +
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

package=runic_${version}_$architecture.deb
dpkg-deb --root-owner-group --uniform-compression -Zxz --build "$root" "$work/$package" >/dev/null
mv -f "$work/$package" "$target/"
echo "made $target/$package"
