extension Array {
  /// The place of the first element that is not before what is looked for, in an array whose
  /// elements are in order.
  public func firstPlace(notBefore isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
