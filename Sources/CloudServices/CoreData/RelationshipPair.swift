internal import Basics
internal import CoreDataModel

/// The two sides of a many-to-many relationship, in the order in which a link names them: by
/// entity, then by relationship, without regard to case.
struct RelationshipPair: Sendable, Hashable {
  /// The sides; both are the same if a relationship is its own inverse.
  let first, second: Side

  /// A relationship and the entity that defines it.
  struct Side: Sendable, Hashable {
    /// The entity.
    let entity: String
    /// The relationship.
    let relationship: String
  }

  /// Creates the pair of a relationship and its inverse; nil unless both lead to many objects.
  init?(_ relationship: RelationshipDescription, _ inverse: RelationshipDescription) {
    guard relationship.isToMany, inverse.isToMany else { return nil }
    let sides = [relationship, inverse].map { Side(entity: $0.entity, relationship: $0.name) }
    let isInOrder = !sides[1].precedes(sides[0])
    first = sides[isInOrder ? 0 : 1]
    second = sides[isInOrder ? 1 : 0]
  }

  init(first: Side, second: Side) { (self.first, self.second) = (first, second) }
}

extension RelationshipPair.Side {
  fileprivate func precedes(_ other: Self) -> Bool {
    // Names that differ only in case are ordered by their bytes: a link must have one form.
    let own = [entity.lowercased(), relationship.lowercased(), entity, relationship]
    let others = [
      other.entity.lowercased(), other.relationship.lowercased(), other.entity, other.relationship,
    ]
    let difference = zip(own, others).first { !utf8Equal($0, $1) }
    return difference.map { utf8Precedes($0, $1) } ?? false
  }
}
