#!/usr/bin/env bash
# Holds the Dockerfile against a linter and deploy/kubernetes/ against the schemas of Kubernetes.
# Usage: test/deploy/lint.sh <folder for what it installs and writes>
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
export PATH=$root/node_modules/.bin:$PATH
mkdir -p "$1"
cp test/deploy/lint/* "$1"
cd "$1"
npm ci --ignore-scripts --no-audit --no-fund >install.log 2>&1 || {
  cat install.log
  exit 1
}
node node_modules/.bin/dockerfile-utils lint "$root/Dockerfile"
node kubernetes.mjs "$root"/deploy/kubernetes/*.yaml
tsc --noEmit --strict --skipLibCheck --target esnext --module nodenext --types '' objects.ts
