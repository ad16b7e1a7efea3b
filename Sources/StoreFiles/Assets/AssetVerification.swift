internal import Basics
internal import CloudModel

extension AssetFiles {
  /// The path of the first contents that do not match their hash; nil if all do. Two threads read.
  /// Throws `StoreError` if they cannot be read.
  public func damagedPath() throws(StoreError) -> String? {
    var files: [AssetVerification.File] = []
    try forEach { (hash, path) throws(StoreError) in files.append((hash, path)) }
    let shares = [0, 1].map { AssetVerification(self, files, from: $0, by: 2) }
    let worker = files.count > 1 ? try? Worker(shares[1].run) : nil
    shares[0].run()
    if let worker { worker.join() } else { shares[1].run() }
    let (mine, other) = (try shares[0].result.get(), try shares[1].result.get())
    return [mine, other].compactMap(\.self).min().map { files[$0].path }
  }
}

/// The verification of every nth file of contents, which another thread may run.
private final class AssetVerification: @unchecked Sendable {
  typealias File = (hash: String, path: String)

  private let assets: AssetFiles
  private let files: [File]
  private let places: StrideTo<Int>
  /// The index of the first file that does not match its hash; nil for none.
  private(set) var result: Result<Int?, StoreError> = .success(nil)

  init(_ assets: AssetFiles, _ files: [File], from first: Int, by step: Int) {
    (self.assets, self.files) = (assets, files)
    places = stride(from: first, to: files.count, by: step)
  }

  func run() {
    do throws(StoreError) {
      result = .success(try firstMismatch())
    } catch {
      result = .failure(error)
    }
  }

  private func firstMismatch() throws(StoreError) -> Int? {
    for place in places {
      let hash = files[place].hash
      guard let asset = Asset(sha256: hash, size: 0) else { continue }
      if try assets.hash(of: asset) != hash { return place }
    }
    return nil
  }
}
