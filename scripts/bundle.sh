#!/bin/sh
# bundle.sh BUILD_FOLDER BUNDLE_FOLDER: a folder that runs on a machine with nothing installed but the GPU's driver:
# the executables, the shared libraries they need (glibc and the driver's own excepted), scenarios, recordings, record.sh, and what
# gpu_variants.py captures and what `tasktwin rerun` loads.
set -eu
build=$1
bundle=$2
limit_mb=110

fresh=$bundle.new
rm -rf "$fresh"
mkdir -p "$fresh/bin" "$fresh/lib" "$fresh/verify"
for program in "$build"/tasktwin "$build"/tasktwin_gpu_tests "$build"/tasktwin_hand_over_litmus "$build"/tests/gpu/captured/stream_pipeline "$build"/tests/gpu/captured/graph_diamonds "$build"/tests/gpu/captured/shared_table "$build"/tests/gpu/captured/odd_ranges_static "$build"/tests/gpu/captured/odd_ranges_shared; do
  if [ -x "$program" ]; then
    cp "$program" "$fresh/bin/"
    strip "$fresh/bin/$(basename "$program")"
    # RPATH, not RUNPATH: it holds for the libraries' own libraries too, which can then stay as they are.
    patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$fresh/bin/$(basename "$program")"
  fi
done

# The libraries that are loaded into other programs; those with CUPTI find it beside themselves.
for injected in libtasktwin-capture.so libtasktwin-rerun.so libtasktwin-frees.so; do
  [ -e "$build/$injected" ] || continue
  cp "$build/$injected" "$fresh/lib/"
  strip --strip-unneeded "$fresh/lib/$injected"
  ldd "$build/$injected" | sed -n 's/.*libcupti.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do cp -L "$library" "$fresh/lib/$(basename "$library")"; done
  patchelf --set-rpath '$ORIGIN' "$fresh/lib/$injected"
done

# What glibc owns must match the machine's kernel and loader, what the driver owns its kernel module.
left_out='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|BrokenLocale|thread_db|nss_.*|cuda|nvidia-.*))\.so'
ldd "$fresh"/bin/* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r library; do
  name=$(basename "$library")
  if ! printf '%s\n' "$name" | grep -qE "$left_out"; then
    cp -L "$library" "$fresh/lib/$name"
  fi
done
if ldd "$fresh"/bin/* | grep 'not found'; then
  echo "bundle: a library is missing" >&2
  exit 1
fi

cp -R scenarios "$fresh/"
find "$fresh/scenarios" -type f ! -name '*.yaml' ! -name '*.json' -delete
find "$fresh/scenarios" -type d -empty -delete
[ ! -d verify/recorded ] || cp -R verify/recorded "$fresh/verify/"
find "$fresh/verify" -type f ! -name '*.json' ! -name '*.jsonl' ! -name '*.gz' -delete
[ ! -d verify/public ] || cp -R verify/public "$fresh/verify/"
cp LICENSE scripts/record.sh scripts/gpu_variants.py tests/gpu/capture/torch_variants.py "$fresh/"

rm -rf "$bundle"
mv "$fresh" "$bundle"
size_mb=$(du -sm "$bundle" | cut -f 1)
echo "bundle: $bundle is $size_mb MB (limit $limit_mb MB); run $bundle/bin/tasktwin"
[ "$size_mb" -le "$limit_mb" ] || { echo "bundle: too large" >&2; exit 1; }
