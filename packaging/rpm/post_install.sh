#!/bin/sh
# Lays the tools' links, after removing those of an older version, whose tools may be gone.
directory=/usr/libexec/ikigai
program=../../bin/ikigai-tools
mkdir -p $directory
for link in "$directory"/*; do
    [ "$(readlink "$link")" != $program ] || rm -f "$link"
done
# shellcheck disable=SC2043  # build.sh puts the names there
for name in @names@; do
    [ -e "$directory/$name" ] || ln -s $program "$directory/$name"
done
