// swift-tools-version: 6.2
// Targets are in the order of the layers (Sources/ARCHITECTURE.md): an import points down only.
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // An asynchronous request does not leave its caller's actor first.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// The settings of code that runs once for a command: small rather than fast. Only make asks for
/// them: a package with unsafe flags could not be a dependency of others.
let small =
  Context.environment["CKDB_SMALL"] == nil
  ? swiftSettings
  : swiftSettings + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// The server can be linked fully static, unlike the client of other servers, which resolves names:
/// static glibc does so unreliably. Both share what is compiled.
let serverLinking: [LinkerSetting] =
  Context.environment["CKDB_STATIC_SERVER"] == nil
  ? [] : [.unsafeFlags(["-static-executable"], .when(configuration: .release))]

/// A library target of ours, with the settings that all of them share.
func layer(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = swiftSettings
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// What tests and tools share.
func layerOfTests(
  _ name: String, at path: String, _ dependencies: [Target.Dependency]
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: swiftSettings)
}

/// The tests of one target, in Tests/ under the target's name.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies,
    path: "Tests/\(name)", exclude: exclude, swiftSettings: swiftSettings)
}

/// A product of a package that only builds with the trait Server need.
func served(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

let package = Package(
  name: "ckdb",
  products: [
    .executable(name: "ckdb", targets: ["ckdb"]),
    .library(name: "CloudKit", targets: ["CloudKit"]),
    .library(name: "CloudKitTesting", targets: ["CloudKitTesting"]),
    .library(name: "CoreLocation", targets: ["CoreLocation"]),
    .executable(name: "ckdb-serve", targets: ["ckdb-serve"]),
    .executable(name: "ckdb-remote", targets: ["ckdb-remote"]),
  ],
  traits: [
    .trait(
      name: "Server",
      description: "CloudKit Web Services: the server, ckdb-serve, and the client, ckdb-remote.")
  ],
  dependencies: [
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CReadline"),
    .target(name: "CPlatform"),
    .target(name: "CRules"),

    layer("Basics", ["CPlatform"]),
    layer("SQLite", ["CSQLite", "Basics"]),
    layer("CommandKit", ["Basics"]),

    layer("CloudModel", ["Basics"]),
    layer("FieldCodecs", ["CloudModel", "Basics"]),

    layer("PredicateLanguage", ["FieldCodecs", "CloudModel", "Basics"]),
    layer("SchemaLanguage", ["CloudModel", "Basics"]),
    layer("WireFormat", ["FieldCodecs", "CloudModel", "Basics"]),

    layer("CoreDataModel", ["CloudModel", "Basics"]),

    layer("StoreFiles", ["SQLite", "CloudModel", "Basics"]),
    layer(
      "RecordStore",
      ["StoreFiles", "SQLite", "PredicateLanguage", "FieldCodecs", "CloudModel", "Basics"]),

    layer("StoreHome", ["StoreFiles", "SQLite", "FieldCodecs", "CloudModel", "Basics"]),

    layer(
      "UbiquityStore", ["StoreFiles", "SQLite", "FieldCodecs", "CloudModel", "Basics"]),

    layer(
      "CloudServices",
      [
        "StoreHome", "RecordStore", "UbiquityStore", "StoreFiles", "PredicateLanguage",
        "CoreDataModel", "FieldCodecs",
        "CloudModel", "Basics",
      ]),

    layer(
      "Fixtures", ["CloudServices", "SchemaLanguage", "WireFormat", "CloudModel", "Basics"]),

    layer("CloudSync", ["CloudServices", "WireFormat", "CloudModel", "Basics"]),

    layer(
      "Commands",
      [
        "CloudSync", "Fixtures", "CloudServices", "PredicateLanguage", "SchemaLanguage",
        "WireFormat",
        "CoreDataModel", "FieldCodecs",
        "CloudModel", "CommandKit", "Basics", "CReadline", "CRules",
      ], small),

    layer("CoreLocation", ["CloudModel"]),
    .target(name: "CCloudKit"),
    layer(
      "CloudKit",
      [
        "CCloudKit", "CoreLocation", "Fixtures", "CloudServices", "PredicateLanguage",
        "WireFormat", "FieldCodecs", "CloudModel", "Basics",
      ]),
    layer(
      "CloudKitTesting",
      ["CloudKit", "Fixtures", "CloudServices", "WireFormat", "CloudModel", "Basics"]),

    .executableTarget(
      name: "ckdb", dependencies: ["Commands", "Basics"], exclude: ["Linking"],
      swiftSettings: swiftSettings),

    // Empty without the trait Server, as the next one.
    .target(
      name: "Dashboard",
      dependencies: [
        "Fixtures", "CloudServices", "PredicateLanguage", "SchemaLanguage", "WireFormat",
        "FieldCodecs", "CloudModel", "Basics",
      ], resources: [.embedInCode("Resources")],
      swiftSettings: swiftSettings),
    layer(
      "WebServices",
      [
        "Dashboard", "Fixtures", "CloudServices", "PredicateLanguage", "SchemaLanguage",
        "WireFormat",
        "FieldCodecs", "CloudModel", "Basics",
        served("HummingbirdCore", "hummingbird"), served("HummingbirdTLS", "hummingbird"),
        served("ServiceLifecycle", "swift-service-lifecycle"),
        served("UnixSignals", "swift-service-lifecycle"),
        served("NIOCore", "swift-nio"), served("NIOPosix", "swift-nio"),
        served("NIOHTTP1", "swift-nio"),
        served("NIOHTTPTypes", "swift-nio-extras"),
        served("NIOHTTPTypesHTTP1", "swift-nio-extras"),
        served("HTTPTypes", "swift-http-types"),
        served("NIOSSL", "swift-nio-ssl"), served("X509", "swift-certificates"),
        served("SwiftASN1", "swift-asn1"),
        served("Crypto", "swift-crypto"), served("Logging", "swift-log"),
      ]),
    .executableTarget(
      name: "ckdb-serve", dependencies: ["WebServices", "Basics"],
      swiftSettings: swiftSettings, linkerSettings: serverLinking),

    .executableTarget(
      name: "ckdb-remote",
      dependencies: [
        "Commands", "CloudSync", "CloudServices", "Basics",
        served("AsyncHTTPClient", "async-http-client"), served("NIOCore", "swift-nio"),
        served("NIOHTTP1", "swift-nio"), served("NIOPosix", "swift-nio"),
        served("NIOSSL", "swift-nio-ssl"), served("Crypto", "swift-crypto"),
      ], swiftSettings: swiftSettings),

    .executableTarget(
      name: "Benchmarks", path: "Tests/Benchmarks", swiftSettings: swiftSettings),

    .executableTarget(
      name: "Faults", dependencies: ["Commands", "Basics"], path: "Tests/Faults",
      exclude: ["Shim"], swiftSettings: swiftSettings),

    layerOfTests(
      "FuzzTargets", at: "Tests/Fuzz/Targets",
      [
        "CloudServices", "RecordStore", "PredicateLanguage", "SchemaLanguage", "CoreDataModel",
        "WireFormat", "FieldCodecs", "CloudModel", "CommandKit", "Basics",
      ]),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets", "Basics"], path: "Tests/Fuzz/Replay",
      swiftSettings: swiftSettings),

    layerOfTests("TestSupport", at: "Tests/Support", ["Basics"]),
    layerOfTests("RemoteSupport", at: "Tests/RemoteSupport", ["CloudSync", "Basics"]),
    tests("Basics", ["CPlatform"]),
    tests("SQLite", ["CSQLite", "Basics"]),
    tests("CommandKit", ["Basics"]),
    tests("CloudModel", ["Basics"]),
    tests("FieldCodecs", ["CloudModel", "Basics"]),
    tests("PredicateLanguage", ["FieldCodecs", "CloudModel", "Basics"]),
    tests("SchemaLanguage", ["CloudModel", "Basics"]),
    tests("CoreDataModel", ["CloudModel", "Basics", "TestSupport"]),
    tests(
      "WireFormat", ["PredicateLanguage", "FieldCodecs", "CloudModel", "Basics", "TestSupport"]),
    tests("StoreFiles", ["SQLite", "CloudModel", "Basics", "TestSupport"]),
    tests("UbiquityStore", ["StoreFiles", "CloudModel", "Basics", "TestSupport"]),
    tests(
      "RecordStore",
      [
        "StoreHome", "StoreFiles", "SQLite", "PredicateLanguage", "FieldCodecs", "CloudModel",
        "Basics", "TestSupport",
      ],
      exclude: ["Fixtures"]),
    tests(
      "CloudServices",
      [
        "StoreFiles", "SQLite", "CoreDataModel", "CloudModel", "PredicateLanguage", "Basics",
        "TestSupport",
      ]),
    tests(
      "CloudSync",
      [
        "RemoteSupport", "CloudServices", "WireFormat", "CloudModel", "Basics", "TestSupport",
      ]),
    tests(
      "Commands",
      [
        "RemoteSupport", "CloudSync", "CloudKitTesting", "CloudServices", "SQLite", "CommandKit",
        "CloudModel", "Basics",
        "TestSupport",
      ],
      exclude: ["Transcripts", "Fixtures"]),
    tests("CloudKit", ["CloudKitTesting", "TestSupport"]),
    tests("CloudKitTesting", ["Basics", "TestSupport"]),
    .testTarget(
      name: "TerminalTests", dependencies: ["Basics", "TestSupport"], path: "Tests/Terminal",
      swiftSettings: swiftSettings),
    .testTarget(name: "TidyTests", path: "Tests/Tidy", swiftSettings: swiftSettings),
  ]
)

// libFuzzer's main function is only there with -sanitize=fuzzer (make fuzz).
if Context.environment["CKDB_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets", "Basics"], path: "Tests/Fuzz/Driver",
      swiftSettings: swiftSettings))
}
