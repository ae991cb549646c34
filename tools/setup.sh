#!/bin/sh
# Makes .venv ready: `tools/setup.sh run` for Kibitz itself, `tools/setup.sh test` for its tests as well.
# Whatever the machine lacks is said in one line with the command that mends it.
set -eu
cd "$(dirname "$0")/.."
want=${1:-run}

say() { echo "kibitz set-up: $*" >&2; }
stop() { say "$*"; exit 2; }

case $(uname -s) in
  Darwin) get_python="brew install python@3.12 (https://brew.sh)" ;;
  *) get_python="sudo apt-get install -y python3 python3-venv (Debian 12 or newer)" ;;
esac

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

if [ ! -x .venv/bin/python ] || ! fits .venv/bin/python; then
  python=
  for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null 2>&1 && fits "$candidate"; then python=$candidate; break; fi
  done
  [ -n "$python" ] || stop "no Python 3.11 or newer here: $get_python"
  say "making .venv with $("$python" --version) (once; a minute or two)"
  rm -rf .venv
  if ! "$python" -m venv .venv >/dev/null 2>&1; then
    rm -rf .venv
    stop "this Python cannot make virtual environments: sudo apt-get install -y python3-venv"
  fi
fi

pip="./.venv/bin/python -m pip --disable-pip-version-check --quiet"
case $want in
  run) what="." ;;
  test) what=".[test]" ;;
  *) stop "usage: tools/setup.sh run|test" ;;
esac
say "installing what '$want' needs"
$pip install -e "$what" || stop "pip could not install it (its own words above): check the network and the free disk space, then run make again"

./.venv/bin/python -m webui.libraries || exit 2
touch .venv/ready-run
[ "$want" = run ] || touch ".venv/ready-$want"
