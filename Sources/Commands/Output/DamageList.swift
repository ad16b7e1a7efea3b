internal import CloudModel

/// The damaged records that a command met and left out: it prints the others, and names these at
/// its end.
final class DamageList {
  private var errors: [CloudError] = []
  private var count = 0
  private var met: Set<String> = []
  /// So many are named.
  private static let most = 100

  /// Takes note of one.
  func note(_ error: CloudError) {
    // A record may be met several times, through references to it.
    guard met.insert("\(error.zone?.text ?? "")/\(error.recordName ?? "")").inserted else { return }
    count += 1
    if errors.count < Self.most { errors.append(error) }
  }

  /// Throws what was met: exit code 78.
  func finish() throws(CommandError) {
    guard let first = errors.first else { return }
    if count == 1 { throw CommandError(first) }
    var error = CommandError(
      partial: errors, "\(count) records are damaged; the others are complete")
    if count > Self.most { error.items.append("…") }
    throw error
  }
}
