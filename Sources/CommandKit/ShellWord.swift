extension String {
  /// The text as a word that `WordSplitter` and shells read: with quotes where it needs them.
  public var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: "-_./,=:@+%".utf8.contains(byte)
        }
      }
    return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
