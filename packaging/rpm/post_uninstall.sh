#!/bin/sh
# Removes the tools' links and the package's own directories, where no other version of it stays.
directory=/usr/libexec/ikigai
program=../../bin/ikigai-tools
[ "$1" = 0 ] || exit 0
for link in "$directory"/*; do
    [ "$(readlink "$link")" != $program ] || rm -f "$link"
done
# What somebody else has laid there keeps its directory.
rmdir --ignore-fail-on-non-empty $directory /usr/share/doc/ikigai-tools /usr/share/licenses/ikigai-tools || :
