"""What Python's huggingface_hub makes of a cache.

python_hub.py download ENDPOINT REPO CACHE [PATTERN...]  fills the cache from a hub, and prints the folder
python_hub.py find REPO CACHE REVISION                   prints the folder that the cache has without any hub
"""

import sys

try:
    from huggingface_hub import snapshot_download
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

command, *arguments = sys.argv[1:]
if command == "download":
    endpoint, repo, cache, *patterns = arguments
    print(snapshot_download(repo, cache_dir=cache, endpoint=endpoint, allow_patterns=patterns or None))
else:
    repo, cache, revision = arguments
    print(snapshot_download(repo, cache_dir=cache, revision=revision, local_files_only=True))
