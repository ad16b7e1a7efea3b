// swift-tools-version: 6.2
import PackageDescription

// A package of a user: it has ckdb and packages that must not notice it. `make test-clients` copies
// it to a folder outside of the project.
let ckdb = Context.environment["CKDB_PATH"] ?? "../.."

let package = Package(
  name: "Notes",
  dependencies: [
    .package(name: "ckdb", path: ckdb),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
  ],
  targets: [
    .target(
      name: "Notes",
      dependencies: [
        .product(name: "CloudKit", package: "ckdb", condition: .when(platforms: [.linux]))
      ]),
    .executableTarget(
      name: "Neighbours",
      dependencies: [
        "Notes", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "CustomDump", package: "swift-custom-dump"),
        .product(name: "CloudKitTesting", package: "ckdb"),
      ]),
    .executableTarget(
      name: "LibraryBenchmarks",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "CloudKitTesting", package: "ckdb"),
      ]),
    .testTarget(
      name: "NotesTests",
      dependencies: [
        "Notes",
        .product(name: "CloudKitTesting", package: "ckdb", condition: .when(platforms: [.linux])),
      ]),
  ]
)
