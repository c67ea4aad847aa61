#!/bin/bash
# The first process of a node. It has process, mount and host-name namespaces of its own: what it mounts is seen by
# nobody else, and when it ends the kernel ends everything in the node, as if the power were cut.
#
# usage: init.sh NAME FILES VOLUMES CHECKOUT ASSETS
set -eu
name=$1 files=$2 volumes=$3 checkout=$4 assets=$5

hostname "$name"
# Without a note in /run, which is about to be another one.
mount() { command mount --no-mtab "$@"; }

# An empty /run, as after a real boot, in which everything the node needs has a short path.
scratch=$files/mnt
mkdir -p "$scratch"
mount -t tmpfs -o mode=755 tmpfs "$scratch"
mkdir "$scratch/node" "$scratch/bin" "$scratch/oooi" "$scratch/volumes" "$scratch/sysctl"
mount --bind "$files" "$scratch/node"
mount --bind "$assets" "$scratch/bin"
mount --rbind "$checkout" "$scratch/oooi"
mount --bind "$volumes" "$scratch/volumes"
mount --move "$scratch" /run
# /var is the node's disk: images, containers, volumes and pod logs outlast a power cut.
mkdir -p /run/node/var/tmp /run/node/var/log
mount --bind /run/node/var /var
mount --make-rshared /

# The kubelet insists on these and would set them for the whole machine. Here it finds them as it wants them.
pretend() {
  echo "$2" > "/run/sysctl/${1//\//.}"
  mount --bind "/run/sysctl/${1//\//.}" "/proc/sys/$1"
}
pretend vm/overcommit_memory 1
pretend vm/panic_on_oom 0
pretend kernel/panic 10
pretend kernel/panic_on_oops 1
pretend kernel/keys/root_maxkeys 1000000
pretend kernel/keys/root_maxbytes 25000000

export PATH=/run/bin:$PATH HOME=/run
cd /

# What ends is started again, as a service manager does.
keep() {
  while :; do
    "$@" >> "/run/node/${1##*/}.log" 2>&1 || true
    echo "$1 ended and is started again" >> "/run/node/${1##*/}.log"
    sleep 1
  done
}
keep /run/bin/containerd --config /run/node/containerd.toml &
keep /run/bin/kubelet --config /run/node/kubelet.json --kubeconfig /run/node/kubelet.kubeconfig \
  --hostname-override "$name" --node-ip "$(cat /run/node/address)" &
keep /run/bin/kube-proxy --kubeconfig /run/node/kube-proxy.kubeconfig --hostname-override "$name" \
  --proxy-mode nftables --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 \
  --conntrack-tcp-timeout-close-wait=0 --healthz-bind-address=127.0.0.1:10256 &
echo 'node is up'
wait
