internal import CloudModel

/// The damaged records that a command skipped: it prints the others, and lists these at the end.
final class DamageList {
  private var errors: [CloudError] = []
  private var count = 0
  private var met: Set<String> = []
  /// The maximum number of records to list.
  private static let most = 100

  /// Adds a damaged record.
  func note(_ error: CloudError) {
    // A record may be found several times, through references to it.
    guard met.insert("\(error.zone?.text ?? "")/\(error.recordName ?? "")").inserted else { return }
    count += 1
    if errors.count < Self.most { errors.append(error) }
  }

  /// Throws if any record was damaged: exit code 78.
  func finish() throws(CommandError) {
    guard let first = errors.first else { return }
    if count == 1 { throw CommandError(first) }
    var error = CommandError(
      partial: errors, "\(count) records are damaged; the others are complete")
    if count > Self.most { error.items.append("…") }
    throw error
  }
}
