#!/usr/bin/env python3
"""fetch_public.py TASKTWIN FOLDER: fetches what `tasktwin verify --public FOLDER` reads and does not find: each file from its public repository on
GitHub at the commit that the source states, into FOLDER/<owner>/<name>/. Without a network it says so, and changes nothing."""
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path


def git(folder, *words):
    """Asks nobody for a password."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, env=environment)


def fetch(repository, commit, files, folder):
    """Those of `files` that could not be had."""
    with tempfile.TemporaryDirectory() as work:
        git(work, "init", "--quiet")
        fetched = git(work, "fetch", "--quiet", "--depth=1", "--filter=blob:none", f"https://github.com/{repository}", commit)
        if fetched.returncode != 0:
            print(f"fetch_public: {repository}: {fetched.stderr.strip() or 'git fetch failed'}")
            return files
        git(work, "sparse-checkout", "set", "--no-cone", *files)
        git(work, "checkout", "--quiet", commit)
        missing = []
        for file in files:
            source = Path(work) / file
            if not source.is_file():
                missing.append(file)
                continue
            target = folder / repository / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
        return missing


def main():
    tasktwin, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    result = subprocess.run([tasktwin, "verify", "--public", str(folder), "--format", "json", "--quiet"], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr)
    wanted = defaultdict(list)
    for row in json.loads(result.stdout)["rows"]:
        if row["skipped"].startswith("no file "):
            wanted[row["repository"], row["commit"]].append(row["file"])
    for (repository, commit), files in sorted(wanted.items()):
        missing = fetch(repository, commit, files, folder)
        print(f"fetch_public: {repository}: {len(files) - len(missing)} of {len(files)} files")


if __name__ == "__main__":
    main()
