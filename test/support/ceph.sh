# shellcheck shell=bash
# A throw-away S3 for services.sh, which sources this: Ceph's gateway, with one monitor and one store in memory.
# Everything is in the folder ceph, which is also the working folder of its processes: no path can be too long.

ceph_once() {
  timeout --foreground 20 "${as_user[@]}" "$@" >/dev/null 2>>once.out </dev/null
}

declare -A ceph_pid=()

# In its own session, so that a Ctrl-C does not reach it. The pid is written first, so that stop always finds it.
ceph_daemon() { # <name> <program> <option…>
  (echo "$BASHPID" >"$1.pid" && exec setsid "${as_user[@]}" "${@:2}" -c ceph.conf -f) >"$1.out" 2>&1 </dev/null &
  ceph_pid[$1]=$!
}

ceph_config() { # <fsid> <port of the monitor> <port of the gateway>
  cat <<END
[global]
fsid = $1
mon_host = v2:127.0.0.1:$2
ms_bind_retry_delay = 0
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
# By default, the gateway insists on an encrypted connection, which needs authentication.
ms_mon_client_mode = crc
admin_socket =
pid_file =
run_dir = .
crash_dir = .
log_file = \$name.log
mon_cluster_log_file = cluster.log
mon_data = mon
# Ignores how full the machine's disk is.
mon_data_avail_warn = 1
mon_data_avail_crit = 1
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
osd_data = osd
osd_objectstore = memstore
memstore_device_bytes = 4294967296
osd_class_load_list = *
osd_class_default_list = *
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
# A client that connects before the store is up retries soon, not after 5 s.
objecter_tick_interval = 0.1
rgw_data = rgw
rgw_frontends = beast endpoint=127.0.0.1:$3 tcp_nodelay=1
# A bucket is also a host: <bucket>.localhost. With any other host, such as 127.0.0.1, it is in the path.
rgw_dns_name = localhost
rgw_thread_pool_size = 32
rgw_run_sync_thread = false
rgw_dynamic_resharding = false
rgw_override_bucket_index_max_shards = 1
END
}

# The monitor's initial map already contains the OSD, so it need not be registered later.
ceph_begin() { # <port of the monitor> <port of the gateway>
  local id
  id=$(</proc/sys/kernel/random/uuid)
  ceph_config "$id" "$1" "$2" >ceph.conf &&
    ceph_once monmaptool --create --fsid "$id" --addv a "[v2:127.0.0.1:$1]" monmap &&
    ceph_once osdmaptool -c ceph.conf --createsimple 1 osdmap &&
    ceph_once ceph-mon -c ceph.conf -i a --mkfs --monmap monmap --osdmap osdmap &&
    ceph_daemon mon ceph-mon -i a &&
    listens "${ceph_pid[mon]}" "$1" &&
    ceph_once ceph-osd -c ceph.conf -i 0 --mkfs --osd-uuid "$id" &&
    ceph_daemon osd ceph-osd -i 0 &&
    ceph_once radosgw-admin -c ceph.conf -n client.rgw user create --uid test --display-name test \
      --access-key "$ceph_key" --secret-key "$ceph_secret" &&
    ceph_daemon rgw radosgw -n client.rgw &&
    listens "${ceph_pid[rgw]}" "$2"
}

readonly ceph_key=menagerie-test-key ceph_secret=menagerie-test-secret

start_ceph() {
  local program port folder=$dir/ceph
  for program in ceph-mon ceph-osd radosgw-admin radosgw; do
    command -v "$program" >/dev/null ||
      fail 'Ceph is not installed: apt-get install --no-install-recommends ceph-mon ceph-osd ceph-common radosgw'
  done
  for _ in 1 2 3; do
    stop_ceph
    rm -rf "$folder"
    mkdir -p "$folder"/{mon,osd,rgw}
    [ "${#as_user[@]}" = 0 ] || chown -R "$owner:" "$folder"
    cd "$folder" || return
    port=$(free_port)
    if ceph_begin "$(free_port)" "$port"; then
      printf '%s\n' "TEST_S3_ENDPOINT=http://127.0.0.1:$port" "TEST_S3_ACCESS_KEY_ID=$ceph_key" \
        "TEST_S3_SECRET_ACCESS_KEY=$ceph_secret"
      return
    fi
  done
  fail "Ceph did not start: $(tail -qn 4 ./*.out | grep .)"
}

# There is nothing worth writing back.
stop_ceph() {
  local name
  for name in rgw osd mon; do
    [ ! -s "$dir/ceph/$name.pid" ] || stop_process "$(<"$dir/ceph/$name.pid")" "$dir/ceph" KILL
  done
}
