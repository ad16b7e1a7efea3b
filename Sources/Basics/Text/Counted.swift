extension BinaryInteger {
  /// The number with its noun: "1 record", "2 records".
  public func counted(_ noun: String, plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}
