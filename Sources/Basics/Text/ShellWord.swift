extension String {
  /// The text as a word for `WordSplitter` and shells, quoted if necessary.
  public var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
        default: "-_./,=:@+%".utf8.contains(byte)
        }
      }
    return isPlain ? self : "'" + replacingUTF8("'", with: "'\\''") + "'"
  }
}
