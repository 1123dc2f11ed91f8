#!/bin/sh
# Removes the tools' links, where no other version of the package stays. Afterwards the program is gone.
[ "$1" = 0 ] || exit 0
: "$(/usr/bin/ikigai-tools link /usr/libexec/ikigai --links-only --remove)"
