#!/bin/sh
# Ends the server of a team and removes the tools' links, where no other version of the package
# stays. Afterwards the program is gone.
[ "$1" = 0 ] || exit 0
[ ! -d /run/systemd/system ] || systemctl --no-reload disable --now ikigai-tools.service || :
: "$(/usr/bin/ikigai-tools link /usr/libexec/ikigai --links-only --remove)"
