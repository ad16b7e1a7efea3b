#!/bin/sh
# install.sh [PREFIX]: installs ckdb, its manual and its completions below PREFIX, or /usr/local. Takes
# them from the folder that this script lies in. DESTDIR goes before PREFIX, for a package.
set -eu
umask 022
prefix=${1:-/usr/local}
case $prefix in
  -*)
    echo "usage: sh install.sh [PREFIX]" >&2
    exit 64
    ;;
esac
target=${DESTDIR:-}$prefix
cd "$(dirname "$0")"

mkdir -p "$target/bin"
# The program is copied by one write: it lies in the page cache in large pieces then, and each start
# takes fewer page faults. A ckdb that runs is not disturbed.
rm -f "$target/bin/ckdb.new"
dd if=bin/ckdb of="$target/bin/ckdb.new" bs=67108864 2>/dev/null
chmod 755 "$target/bin/ckdb.new"
mv -f "$target/bin/ckdb.new" "$target/bin/ckdb"

find share -type f | while IFS= read -r file; do
  mkdir -p "$target/${file%/*}"
  rm -f "$target/$file"
  cp "$file" "$target/$file"
  chmod 644 "$target/$file"
done
echo "installed $target/bin/ckdb, its man pages, and completions for bash, zsh and fish"

# What a shell does not find by itself.
[ -z "${DESTDIR:-}" ] || exit 0
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "add to the shell's startup file: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
case $prefix in
  /usr | /usr/local) ;;
  *)
    echo "for zsh, add to ~/.zshrc before compinit:" \
      "fpath=(\"$prefix/share/zsh/site-functions\" \$fpath)"
    ;;
esac
