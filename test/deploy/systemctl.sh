#!/usr/bin/env bash
# In place of systemctl, for test/deploy/systemd.test.ts: runs ExecStart of the units with their user and folders, but
# without what only systemd can do. Their output goes to $UNIT_LOGS/<unit>.log.
set -euo pipefail
value() { sed -n "s/^$2=//p" "/etc/systemd/system/$1.service"; }

stop() { # <unit>
  local pid
  pid=$(cat "$UNIT_LOGS/$1.pid" 2>/dev/null) || return 0
  # Another process may get this number.
  rm "$UNIT_LOGS/$1.pid"
  kill "$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

start() { # <unit>
  local user
  user=$(value "$1" User)
  install -d -o "$user" -m "$(value "$1" StateDirectoryMode)" "/var/lib/$(value "$1" StateDirectory)"
  cd "$(value "$1" WorkingDirectory)"
  # shellcheck disable=SC2046
  setsid runuser -u "$user" -- $(value "$1" ExecStart) >"$UNIT_LOGS/$1.log" 2>&1 </dev/null &
  echo $! >"$UNIT_LOGS/$1.pid"
}

command=$1
shift
case $command in
  daemon-reload) systemd-analyze verify /etc/systemd/system/menagerie-*.service ;;
  enable | restart | stop)
    for unit in "${@#--now}"; do
      [ -n "$unit" ] || continue
      stop "$unit"
      [ "$command" = stop ] || start "$unit"
    done
    ;;
  *) exit 1 ;;
esac
