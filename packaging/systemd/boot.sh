#!/usr/bin/env bash
# Boots a systemd whose one task is try.sh, in the namespaces that test.sh has made, over this
# machine's files: what is changed is changed in memory, and goes with the namespaces. What it finds
# is left in $room/out.
set -euo pipefail
: "${room:?}" "${unit:?}" "${binary:?}" "${tried:?}" "${call:?}" "${version:?}" "${systemd:?}"

# The kernel's settings and devices are this machine's: it may see them and not touch them.
lay=$room/lay
mount -t tmpfs tmpfs "$lay"
mkdir "$lay"/{upper,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$lay/upper,workdir=$lay/work" "$lay/root"
root=$lay/root
mount -t proc proc "$root/proc"
mount --bind /sys "$root/sys"
mount -o remount,bind,ro "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root"/dev/{shm,pts}
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for directory in run tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$directory"; done
chmod 755 "$root/run"
touch "$room/out/console" "$root/dev/console"
mount --bind "$room/out/console" "$root/dev/console"

# No service of this machine's is started, its own configuration of this one is not seen, and
# packages may start and stop theirs.
rm -f "$root/usr/sbin/policy-rc.d"
rm -rf "$root/etc/systemd/system" "$root/etc/ikigai-tools" "$root/var/cache/ikigai-tools" "$root/var/lib/ikigai-tools"
mkdir -p "$root/etc/systemd/system" "$root/usr/lib/systemd/system" "$root/etc/ikigai-tools" "$root/try"
mount --bind "$room/out" "$root/try"
if [ -n "${deb-}" ]; then
    cp "$deb" "$root/ikigai-tools.deb"
else
    install -m 644 "$unit" "$root/usr/lib/systemd/system/"
    install -m 755 "$binary" "$root/usr/bin/ikigai-tools"
fi
install -m 755 "$tried" "$root/usr/bin/ikigai-tools-try"
install -m 644 "$call" "$root/etc/ikigai-tools-call.py"
cat >"$root/usr/lib/systemd/system/ikigai-tools-try.service" <<END
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
Environment=version=$version
StandardOutput=file:/try/said
StandardError=file:/try/said
ExecStart=/usr/bin/ikigai-tools-try
ExecStopPost=/bin/systemctl --force --force exit
END
ip link set lo up
cd "$root"
mkdir -p .old
pivot_root . .old
umount --lazy .old
# Credentials are mounted by a helper of systemd's, and reach the service only so.
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    "$systemd" --system --unit=ikigai-tools-try.service --show-status=no --log-target=console </dev/null
