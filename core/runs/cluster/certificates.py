# SPDX-License-Identifier: Apache-2.0
"""Certificates of one cluster: an authority whose key is forgotten at once, and a certificate for each side.

Everything stays in memory. A worker gets its part through ssh; no file, argument, environment or log contains it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from distributed.security import Security

_DAYS = 30
_SKEW = timedelta(hours=1)
"""Clocks of machines may differ by this much."""


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """The certificate, key and authority of one side of a connection, as PEM texts."""

    authority: str
    certificate: str
    key: str

    def security(self) -> Security:
        """Settings that require mutual TLS."""
        both = {
            f"tls_{role}_{part}": text
            for role in ("client", "scheduler", "worker")
            for part, text in (("cert", self.certificate), ("key", self.key))
        }
        return Security(tls_ca_file=self.authority, require_encryption=True, **both)


def new_credentials() -> tuple[Credentials, Credentials]:
    """The credentials of a new cluster: those of the listening side, and those of its workers."""
    now = datetime.now(UTC)
    key = ec.generate_private_key(ec.SECP256R1())
    authority = _signed(_name("ttmatrix cluster"), _name("ttmatrix cluster"), key, key, now, authority=True)
    ends = []
    for name in ("scheduler", "worker"):
        own = ec.generate_private_key(ec.SECP256R1())
        certificate = _signed(_name(name), authority.subject, own, key, now, authority=False)
        private = own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        ends.append(Credentials(_pem(authority), _pem(certificate), private))
    return ends[0], ends[1]


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> str:
    text: str = certificate.public_bytes(Encoding.PEM).decode()
    return text


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    now: datetime,
    *,
    authority: bool,
) -> x509.Certificate:
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=0 if authority else None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if not authority:
        uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.ExtendedKeyUsage(uses), critical=False)
    return builder.sign(signer, hashes.SHA256())
