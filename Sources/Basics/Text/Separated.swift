extension [String] {
  /// The texts with a separator between them, as `joined(separator:)` makes them. The first call of
  /// that makes the runtime search all conformances of the program, which takes a short command
  /// longer than reading a record.
  public func separated(by separator: String) -> String {
    var whole = ""
    for (place, text) in enumerated() {
      if place > 0 { whole += separator }
      whole += text
    }
    return whole
  }
}
