extension SHA256 {
  /// The HMAC-SHA256 of a message with a key (RFC 2104).
  public static func authenticationCode(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    let key = key.count > blockSize ? hash(key) : key
    let padded = key + repeatElement(0, count: blockSize - key.count)
    return hash(padded.map { $0 ^ 0x5C } + hash(padded.map { $0 ^ 0x36 } + message))
  }
}
