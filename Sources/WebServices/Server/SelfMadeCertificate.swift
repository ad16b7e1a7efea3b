#if Server
  internal import Crypto
  internal import FoundationEssentials
  internal import SwiftASN1
  internal import X509

  /// A self-signed certificate for this machine, which clients must be configured to trust.
  struct SelfMadeCertificate {
    /// The certificate in PEM.
    let certificate: String
    /// Its private key in PEM.
    let key: String

    /// Makes a certificate for localhost and the loopback addresses, valid for a year.
    init(now: Date = Date()) throws {
      let key = P256.Signing.PrivateKey()
      let name = try DistinguishedName { CommonName("localhost") }
      let certificate = try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
        notValidBefore: now.addingTimeInterval(-86_400),
        notValidAfter: now.addingTimeInterval(365 * 86_400), issuer: name, subject: name,
        signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try Certificate.Extensions {
          Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
          try ExtendedKeyUsage([.serverAuth])
          SubjectAlternativeNames([
            .dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1])),
            .ipAddress(.init(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
          ])
        }, issuerPrivateKey: .init(key))
      self.certificate = try certificate.serializeAsPEM().pemString
      self.key = key.pemRepresentation
    }
  }
#endif
