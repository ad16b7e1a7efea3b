public import CloudModel
public import CloudServices

/// The caller's settings, which a load depends on as it does on the files.
public struct FixtureSettings {
  /// The request that loads and compares.
  public var request: Request
  /// The environment of the container.
  public var environment: Environment
  /// The database of records whose texts name none.
  public var database: DatabaseScope
  /// The zone of records whose texts name none.
  public var zone: ZoneID
  /// The container; nil for the one that the fixture names, or the store's only one.
  public var container: ContainerID?
  /// What the settings say in spite of the fixture.
  public var overrides: Set<Override> = []

  /// A setting that a fixture may have, too.
  public enum Override: Sendable {
    case container
    case clock
    case seed
  }

  /// Settings under which the fixture decides everything that it names.
  public init(
    _ request: Request, environment: Environment = .development,
    database: DatabaseScope = .private, zone: ZoneID = .defaultZone, container: ContainerID? = nil
  ) {
    (self.request, self.environment) = (request, environment)
    (self.database, self.zone, self.container) = (database, zone, container)
  }
}
