# Writes the IPv4 frames of an interface to standard output as a pcap file, as `tcpdump -w -` would: that one becomes
# another user before it writes, and in the lab of an ordinary user there is no other. Node has no packet sockets.
#
#   capture.pl <interface>
use strict;
use warnings;

# Of <linux/if_packet.h>, <linux/if_ether.h>, <linux/sockios.h>, <asm-generic/socket.h>; the same on every machine we run on.
my ($AF_PACKET, $SOCK_RAW, $ETH_P_IP, $ETH_P_ALL) = (17, 3, 0x0800, 3);
my ($SOL_SOCKET, $SO_RCVBUF, $SO_RCVBUFFORCE) = (1, 8, 33);
my ($SIOCGIFINDEX, $SIOCGSTAMP) = (0x8933, 0x8906);

my ($interface) = @ARGV;
socket(my $socket, $AF_PACKET, $SOCK_RAW, unpack('S', pack('n', $ETH_P_ALL))) or die "packet socket: $!\n";
# More than the limit is for the host's root alone; without it a kernel that is fetched may cost us a frame.
my $buffer = pack('i', 16 << 20);
setsockopt($socket, $SOL_SOCKET, $SO_RCVBUFFORCE, $buffer) or setsockopt($socket, $SOL_SOCKET, $SO_RCVBUF, $buffer);
my $request = pack('a16 x24', $interface);
ioctl($socket, $SIOCGIFINDEX, $request) or die "interface $interface: $!\n";
my $index = unpack('x16 i', $request);
bind($socket, pack('S n i x12', $AF_PACKET, $ETH_P_ALL, $index)) or die "interface $interface: $!\n";
# The kernel notes when frames come from the first time it is asked: those before it would have the time they are read at,
# and seem to come after later ones.
ioctl($socket, $SIOCGSTAMP, my $none = pack('l! l!', 0, 0));

binmode STDOUT;
$| = 1;
# Magic, version 2.4, time zone, accuracy, longest frame, Ethernet.
print pack('L S S l L L L', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1);
print STDERR "listening on $interface\n";

while (sysread($socket, my $frame, 65535)) {
  next if length($frame) < 34 || unpack('x12 n', $frame) != $ETH_P_IP;
  # Of what is fetched over HTTP only requests and refusals tell something; a kernel would fill the memory.
  my $headerLength = (unpack('x14 C', $frame) & 15) * 4;
  my $isTcp = unpack('x23 C', $frame) == 6 && length($frame) >= 14 + $headerLength + 2;
  next if $isTcp && length($frame) > 1000 && unpack('n', substr($frame, 14 + $headerLength, 2)) == 80;
  my $time = pack('l! l!', 0, 0);
  ioctl($socket, $SIOCGSTAMP, $time) or die "time of a frame: $!\n";
  print pack('L L L L', unpack('l! l!', $time), length($frame), length($frame)), $frame;
}
