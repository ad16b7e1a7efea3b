/// Shortens a failing history: leaves out operations as long as it still fails. `failure` returns
/// the place of the first operation that fails, nil for none.
func shortened<Operation>(
  _ operations: [Operation], _ failure: ([Operation]) throws -> Int?
) rethrows -> [Operation] {
  var shortest = operations
  var step = max(1, shortest.count / 2)
  while true {
    var index = 0
    while index < shortest.count {
      var candidate = shortest
      candidate.removeSubrange(index..<min(index + step, candidate.count))
      if let failed = try failure(candidate) {
        shortest = Array(candidate[...failed])
      } else {
        index += step
      }
    }
    if step == 1 { return shortest }
    step /= 2
  }
}
