extension [String] {
  /// The strings joined by a separator, as by `joined(separator:)`. The first call of that makes
  /// the runtime search all the program's conformances, which takes a short command longer than
  /// reading a record.
  public func separated(by separator: String) -> String {
    var whole = ""
    for (place, text) in enumerated() {
      if place > 0 { whole += separator }
      whole += text
    }
    return whole
  }
}
