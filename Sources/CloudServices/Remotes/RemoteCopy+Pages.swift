internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles

extension RemoteCopy {
  /// Takes a page over, in one transaction with its token. A record that was changed here, too, is
  /// left as it is, and its version on the server is noted as not taken; `overwriting` has the
  /// versions here that the server's may replace nevertheless.
  public func take(
    _ page: PulledPage, overwriting: [RecordName: ChangeTag?] = [:], isRehearsal: Bool = false
  ) throws(CloudError) -> PullResult {
    var staged: [StagedAsset] = []
    defer { staged.forEach(environment.discard) }
    let files = try stage(page, &staged)
    return try write(isRehearsal: isRehearsal) { transaction in
      let taking = try PageTaking(transaction, page.zone)
      taking.overwriting = overwriting
      var row = try self.row(of: page.zone, page.type, in: transaction.remote)
      if page.type != nil { taking.round = row.round }
      for (file, asset) in files {
        if let staged = asset.staged {
          try transaction.base.keep(staged)
        } else if !isRehearsal, try !store.assets.contains(asset.asset) {
          // Another process has deleted the last record with it.
          continue
        }
        taking.assets[file] = asset.asset
        try store.note(asset.asset, ofChecksum: file.checksum, of: transaction.remote)
      }
      for record in page.records { try taking.take(record) }
      for name in page.unreadable { try taking.noteUnreadable(name) }
      if let token = page.token {
        row.token = token
        try store.update(row)
      }
      return taking.result
    }
  }

  /// The records of a zone, of a type or of all, that the current round of a query, or of a feed
  /// that started anew, has not met.
  ///
  /// A rehearsal notes no rounds: there it is all records.
  public func unmet(
    in zone: ZoneID, of type: RecordType?, isRehearsal: Bool = false
  ) throws(CloudError) -> [RecordName] {
    try read { remote -> [RecordName] in
      let table = try type.flatMap { try store.table($0) }
      guard let row = try knownRow(of: zone, in: remote),
        let round = try knownRow(of: zone, type, in: remote)?.round,
        type == nil ? round > 0 : table != nil
      else { return [] }
      return try store.unmet(by: isRehearsal ? .max : round, of: table, in: row).map(\.name)
    } ?? []
  }

  /// Ends the pull of a zone, or of a type in it.
  public func finish(
    _ zone: ZoneID, _ type: RecordType?, isRehearsal: Bool = false
  ) throws(CloudError) {
    try write(isRehearsal: isRehearsal) { transaction in
      var row = try self.row(of: zone, type, in: transaction.remote)
      row.isPending = false
      // A query starts anew each time.
      if type != nil { row.token = nil }
      try store.update(row)
    }
  }

  private func stage(
    _ page: PulledPage, _ staged: inout [StagedAsset]
  ) throws(CloudError) -> [RemoteFile: (asset: Asset, staged: StagedAsset?)] {
    var files: [RemoteFile: (asset: Asset, staged: StagedAsset?)] = [:]
    for (file, contents) in page.assets {
      switch contents {
      case .stored(let asset): files[file] = (asset, nil)
      case .file(let path):
        let new = try environment.stage(path)
        staged.append(new)
        files[file] = (new.asset, new)
      }
    }
    return files
  }
}
