# Opens sockets as systemd would, and becomes the program that they are passed to, from descriptor 3 on.
# usage: perl listen.pl tcp=192.0.2.1:443 udp=192.0.2.1:53 udp=255.255.255.255:67%vlan0 -- program arguments
use strict;
use warnings;
use POSIX ();
use Socket;

my ($bind_to_device, $receive_buffer_force) = (25, 33);
my @sockets;
while (@ARGV && $ARGV[0] ne '--') {
    my ($protocol, $address, $port, $device) = shift(@ARGV) =~ /^(\w+)=([\d.]+):(\d+)(?:%(\w+))?$/ or die 'what?';
    my $socket = undef;
    socket($socket, PF_INET, $protocol eq 'tcp' ? SOCK_STREAM : SOCK_DGRAM, 0) or die $!;
    setsockopt($socket, SOL_SOCKET, $bind_to_device, pack('Z*', $device)) or die $! if defined $device;
    setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1) if $protocol eq 'tcp';
    # As ReceiveBuffer= does, which is allowed more than a process without privileges.
    setsockopt($socket, SOL_SOCKET, $receive_buffer_force, 4 << 20) if $protocol eq 'udp';
    bind($socket, pack_sockaddr_in($port, inet_aton($address))) or die "$protocol $address:$port: $!";
    listen($socket, 1024) or die $! if $protocol eq 'tcp';
    push @sockets, $socket;
}
shift @ARGV;
# Away from where they have to be first.
my @high = map { my $high = 100 + $_; POSIX::dup2(fileno $sockets[$_], $high); $high } 0 .. $#sockets;
POSIX::dup2($high[$_], 3 + $_) for 0 .. $#high;
POSIX::close($_) for @high;
exec @ARGV or die $!;
