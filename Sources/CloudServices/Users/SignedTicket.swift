internal import Basics

/// A text that only this store can make: some fields and a code for them. Holding it grants access,
/// so the store keeps no record of it.
struct SignedTicket {
  private static let codeSize = 16

  /// The bytes of a ticket for a purpose. No field may contain a NUL.
  static func bytes(_ fields: [String], for purpose: String, secret: [UInt8]) -> [UInt8] {
    let contents = Array(fields.joined(separator: "\0").utf8)
    return code(contents, purpose, secret) + contents
  }

  /// The fields of a ticket; nil for other bytes.
  static func fields(of bytes: [UInt8], for purpose: String, secret: [UInt8]) -> [String]? {
    guard bytes.count > codeSize, bytes.count < 4096 else { return nil }
    let contents = Array(bytes.dropFirst(codeSize))
    // Compare in constant time.
    let difference = zip(bytes, code(contents, purpose, secret)).reduce(0) {
      $0 | ($1.0 ^ $1.1)
    }
    guard difference == 0, let text = String(validating: contents, as: UTF8.self) else {
      return nil
    }
    return text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
  }

  private static func code(_ contents: [UInt8], _ purpose: String, _ secret: [UInt8]) -> [UInt8] {
    Array(
      SHA256.authenticationCode(Array("\(purpose)\0".utf8) + contents, key: secret)
        .prefix(codeSize))
  }
}
