internal import Basics
internal import CSQLite

/// Our part of an open file, which follows the system's part in memory. Its first member must be
/// the file's method table.
protocol FileLayer {}

extension FileLayer {
  /// Returns our part of a file.
  static func place(
    after file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<Self> {
    (UnsafeMutableRawPointer(file) + PageChecksums.layerOffset)
      .assumingMemoryBound(to: Self.self)
  }

  /// Returns the method table in our part of a file.
  static func methods(of place: UnsafeMutablePointer<Self>) -> UnsafePointer<sqlite3_io_methods> {
    UnsafePointer(
      UnsafeMutableRawPointer(place).assumingMemoryBound(to: sqlite3_io_methods.self))
  }

  /// Installs itself as our part of a file that the system has opened.
  func install(after file: UnsafeMutablePointer<sqlite3_file>) {
    let place = Self.place(after: file)
    place.initialize(to: self)
    file.pointee.pMethods = Self.methods(of: place)
  }
}

/// The synchronization of a file, which one in a `VolatileFolder` does not need.
struct FileSynchronization {
  /// Folders are never deallocated.
  private let folder: Unmanaged<VolatileFolder>?

  init(_ path: UnsafePointer<CChar>?) {
    folder = path.flatMap { VolatileFolder.containing(String(cString: $0)) }
      .map(Unmanaged.passUnretained)
  }

  /// Whether the file must be synchronized.
  var isNeeded: Bool { folder?.takeUnretainedValue().isMarked != true }
}
