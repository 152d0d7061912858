#!/usr/bin/env bash
# Throw-away servers for the tests: loopback only, a temporary folder, an unprivileged user, about two seconds.
#
#   scripts/services.sh run npm test        starts them, runs the command with their addresses, stops them
#   export $(scripts/services.sh start)     starts them and keeps them
#   scripts/services.sh stop                stops what that start began and removes its folder
#
# Needs Debian's packages:
# apt-get install --no-install-recommends postgresql pgbouncer redis-server ceph-mon ceph-osd ceph-common radosgw \
#   swift swift-account swift-container swift-object swift-proxy
# SERVICES="postgresql redis" starts only these. PG_PORT and PG_BIN choose a port and the folder of the programs.
# SERVICES_DIR is the folder (start makes it and names it).
# A further service is a pair start_<name> (prints its variables) and stop_<name>, and a name in this list.
set -euo pipefail
read -ra services <<<"${SERVICES:-postgresql redis ceph swift}"
readonly services

fail() {
  echo "services.sh: $*" >&2
  exit 1
}

# PostgreSQL refuses to run as root; its package creates the user.
as_user=()
owner=$(id -un)
if [ "$(id -u)" = 0 ]; then
  owner=${SERVICES_USER:-postgres}
  id "$owner" >/dev/null 2>&1 || fail "no user $owner to run as: install the package postgresql"
  as_user=(setpriv --reuid "$owner" --regid "$(id -gn "$owner")" --clear-groups --)
fi

free_port() {
  node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close() })"
}

# The pid may have been reused: our process runs in this folder, or was started with a file in it.
works_in() { # <pid> <folder>
  [ "$(readlink "/proc/$1/cwd" 2>/dev/null)" = "$2" ] || grep -qF "$2/" "/proc/$1/cmdline" 2>/dev/null
}

# Another process may have taken the port: only a socket of our process counts.
listens() { # <pid> <port>
  local pid=$1 address socket
  address=$(printf '0100007F:%04X' "$2")
  for _ in $(seq 1500); do
    works_in "$pid" "$PWD" || return 1
    socket=$(awk -v address="$address" '$2 == address && $4 == "0A" { print "socket:\\[" $10 "\\]" }' /proc/net/tcp)
    [ -z "$socket" ] || [ -z "$(find "/proc/$pid/fd" -lname "$socket" 2>/dev/null)" ] || return 0
    sleep 0.02
  done
  return 1
}

stop_process() { # <pid> <its working folder> <signal>
  local pid=$1 folder=$2 signal=$3
  for _ in $(seq 200); do
    works_in "$pid" "$folder" || return 0
    kill "-$signal" "$pid" 2>/dev/null || true
    sleep 0.05
  done
  kill -KILL "$pid" 2>/dev/null || true
}

start_postgresql() {
  local bin=${PG_BIN:-} data=$dir/postgresql log=$dir/postgresql.log port
  [ -n "$bin" ] || bin=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
  [ -x "$bin/initdb" ] || fail 'PostgreSQL is not installed: apt-get install --no-install-recommends postgresql'
  "${as_user[@]}" "$bin/initdb" -D "$data" -U menagerie -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions \
    >"$dir/initdb.log" 2>&1 || fail "initdb failed: $(tail -n 3 "$dir/initdb.log")"
  # Another process may take a free port before PostgreSQL does; another port is then tried.
  for _ in 1 2 3; do
    port=${PG_PORT:-$(free_port)}
    # Nothing here outlives the tests, so nothing is synced to disk.
    if "${as_user[@]}" "$bin/pg_ctl" start -D "$data" -w -t 20 -l "$log" -o "-p $port -c listen_addresses=127.0.0.1 \
      -c unix_socket_directories= -c max_connections=200 -c fsync=off -c synchronous_commit=off -c full_page_writes=off" \
      >/dev/null 2>&1 </dev/null; then
      echo "TEST_DATABASE_URL=postgres://menagerie@127.0.0.1:$port/postgres"
      return
    fi
  done
  fail "PostgreSQL did not start: $(tail -n 3 "$log")"
}

stop_postgresql() {
  local pidfile=$dir/postgresql/postmaster.pid
  [ -s "$pidfile" ] || return 0
  # QUIT stops at once, without writing anything back.
  stop_process "$(head -n 1 "$pidfile")" "$dir/postgresql" QUIT
}

start_redis() {
  local folder=$dir/redis port pid
  command -v redis-server >/dev/null ||
    fail 'Redis is not installed: apt-get install --no-install-recommends redis-server'
  mkdir -p "$folder"
  [ "${#as_user[@]}" = 0 ] || chown "$owner:" "$folder"
  cd "$folder" || return
  # Another process may take a free port before Redis does; Redis then exits, and another port is tried.
  for _ in 1 2 3; do
    port=$(free_port)
    # In its own session, so that a Ctrl-C does not reach it.
    (echo "$BASHPID" >pid && exec setsid "${as_user[@]}" redis-server --port "$port" --bind 127.0.0.1 \
      --save '' --appendonly no) >log 2>&1 </dev/null &
    pid=$!
    for _ in $(seq 400); do
      if grep -q 'Ready to accept connections' log; then
        echo "TEST_REDIS_URL=redis://127.0.0.1:$port/0"
        return
      fi
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.02
    done
    stop_redis
  done
  fail "Redis did not start: $(tail -n 3 log)"
}

# There is nothing worth writing back.
stop_redis() {
  [ ! -s "$dir/redis/pid" ] || stop_process "$(<"$dir/redis/pid")" "$dir/redis" KILL
}

start() {
  dir=${SERVICES_DIR:-$(mktemp -d "${TMPDIR:-/tmp}/menagerie-services.XXXXXX")}
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd -P)
  [ -z "$(ls -A "$dir")" ] || fail "$dir is not empty"
  touch "$dir/.services"
  [ "${#as_user[@]}" = 0 ] || chown -R "$owner:" "$dir"
  cd "$dir"
  trap stop EXIT
  # Takes effect once the current start is done, when what stop looks for exists.
  trap 'exit 130' INT
  trap 'exit 143' TERM
  local service variables=''
  for service in "${services[@]}"; do
    variables+=$("start_$service")$'\n'
  done
  trap - EXIT INT TERM
  printf 'SERVICES_DIR=%s\n%s' "$dir" "$variables"
}

stop() {
  local service
  for service in "${services[@]}"; do
    "stop_$service"
  done
  rm -rf "$dir"
}

run() {
  local variables
  variables=$(unset SERVICES_DIR && "$self" start)
  dir=$(sed -n 's/^SERVICES_DIR=//p' <<<"$variables")
  trap stop EXIT
  # After the trap, so that a Ctrl-C that the command also gets still stops the servers.
  trap : INT TERM
  while IFS= read -r variable; do export "${variable?}"; done <<<"$variables"
  "$@"
}

self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
# shellcheck source=test/support/ceph.sh
. "${self%/*}/../test/support/ceph.sh"
# shellcheck source=test/support/swift.sh
. "${self%/*}/../test/support/swift.sh"
case "${1:-}" in
  start) start ;;
  stop)
    [ -e "${SERVICES_DIR:?start has printed it}/.services" ] || fail "$SERVICES_DIR was not made by start"
    dir=$(cd "$SERVICES_DIR" && pwd -P)
    cd /
    stop
    ;;
  run)
    shift
    [ $# -gt 0 ] || fail 'run what?'
    run "$@"
    ;;
  *)
    echo "usage: $0 start | stop | run <command>" >&2
    exit 2
    ;;
esac
