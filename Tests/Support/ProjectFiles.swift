internal import Basics

/// Files of the project, by their paths in it.
public enum ProjectFiles {
  /// The project's directory: Tests/Support/ProjectFiles.swift is three levels below.
  public static var root: String {
    (0..<3).reduce(#filePath) { path, _ in FileSystem.parent(of: path) }
  }

  /// Copies the sample files of Tests/Samples.
  public static func copySamples(to directory: String) throws {
    let folder = root + "/Tests/Samples"
    for name in (try? FileSystem.list(folder)) ?? [] {
      let bytes = try FileSystem.contents(of: "\(folder)/\(name)")
      try FileSystem.replace("\(directory)/\(name)", with: bytes)
    }
  }
}
