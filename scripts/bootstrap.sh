#!/bin/bash
# usage: scripts/bootstrap.sh [--lint] [--asan]
# Installs what is missing on Debian 12: packages through apt, and .venv with the
# Python packages of scripts/requirements*.txt. Quick when nothing is missing;
# never asks a question.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
          libclang-rt-22-dev cmake ninja-build ccache nlohmann-json3-dev python3
          python3-venv python3-dev
          # Threads of compiled host code.
          libomp5-19
          # To link and run what is compiled for another processor, in a test.
          qemu-user-static libc6-dev-arm64-cross libgcc-12-dev-arm64-cross)
for option in "$@"; do
  case $option in
    --lint) packages+=(clang-format-22 clang-tidy-22) ;;
    --asan) packages+=(libclang-rt-22-dev) ;;
    *) echo "bootstrap.sh: unknown option $option" >&2; exit 2 ;;
  esac
done

say() { echo "bootstrap: $*"; }
fail() { echo "bootstrap: error: $*" >&2; exit 1; }

# The packages that dpkg does not have in the state "installed".
missing_packages() {
  comm -23 <(printf '%s\n' "${packages[@]}" | sort) \
           <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" \
               2>/dev/null | sed -n 's/^installed //p' | sort)
}

install_packages() {
  command -v apt-get >/dev/null ||
    fail "missing: ${missing[*]}; they are installed with apt on Debian 12, and there is no apt-get here"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "missing: ${missing[*]}; run as root: apt-get install ${missing[*]}"
    root=(sudo -n)
    sudo -n true 2>/dev/null ||
      fail "missing: ${missing[*]}; sudo asks for a password here, so run: sudo apt-get install ${missing[*]}"
  fi
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q
             -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  say "installing ${missing[*]}"
  "${apt[@]}" update || fail "apt-get update failed (no network?); missing: ${missing[*]}"

  # LLVM 22 is in Debian's own security archive, which a bare debootstrap leaves
  # out of its sources. It is then read for this one installation; the machine's
  # own configuration stays as it is.
  if [ -z "$(apt-cache madison llvm-22-dev 2>/dev/null)" ]; then
    . /etc/os-release
    [ "${VERSION_CODENAME:-}" = bookworm ] ||
      fail "no package llvm-22-dev: it is in Debian 12 (bookworm); this is ${PRETTY_NAME:-unknown}"
    # Mirrors have the two archives side by side: .../debian, .../debian-security.
    local archive security line
    archive=$(apt-get indextargets --format '$(REPO_URI)' 'Release: bookworm' 2>/dev/null |
              sed -n 's#/*$##; \#/debian$#{p;q}')
    security=${SCAN_DEBIAN_SECURITY:-${archive:+$archive-security}}
    [ -n "$security" ] ||
      fail "no package llvm-22-dev: it is in Debian's security archive, which the apt sources lack; name a mirror of it in SCAN_DEBIAN_SECURITY"
    line="deb $security bookworm-security main"
    say "the apt sources lack Debian's security archive; using for this installation: $line"
    sources=$(mktemp -d)
    trap 'rm -rf "$sources"' EXIT
    chmod 755 "$sources"
    if [ -d /etc/apt/sources.list.d ]; then cp -r /etc/apt/sources.list.d/. "$sources"; fi
    echo "$line" >"$sources/bookworm-security.list"
    apt+=(-o "Dir::Etc::SourceParts=$sources")
    "${apt[@]}" update || fail "apt-get update failed with the source: $line"
  fi
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    fail "apt-get install failed; missing: ${missing[*]}"
}

command -v dpkg-query >/dev/null ||
  fail "this machine has no dpkg; the packages to install by hand are: ${packages[*]}"
mapfile -t missing < <(missing_packages)
if [ "${#missing[@]}" -gt 0 ]; then install_packages; fi

# .venv, from Debian's own Python, so that it does not depend on PATH. A stamp
# holds the requirements that it was made from.
make_venv() {
  if ! .venv/bin/python -c '' 2>/dev/null; then
    say "creating .venv"
    rm -rf .venv
    /usr/bin/python3 -m venv .venv || fail "/usr/bin/python3 -m venv .venv failed"
  fi
}

# pip_install STAMP ARGUMENTS...: installs unless the stamp is up to date.
pip_install() {
  local stamp=.venv/$1 requirements=$2
  shift 2
  if cmp -s "$stamp" "$requirements" && .venv/bin/python -c '' 2>/dev/null; then return; fi
  make_venv
  say "installing from $requirements into .venv"
  .venv/bin/python -m pip install --disable-pip-version-check --no-input \
    --progress-bar off "$@" -r "$requirements" || return 1
  cp "$requirements" "$stamp"
}

pip_install requirements scripts/requirements.txt ||
  fail "pip could not install scripts/requirements.txt (no network?)"

.venv/bin/python scripts/xla_headers.py ||
  fail "the headers of XLA's custom calls could not be downloaded (no network?)"

# Without ptxas everything but the assembling of PTX works, so that a failure
# here is reported and left to the commands that need it.
if ! .venv/bin/python scripts/cuda_toolkit.py >/dev/null 2>&1; then
  say "no CUDA Toolkit with ptxas and libdevice: taking its wheels from PyPI"
  pip_install requirements-cuda scripts/requirements-cuda.txt --no-deps ||
    say "warning: the wheels could not be installed: no PTX will be assembled"
fi
