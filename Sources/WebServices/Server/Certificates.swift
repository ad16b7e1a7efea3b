#if Server
  internal import NIOSSL

  extension WebServer {
    /// The TLS of the server; nil for none. Throws for certificates that cannot be read.
    func tls() throws -> TLSConfiguration? {
      if let certificate = settings.certificate {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain)
        let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
        return .makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      }
      guard settings.makesCertificate else { return nil }
      let made = try SelfMadeCertificate()
      return .makeServerConfiguration(
        certificateChain: [
          .certificate(try NIOSSLCertificate(bytes: Array(made.certificate.utf8), format: .pem))
        ],
        privateKey: .privateKey(
          try NIOSSLPrivateKey(bytes: Array(made.key.utf8), format: .pem)))
    }
  }
#endif
