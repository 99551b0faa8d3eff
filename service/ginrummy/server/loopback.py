"""The guard of the door: a server that asks nobody for a key is reached from its machine only."""

import socket
from ipaddress import IPv6Address, ip_address

from ginrummy.server.commands import CommandError
from ginrummy.server.settings import Settings

EVERYWHERE = ("", "*", "0.0.0.0", "::")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there. A name counts by its addresses.

    Raises gaierror for a name that has none.
    """
    if host in EVERYWHERE:
        return False
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return all(_is_loopback_address(str(address[0])) for *_, address in found)


def _is_loopback_address(text: str) -> bool:
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback


def check_reach(settings: Settings) -> str | None:
    """A warning about who can reach the server, if one is due. Raises CommandError."""
    security, host = settings.security, settings.host
    try:
        if is_loopback(host):
            return None
    except socket.gaierror as error:
        reason = f"cannot listen on {host}:{settings.port}: there is no host {host!r}"
        raise CommandError(reason) from error
    if security.needs_keys:
        if security.tls is None:
            return (
                f"API keys and tokens go to {host} in the clear;"
                " set --tls-cert and --tls-key, or let a proxy do TLS"
            )
        return None
    if not security.insecure:
        raise CommandError(
            f"--host {host} can be reached from other machines, and no API keys are set:"
            " set --api-keys-file, or --insecure to let everybody in"
        )
    return None
