extension SHA256 {
  /// The HMAC-SHA256 of a message with a key (RFC 2104).
  public static func authenticationCode(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    let block = 64
    var key = key.count > block ? hash(key) : key
    key += [UInt8](repeating: 0, count: block - key.count)
    let inner = hash(key.map { $0 ^ 0x36 } + message)
    return hash(key.map { $0 ^ 0x5C } + inner)
  }
}
