#!/bin/sh
# Makes one tarball of a program that was built, the manual, the completions, the licence and their checksums:
# dist.sh BINARY FOLDER. The same input makes the same bytes.
set -eu
cd "$(dirname "$0")/.."
. scripts/release-facts

binary=$1
mkdir -p "$2"
target=$(CDPATH='' cd -- "$2" && pwd)
name=runic-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
work=$(mktemp -d "${TMPDIR:-/tmp}/runic-dist.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

./scripts/install.sh --stage "$binary" "$work/$name"
(cd "$work/$name" && find . -type f | sed 's|^\./||' | sort | xargs sha256sum >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$work/$name/SHA256SUMS"

tar --create --directory "$work" --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
  --numeric-owner --mode='u=rwX,go=rX' "$name" | gzip -9n >"$work/$name.tar.gz"
(cd "$work" && sha256sum "$name.tar.gz" >"$target/$name.tar.gz.sha256")
mv -f "$work/$name.tar.gz" "$target/"
echo "made $target/$name.tar.gz"
