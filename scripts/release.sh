#!/bin/sh
# release.sh BUILD_FOLDER BUNDLE_FOLDER RELEASE_FOLDER: what `make package`, `make wheel` and `make bundle` have made, in one folder with the sources and
# checksums. Refuses a working tree with changes, since nobody could build the same from the commit.
set -eu
build=$1
bundle=$2
release=$3

if [ -n "$(git status --porcelain)" ]; then
  echo "release: the working tree has changes; commit them first" >&2
  exit 1
fi
version=$("$build"/tasktwin --version | cut -d ' ' -f 2)
grep -q "^## \[$version\]" CHANGELOG.md || {
  echo "release: CHANGELOG.md has no heading for version $version; close its changes under one" >&2
  exit 1
}
rm -rf "$release"
mkdir -p "$release"
cp "$build"/packages/*"$version"*.deb "$build"/wheel-out/tasktwin-"$version"-*.whl "$release"/
tar -C "$(dirname "$bundle")" -cJf "$release/tasktwin-$version-bundle.tar.xz" "$(basename "$bundle")"
git archive --format=tar.gz --prefix="tasktwin-$version/" -o "$release/tasktwin-$version.tar.gz" HEAD
(cd "$release" && sha256sum -- * >SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
echo "release: $release has"
ls -l "$release"
