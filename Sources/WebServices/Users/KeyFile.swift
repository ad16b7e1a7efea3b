#if Server
  internal import Basics
  internal import Crypto

  /// A server-to-server key in a file (web-services.md, §2.2): P-256, in PEM.
  public enum KeyFile {
    /// The public key of a file with it, or with the private key, as Base64 of its point. Throws
    /// `StartFailure`.
    public static func publicKey(at path: String) throws -> String {
      let bytes: [UInt8]
      do { bytes = try FileSystem.contents(of: path) } catch {
        throw StartFailure(error.description, exitCode: 66)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      // openssl writes the parameters of the curve before the key.
      let blocks = PEMBlocks(text).keys
      for block in blocks {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: block) { return Self.text(key) }
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: block) {
          return Self.text(key.publicKey)
        }
      }
      throw StartFailure(
        "\(path) has no P-256 key in PEM; make one with 'openssl ecparam -name prime256v1 "
          + "-genkey -noout'", exitCode: 65)
    }

    /// Makes a key, and writes the private key to a new file that only its owner may read. Throws
    /// `StartFailure`.
    public static func make(at path: String) throws -> String {
      let key = P256.Signing.PrivateKey()
      do {
        let file = try FileHandle(create: path)
        try file.writeAll(Array("\(key.pemRepresentation)\n".utf8))
        try file.synchronize()
      } catch { throw StartFailure("\(error)", exitCode: 73) }
      return text(key.publicKey)
    }

    private static func text(_ key: P256.Signing.PublicKey) -> String {
      Base64.encode(Array(key.x963Representation))
    }
  }

  /// The PEM blocks of a text.
  struct PEMBlocks {
    /// The blocks of keys, each with its first and last line.
    let keys: [String]

    init(_ text: String) {
      var keys: [String] = []
      var block: [Substring]?
      for line in text.split(whereSeparator: \.isNewline) {
        if line.hasPrefix("-----BEGIN "), line.hasSuffix("KEY-----") { block = [] }
        block?.append(line)
        if line.hasPrefix("-----END "), let lines = block {
          keys.append(lines.joined(separator: "\n"))
          block = nil
        }
      }
      self.keys = keys
    }
  }

  /// Why the server cannot start, or a task with keys fails.
  public struct StartFailure: Error {
    /// The reason, as a sentence without the period.
    public let text: String
    /// The exit code.
    public let exitCode: Int32

    init(_ text: String, exitCode: Int32) { (self.text, self.exitCode) = (text, exitCode) }
  }
#endif
