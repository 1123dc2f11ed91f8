#!/bin/sh
# Removes the package's own directories, of which its database knows nothing; the first was made by
# version 0.1.0.
[ "$1" = 0 ] || exit 0
for directory in /usr/libexec/ikigai /usr/share/doc/ikigai-tools /usr/share/licenses/ikigai-tools; do
    # What somebody else has put there keeps its directory.
    [ ! -d $directory ] || rmdir --ignore-fail-on-non-empty $directory
done
