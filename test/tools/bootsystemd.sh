#!/bin/sh
# Boots systemd in a copy of this system. It needs process, mount, cgroup and IPC namespaces of its own, in which it is the
# first process: unshare --mount --pid --fork --kill-child --cgroup --ipc --uts sh bootsystemd.sh FOLDER PROGRAM NAME.
# All writes go to a tmpfs at FOLDER. PROGRAM is copied to /root/octavo-0.1.0/octavo, and NAME leads to this machine.
set -eu

mount --make-rprivate /
mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
rm -rf etc/octavo usr/local/bin/octavo etc/systemd/system/*.wants
mkdir -p root/octavo-0.1.0 old
cp "$2" root/octavo-0.1.0/octavo
echo "127.0.0.1 $3" >>etc/hosts
: >etc/fstab

# The kernel, its clock and its devices are this machine's: nothing that sets them up is started.
for unit in systemd-sysctl.service systemd-modules-load.service systemd-timesyncd.service systemd-udevd.service systemd-udev-trigger.service \
	systemd-random-seed.service systemd-pstore.service systemd-remount-fs.service systemd-binfmt.service systemd-firstboot.service \
	systemd-update-utmp.service systemd-machine-id-commit.service systemd-sysusers.service systemd-tmpfiles-setup-dev.service \
	systemd-journal-flush.service systemd-journald-audit.socket modprobe@.service dev-hugepages.mount dev-mqueue.mount \
	sys-fs-fuse-connections.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount tmp.mount \
	proc-sys-fs-binfmt_misc.automount apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer; do
	ln -sf /dev/null "etc/systemd/system/$unit"
done

mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs dev
for device in null zero full random urandom tty; do
	mknod -m 666 dev/$device c "0x$(stat -c %t /dev/$device)" "0x$(stat -c %T /dev/$device)"
done
ln -s /proc/self/fd dev/fd
mkdir dev/shm dev/pts # PrivateDevices= binds both
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
pivot_root . old
umount -l old
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	chroot . /lib/systemd/systemd --unit=basic.target </dev/null
