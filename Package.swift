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

let package = Package(
  name: "ckdb",
  products: [
    .executable(name: "ckdb", targets: ["ckdb"]),
    .library(name: "CloudKit", targets: ["CloudKit"]),
    .library(name: "CloudKitTesting", targets: ["CloudKitTesting"]),
    .library(name: "CoreLocation", targets: ["CoreLocation"]),
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

    layer("StoreFiles", ["SQLite", "CloudModel", "Basics"]),
    layer(
      "RecordStore",
      ["StoreFiles", "SQLite", "PredicateLanguage", "FieldCodecs", "CloudModel", "Basics"]),

    layer("StoreHome", ["StoreFiles", "SQLite", "CloudModel", "Basics"]),

    layer(
      "UbiquityStore", ["StoreFiles", "SQLite", "FieldCodecs", "CloudModel", "Basics"]),

    layer(
      "CloudServices",
      [
        "StoreHome", "RecordStore", "UbiquityStore", "StoreFiles", "PredicateLanguage",
        "FieldCodecs",
        "CloudModel", "Basics",
      ]),

    layer(
      "Fixtures", ["CloudServices", "SchemaLanguage", "WireFormat", "CloudModel", "Basics"]),

    layer(
      "Commands",
      [
        "Fixtures", "CloudServices", "PredicateLanguage", "SchemaLanguage", "WireFormat",
        "FieldCodecs",
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

    .executableTarget(
      name: "Benchmarks", path: "Tests/Benchmarks", swiftSettings: swiftSettings),

    .executableTarget(
      name: "Faults", dependencies: ["Commands", "Basics"], path: "Tests/Faults",
      exclude: ["Shim"], swiftSettings: swiftSettings),

    layerOfTests(
      "FuzzTargets", at: "Tests/Fuzz/Targets",
      [
        "CloudServices", "RecordStore", "PredicateLanguage", "SchemaLanguage", "WireFormat",
        "FieldCodecs", "CloudModel", "CommandKit", "Basics",
      ]),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets", "Basics"], path: "Tests/Fuzz/Replay",
      swiftSettings: swiftSettings),

    layerOfTests("TestSupport", at: "Tests/Support", ["Basics"]),
    tests("Basics", ["CPlatform"]),
    tests("SQLite", ["CSQLite", "Basics"]),
    tests("CommandKit", ["Basics"]),
    tests("CloudModel", ["Basics"]),
    tests("FieldCodecs", ["CloudModel", "Basics"]),
    tests("PredicateLanguage", ["FieldCodecs", "CloudModel", "Basics"]),
    tests("SchemaLanguage", ["CloudModel", "Basics"]),
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
      ["StoreFiles", "SQLite", "CloudModel", "PredicateLanguage", "Basics", "TestSupport"]),
    tests(
      "Commands",
      [
        "CloudKitTesting", "CloudServices", "SQLite", "CommandKit", "CloudModel", "Basics",
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
