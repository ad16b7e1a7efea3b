extension String {
  /// The text with another one replaced wherever its UTF-8 bytes occur. `replacing(_:with:)` of the
  /// standard library compares characters: it would leave a quote before a combining mark.
  public func replacingUTF8(_ old: String, with new: String) -> String {
    let (bytes, old) = (Array(utf8), Array(old.utf8))
    var replaced: [UInt8] = []
    replaced.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: old) {
        replaced += new.utf8
        place += old.count
      } else {
        replaced.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: replaced, as: UTF8.self)
  }
}
