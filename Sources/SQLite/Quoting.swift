extension String {
  /// The text as an SQL identifier: in double quotes, with inner quotes doubled.
  public var quotedIdentifier: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      quoted.unicodeScalars.append(scalar)
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "\""
  }
}
