internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import CoreDataModel

/// A Core Data model that a command reads.
struct ModelDocument {
  /// The path of the XML, for messages.
  let path: String
  let model: ManagedObjectModel
  /// The other versions of the model.
  let others: [ModelFile]

  static let version = Option(
    "version", nil, ValueKind<String>.text("VERSION"),
    default: "the current one", "Version of the model")
  static let configuration = Option(
    "configuration", nil, ValueKind<String>.text("NAME"),
    default: "all entities", "Mirror the entities of this configuration only")

  /// Reads the named version of a model, or the current one. Throws `CommandError` with the
  /// position of the first fault, `SystemError` if it cannot be read.
  init(_ path: String, version: String? = nil) throws {
    do {
      let file = try ModelFile.version(version, of: path)
      self.path = file.path
      do { model = try file.model() } catch let error as ModelError {
        throw CommandError(error, of: file.path)
      }
      others = try ModelFile.versions(of: path).filter { $0.path != file.path }
    } catch let error as ModelError {
      throw CommandError(error, of: path)
    }
  }

  /// Parses the XML of a model that was read from a file. Throws `CommandError` with the position
  /// of the first fault.
  init(_ text: String, of path: String) throws {
    self.path = path
    others = []
    do throws(ModelError) { model = try ModelParser.parse(Array(text.utf8)) } catch {
      throw CommandError(error, of: path)
    }
  }

  /// The mirror of the model, or of one of its configurations. Throws `CommandError` with the path
  /// for an unknown one.
  func mirror(configuration: String? = nil) throws -> MirroredModel {
    do throws(CloudError) {
      return try MirroredModel(model, configuration: configuration)
    } catch {
      throw CommandError("\(path): \(error.message)", .data, hint: error.hint)
    }
  }

  /// The mirror of the whole model, whose schema is complete. Throws `CommandError` for what no
  /// schema can express; warns if a container would refuse the model.
  func completeMirror(_ context: Context) throws -> MirroredModel {
    let mirror = try mirror()
    if let conflict = mirror.conflicts.first {
      throw CommandError(
        "\(path):\(conflict.position.text): \(conflict.message)", .data,
        hint: conflict.rule.remedy)
    }
    warn(MirroringChecker.findings(in: mirror), context)
    return mirror
  }

  /// Warns of findings that are not listed.
  func warn(_ findings: [MirroringFinding], _ context: Context) {
    if findings.isEmpty { return }
    context.warn(
      "\(findings.count.counted("finding")) would keep the model from being mirrored: "
        + "'ckdb schema core-data --check' lists them")
  }

  /// What keeps the model from being mirrored, or a store of another version from being migrated to
  /// it. Warns of other versions that cannot be read; leaves out those without the configuration.
  func findings(
    in mirror: MirroredModel, configuration: String?, isPublic: Bool, _ context: Context
  ) -> [MirroringFinding] {
    var findings = MirroringChecker.findings(in: mirror, isPublic: isPublic)
    for other in others {
      let model: ManagedObjectModel
      do { model = try other.model() } catch {
        let text = (error as? ModelError)?.message ?? CommandError(any: error).text
        context.warn("\(other.path) is not compared: \(text)")
        continue
      }
      guard let older = try? MirroredModel(model, configuration: configuration) else { continue }
      for finding in MirroringChecker.findings(in: mirror, migratingFrom: older)
      where !findings.contains(finding) {
        findings.append(finding)
      }
    }
    return findings
  }
}

extension CommandError {
  /// The error of an invalid model.
  fileprivate init(_ error: ModelError, of file: String) {
    let place = error.position.map { ":\($0.text)" } ?? ""
    self.init("\(file)\(place): \(error.message)", .data, hint: error.remedy?.hint)
  }
}
