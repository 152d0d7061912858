# shellcheck shell=bash
# A second throw-away S3 for services.sh, which sources this: OpenStack Swift's proxy with its s3api, and one account,
# container and object server on one device. Everything is in the folder swift, the working folder of its processes.

readonly swift_key=menagerie:tester swift_secret=menagerie-swift-secret
readonly swift_servers=(account container object proxy)

declare -A swift_pid=()

swift_daemon() { # <server>
  # Its forked workers are in its process group, which is also its session.
  (echo "$BASHPID" >"$1.pid" && exec setsid "${as_user[@]}" "swift-$1-server" "$PWD/$1.conf" -v) >"$1.out" 2>&1 </dev/null &
  swift_pid[$1]=$!
}

swift_storage() { # <server> <port>
  cat <<END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $2
workers = 0
user = $owner
swift_dir = $PWD
devices = $PWD/devices
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_name = $1
log_address = /dev/null
log_level = ERROR
# Listings show an object right after its PUT: the response waits for the container.
container_update_timeout = 20
[pipeline:main]
pipeline = $1-server
[app:$1-server]
use = egg:swift#$1
END
}

swift_proxy() { # <port>
  cat <<END
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $1
workers = 0
user = $owner
swift_dir = $PWD
log_name = proxy
log_address = /dev/null
log_level = ERROR
[pipeline:main]
pipeline = catch_errors cache s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 20
node_timeout = 60
# tempauth insists on a cache. An unavailable one is never stale.
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:9
[filter:slo]
use = egg:swift#slo
[filter:tempauth]
use = egg:swift#tempauth
user_${swift_key/:/_} = $swift_secret .admin
[filter:s3api]
use = egg:swift#s3api
# Small, so that a few objects fill several pages.
max_bucket_listing = 100
[filter:catch_errors]
use = egg:swift#catch_errors
END
}

swift_ring() { # <server> <port>
  {
    swift-ring-builder "$1.builder" create 1 1 1 &&
      swift-ring-builder "$1.builder" add "r1z1-127.0.0.1:$2/device" 1 &&
      swift-ring-builder "$1.builder" rebalance
  } >"$1.ring.out" 2>&1
}

swift_begin() { # <port of the proxy>
  local server port
  for server in account container object; do
    port=$(free_port)
    swift_storage "$server" "$port" >"$server.conf"
    swift_ring "$server" "$port" || return
    swift_daemon "$server"
    swift_port[$server]=$port
  done
  swift_proxy "$1" >proxy.conf
  swift_daemon proxy
  swift_port[proxy]=$1
  for server in "${swift_servers[@]}"; do
    listens "${swift_pid[$server]}" "${swift_port[$server]}" || return
  done
}

start_swift() {
  local program port folder=$dir/swift
  local -A swift_port=()
  for program in swift-ring-builder swift-{account,container,object,proxy}-server; do
    command -v "$program" >/dev/null || fail 'Swift is not installed: apt-get install --no-install-recommends' \
      'swift swift-account swift-container swift-object swift-proxy'
  done
  for _ in 1 2 3; do
    stop_swift
    rm -rf "$folder"
    mkdir -p "$folder/devices/device"
    [ "${#as_user[@]}" = 0 ] || chown -R "$owner:" "$folder"
    cd "$folder" || return
    port=$(free_port)
    if swift_begin "$port"; then
      printf '%s\n' "TEST_SWIFT_ENDPOINT=http://127.0.0.1:$port" "TEST_SWIFT_ACCESS_KEY_ID=$swift_key" \
        "TEST_SWIFT_SECRET_ACCESS_KEY=$swift_secret"
      return
    fi
  done
  fail "Swift did not start: $(tail -qn 4 ./*.out | grep .)"
}

stop_swift() {
  local server
  for server in "${swift_servers[@]}"; do
    [ ! -s "$dir/swift/$server.pid" ] || stop_process "$(<"$dir/swift/$server.pid")" "$dir/swift" KILL
  done
}
