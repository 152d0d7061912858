#!/usr/bin/env bash
# Generates clients from the OpenAPI documents and compiles them strictly, then calls every operation of the running
# services through Prism, which compares requests and replies with the documents that they serve.
# Usage: test/reference/openapi-clients.sh [folder for what it installs and writes]
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(realpath -m "${1:-$(mktemp -d "${TMPDIR:-/tmp}/menagerie-clients.XXXXXX")}")
root=$PWD
started=()

finish() {
  local code=$? pid
  trap - EXIT
  for pid in "${started[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  wait || true
  [ "$code" = 0 ] || tail -n 20 "$work"/*.log
  [ -n "${1:-}" ] || rm -rf "$work"
  exit "$code"
}
trap "finish ${1:+kept}" EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

start() { # <name> <command…>
  "${@:2}" >"$work/$1.log" 2>&1 &
  started+=($!)
}

wait_for() { # <URL>
  node -e "
    const url = process.argv[1], until = Date.now() + 20_000
    const ask = () => fetch(url).then((r) => r.ok, () => false).then((ok) => {
      if (!ok && Date.now() > until) { console.error(url + ' did not answer within 20 s.'); process.exit(1) }
      if (!ok) setTimeout(ask, 100)
    })
    ask()" "$1"
}

mkdir -p "$work"
cp test/reference/openapi-clients/* docs/openapi*.json "$work"
npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund >"$work/install.log" 2>&1
export PATH=$root/node_modules/.bin:$PATH
tools=$work/node_modules/.bin

cd "$work"
node "$tools/openapi-typescript" openapi.json -o api.d.ts >types.log
node "$tools/openapi-typescript" openapi.worker.json -o worker.d.ts >>types.log
node "$tools/orval" >orval.log 2>&1
node "$tools/tsc" -p .
echo 'openapi-typescript, openapi-fetch and orval: the clients compile'

read -r port status_port api worker < <(node -e "
  const servers = [0, 0, 0, 0].map(() => require('net').createServer().listen(0))
  setTimeout(() => { console.log(servers.map((s) => s.address().port).join(' ')); servers.forEach((s) => s.close()) }, 50)")
export DATA_DIR=$work/data PORT=$port STATUS_PORT=$status_port STATUS_GET_HEARTBEATS=true
export STATUS_PAGE_COMPONENTS=backup=Backups
export STATUS_SERVICE_KIND=native STATUS_SERVICE_URL=http://127.0.0.1:$status_port
export STATUS_TARGETS=hook STATUS_TARGET_HOOK_KIND=webhook STATUS_TARGET_HOOK_URL=http://127.0.0.1:$status_port/hook
export STATUS_TARGET_HOOK_TOKEN=$(head -c 24 /dev/urandom | base64)
export RATE_LIMIT_GLOBAL_MAX=0 RATE_LIMIT_AUTH_MAX=0 RATE_LIMIT_REGISTER_MAX=0
password='correct horse battery'
echo "$password" | node "$root/src/bin/cli.ts" owner create keeper >owner.log
start service node "$root/src/bin/start.ts"
wait_for "http://127.0.0.1:$port/ready"
wait_for "http://127.0.0.1:$status_port/livez"
for service in "$port $api" "$status_port $worker"; do
  read -r from to <<<"$service"
  start "prism-$to" node "$tools/prism" proxy --errors -p "$to" "http://127.0.0.1:$from/openapi.json" "http://127.0.0.1:$from"
done
wait_for "http://127.0.0.1:$api/health"
wait_for "http://127.0.0.1:$worker/livez"
node "$root/test/reference/openapi-walk.ts" "http://127.0.0.1:$api" "http://127.0.0.1:$worker" "$password"
