// swift-tools-version: 6.2
import PackageDescription

// The modules of Apple's platforms that other people's code imports next to CloudKit, and code in
// that style with its tests. They are products of a package of their own: where a module `os` or
// `Combine` is part of a build, `canImport` of it is true for all packages of the build.
let ckdb = Context.environment["CKDB_PATH"] ?? "../.."

let package = Package(
  name: "ForeignClients",
  products: [
    .library(name: "os", targets: ["os"]),
    .library(name: "OSLog", targets: ["OSLog"]),
    .library(name: "Combine", targets: ["Combine"]),
  ],
  dependencies: [
    .package(name: "ckdb", path: ckdb),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .systemLibrary(name: "OSHeaders", path: "Modules/OSHeaders"),
    .target(name: "os", dependencies: ["OSHeaders"], path: "Modules/os"),
    .target(name: "OSLog", dependencies: ["os"], path: "Modules/OSLog"),
    .target(
      name: "Combine",
      dependencies: [
        "OpenCombine", .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "OpenCombineFoundation", package: "OpenCombine"),
      ], path: "Modules/Combine"),
    .target(
      name: "Contacts",
      dependencies: ["os", "Combine", .product(name: "CloudKit", package: "ckdb")]),
    .testTarget(
      name: "ContactsTests",
      dependencies: ["Contacts", .product(name: "CloudKitTesting", package: "ckdb")]),
  ]
)
