#!/bin/sh
# Measures the installed `kibitz` on data that is not part of the project, and names what was skipped.
#   PHOTOS  a folder <deck>/<set>/ of labelled photographs (see tools/check/photos.py)
#   ART     a folder <kind>/<deck>/<card>.png of card art: scenes are rendered from each deck and read back
#   CASES   folders with clip.mp4, table.json and truth.jsonl (see tools/check/replay.py)
# Exits 1 when a figure is below its floor.
set -u
cd "$(dirname "$0")/.."
kibitz=.venv/bin/kibitz
python=.venv/bin/python
status=0
skipped=

echo "== rules"
$python tools/check/rules.py --kibitz $kibitz tests/data/rules/cases-*.jsonl || status=1

if [ -n "${PHOTOS:-}" ]; then
  for deck in hwatu french numbers; do
    if [ -d "$PHOTOS/$deck" ]; then
      echo "== photographs: $deck"
      $python tools/check/photos.py --kibitz $kibitz --deck $deck --min "${MIN:-0.85}" "$PHOTOS/$deck"/*/ || status=1
    fi
  done
else
  skipped="$skipped
  photographs: give PHOTOS=folder"
fi

if [ -n "${ART:-}" ]; then
  for folder in "$ART"/*/*/; do
    kind=$(basename "$(dirname "$folder")")
    out=build/check/$kind-$(basename "$folder")
    echo "== rendered scenes: $kind $(basename "$folder")"
    rm -rf "$out"
    { $python -m datasets.render scenes --deck "$kind" --art "$folder" --seed "${SEED:-77}" --count "${COUNT:-40}" --out "$out" \
      && $kibitz measure "$out"; } || status=1
  done
else
  skipped="$skipped
  rendered scenes of other decks: give ART=folder"
fi

if [ -n "${CASES:-}" ]; then
  echo "== recorded games"
  # shellcheck disable=SC2086  # several folders are meant
  $python tools/check/replay.py --kibitz $kibitz $CASES || status=1
else
  skipped="$skipped
  recorded games: give CASES=\"folder …\""
fi

[ -z "$skipped" ] || echo "skipped:$skipped"
exit $status
