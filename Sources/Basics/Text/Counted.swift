extension BinaryInteger {
  /// The number with its noun: "1 record", "2 records".
  public func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
