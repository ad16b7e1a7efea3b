#if Server
  internal import CloudModel
  internal import CloudServices

  /// A share with its owner, as the owner sees it.
  struct SeenShare {
    let share: Share
    let owner: Account

    var zone: ZoneID { share.record.zone }

    /// The shares that some accounts own, in their order.
    static func all(_ open: OpenPlace, _ accounts: [Account]) throws -> [SeenShare] {
      var shares: [SeenShare] = []
      for owner in accounts where shares.count < most {
        var request = open.visitor.serving(owner, .cli)
        (request.needsNetwork, request.meetsFaults) = (false, false)
        let environment = open.watched.environment.acting(for: request)
        for share in try environment.shares(of: owner)
        where share.current?.role == .owner && shares.count < most {
          shares.append(SeenShare(share: share, owner: owner))
        }
      }
      return shares
    }

    /// The maximum number of shares on a page.
    private static let most = 200

    /// The title, or what is shared.
    var title: String {
      if case .string(let title)? = share.record.fields[.shareTitle], !title.isEmpty {
        return title
      }
      return share.root?.text ?? "zone \(zone.text)"
    }

    /// The address of the share's page.
    func address(at place: Place) -> String {
      place.seen(by: owner, in: .private, ZoneID(zone.name))
        .address(["share", share.record.name.text])
    }

    /// What an account may do, and whether it has accepted.
    struct Right {
      let participant: ShareParticipant

      var html: HTML {
        let color: HTML =
          switch participant.status {
          case .accepted: "good"
          case .pending, .requested: "warn"
          case .removed, .blocked: "bad"
          }
        let state = participant.role == .owner ? "owner" : participant.status.name
        let right = participant.role == .owner ? "" : " \(participant.permission.name)"
        return "<span class=\"chip \(color)\">\(state)</span>\(right)"
      }
    }

    /// The right of an account; nil if it has none.
    func right(of account: Account) -> Right? {
      let people = share.participants + share.requesters + share.blocked
      return people.first { $0.account == account }.map(Right.init)
    }
  }
#endif
