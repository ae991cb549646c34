"""A certificate of this machine's own, made at first use: a phone's browser gives its camera only to a page that comes encrypted.

Nobody vouches for it, so the phone warns once; the pages say so in plain words before it happens.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from scorer.errors import KibitzError

DAYS = 397
RENEW_DAYS = 30


def certificate(folder: Path, hosts: Sequence[str], now: datetime.datetime | None = None) -> tuple[Path, Path]:
    """(certificate, key) as PEM files in `folder`, made anew where they are missing, damaged, nearly over, or lack one of `hosts`.

    Raises KibitzError `folder-unwritable`.
    """
    now = now or datetime.datetime.now(datetime.UTC)
    chain, key = folder / "certificate.pem", folder / "certificate-key.pem"
    if not _fits(chain, key, hosts, now):
        try:
            _make(chain, key, hosts, now)
        except OSError as error:
            line = f"the certificate cannot be kept in {folder} ({error.strerror}): free it, or name another folder with --data"
            raise KibitzError("folder-unwritable", line, path=str(folder)) from error
    return chain, key


def _fits(chain: Path, key: Path, hosts: Sequence[str], now: datetime.datetime) -> bool:
    try:
        found = x509.load_pem_x509_certificate(chain.read_bytes())
        loaded = serialization.load_pem_private_key(key.read_bytes(), None)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, TypeError, x509.ExtensionNotFound):
        return False
    known = {str(n.value) for n in names}
    fresh = found.not_valid_before_utc <= now <= found.not_valid_after_utc - datetime.timedelta(days=RENEW_DAYS)
    return fresh and set(hosts) <= known and found.public_key() == loaded.public_key()


def _make(chain: Path, key: Path, hosts: Sequence[str], now: datetime.datetime) -> None:
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kibitz on this home network")])
    names = x509.SubjectAlternativeName([_general_name(h) for h in hosts])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    folder = key.parent
    folder.mkdir(parents=True, exist_ok=True)
    encoded = secret.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    key.unlink(missing_ok=True)
    with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as f:
        f.write(encoded)
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
