"""This machine's names and addresses on the home network."""

from __future__ import annotations

import ipaddress
import socket
import struct
from contextlib import suppress


def addresses() -> tuple[str, ...]:
    """IPv4 addresses another device in the house can reach, the likeliest first; empty without a network.

    The address of the default route comes first (asking for it sends nothing), then private ones, then the rest.
    """
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # TEST-NET-1: no packet leaves, the kernel only picks the route
        found.append(probe.getsockname()[0])
    found += _interface_addresses()
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    usable = [a for a in dict.fromkeys(found) if not ipaddress.ip_address(a).is_loopback and a != "0.0.0.0"]
    first = usable[:1]
    return tuple(first + sorted(usable[1:], key=lambda a: not ipaddress.ip_address(a).is_private))


def _interface_addresses() -> list[str]:
    try:
        import fcntl
    except ImportError:  # Windows
        return []
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # an interface without an IPv4 address; 0x8915 is SIOCGIFADDR on Linux
                answer = fcntl.ioctl(s.fileno(), 0x8915, struct.pack("256s", name.encode()[:15]))
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


def host_names() -> tuple[str, ...]:
    """Names under which a browser may rightly ask for this machine."""
    name = socket.gethostname().lower().removesuffix(".local")
    return (name, f"{name}.local") if name else ()
