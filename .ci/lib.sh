# shellcheck shell=bash
# What the gates share: quick, run, and full source it from the root of the repository.

linter=v2.15.0
# What is built once and kept between runs, as a CI service caches it.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/fusebox-ci

# Paths are left out of what is compiled, so that a clone at another place finds
# it in Go's cache.
GOFLAGS="$(go env GOFLAGS) -trimpath"
export GOFLAGS
# A program with the race detector waits a second before it ends, so that other
# threads can report what they see. Most of the programs that tests start are
# killed on purpose, and report at once what they find.
export GORACE=${GORACE:-atexit_sleep_ms=50}
# Collecting garbage less often saves processor time and changes no result.
export GOGC=${GOGC:-400}

# step says what begins, and done_step how long it took.
stage=""
step() {
  done_step
  stage=$* began=$SECONDS
  printf '\n== %s\n' "$stage"
}
done_step() {
  [ -z "$stage" ] || printf '== %s: %d s\n' "$stage" $((SECONDS - began))
  stage=""
}

need_package() { # command or file, Debian package
  { command -v "$1" >/dev/null 2>&1 || [ -e "$1" ]; } && return
  step "installing $2"
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

need_linter() {
  [ -x "$cache/golangci-lint-$linter/golangci-lint" ] && return
  step "building golangci-lint $linter"
  GOFLAGS="" GOBIN="$cache/golangci-lint-$linter" go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$linter"
}

work=$(mktemp -d)
memory=""
# Each check is a process group of its own (set -m), which ends as a whole.
clean() {
  local pid
  for pid in $(jobs -p); do
    kill -- "-$pid" 2>/dev/null || true
  done
  wait
  rm -rf "$work" "$memory"
}
trap clean EXIT

# Checks that run beside the tests take the time in which these wait.
declare -A checks
beside() { # name, command
  local name=$1
  shift
  set -m
  { stage=""; renice -n 10 -p "$BASHPID" >/dev/null; "$@"; } >"$work/$name.log" 2>&1 </dev/null &
  checks[$name]=$!
  set +m
}
finish() { # name: shows what a check said, and fails where it failed
  local status=0
  wait "${checks[$1]}" || status=$?
  cat "$work/$1.log"
  return $status
}

lint() { # flags of go build
  GOFLAGS="$GOFLAGS $*" "$cache/golangci-lint-$linter/golangci-lint" run --allow-parallel-runners ./...
}

# Databases of tests wait for the disk at each commit: where there is room in
# memory, they are put there. Go's own files stay where they would be: only what it
# starts is told of the folder, which Go itself would use as well.
# The folder has the same name in each run, so that Go keeps the results of packages
# that did not change; a second run beside the first one takes another.
use_memory() {
  [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt 2000000 ] || return 0
  memory=/dev/shm/fusebox-ci-$(id -u)
  exec 9>"$memory.lock"
  if flock -n 9; then
    rm -rf "$memory"
    mkdir "$memory"
  else
    memory=$(mktemp -d /dev/shm/fusebox-ci-XXXXXX)
  fi
  chmod 711 "$memory" # tests run the program as somebody else
}

# run_tests is go test. Lint includes vet, and linking without debug information is quicker.
run_tests() { # arguments of go test
  local tmp=${memory:-${TMPDIR:-/tmp}}
  go test -vet=off -ldflags=-w -exec "env TMPDIR=$tmp GOTMPDIR=$tmp" "$@"
}

# run_all tests every package; what takes longest begins first. Tests of the whole program
# wait more than they compute: four of them at a time keep two processors at work.
run_all() { # arguments of go test
  run_tests -parallel 4 "$@" ./cmd/fusebox/e2e ./agent/loop/looptest ./web ./...
}
