#!/usr/bin/env bash
# test/deploy/in-tree.sh <tree> <uid:gid> <data or ''> <command…>: runs a command with the tree as its root, as root on Linux.
# With data, a folder, the tree is read-only but for /data, which is that folder.
set -euo pipefail
[ "${IN_TREE:-}" = mounted ] || IN_TREE=mounted exec unshare --mount "$0" "$@"
tree=$1 user=$2 data=$3
shift 3
if [ -n "$data" ]; then
  mount --bind "$tree" "$tree"
  mount --bind "$data" "$tree/data"
  mount -o remount,bind,ro "$tree"
fi
mount --bind /dev "$tree/dev"
mount -t proc proc "$tree/proc"
unset IN_TREE
exec chroot --userspec="$user" "$tree" "$@"
