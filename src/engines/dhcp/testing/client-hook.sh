#!/bin/sh
# What dhclient, udhcpc and dhcpcd call when something happens. It sets the address on the interface (dhcpcd does that
# itself), touches nothing else of the host, and writes one line about what it was told to $OOOI_REPORT.
happened=${reason:-$1}
[ -n "$interface" ] || exit 0

# A list has commas in the report, whatever the client has.
list() {
  echo "$*" | tr ' ' ','
}

tell() {
  echo "$happened address=$1 mask=$2 router=$3 dns=$4 hostname=$5 domain=$6 mtu=$7 lease=$8" \
    "ntp=$(list $ntpsrv $new_ntp_servers) search=$(list $search $new_domain_search)" \
    "routes=$(list $staticroutes) next=$siaddr file=$boot_file tftp=$tftp bootfile=$bootfile" >>"$OOOI_REPORT"
}

case $OOOI_CLIENT-$happened in
  dhclient-PREINIT) ip link set "$interface" up ;;
  dhclient-BOUND | dhclient-RENEW | dhclient-REBIND | dhclient-REBOOT)
    ip -4 address flush dev "$interface"
    ip address add "$new_ip_address/$new_subnet_mask" dev "$interface"
    ;;
  udhcpc-deconfig)
    ip link set "$interface" up
    ip -4 address flush dev "$interface"
    ;;
  udhcpc-bound | udhcpc-renew)
    ip -4 address flush dev "$interface"
    ip address add "$ip/$mask" dev "$interface"
    ;;
esac

case $OOOI_CLIENT in
  udhcpc) tell "$ip" "$subnet" "$router" "$dns" "$hostname" "$domain" "$mtu" "$lease" ;;
  *)
    tell "$new_ip_address" "$new_subnet_mask" "$new_routers" "$new_domain_name_servers" "$new_host_name" \
      "$new_domain_name" "$new_interface_mtu" "$new_dhcp_lease_time"
    ;;
esac
