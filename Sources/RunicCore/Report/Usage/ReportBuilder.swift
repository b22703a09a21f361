import CanonicalJSON
import ObjectStore

/// Sums up requests, one at a time and in any order: the report is a function of the set of them.
///
/// Nothing is allocated for a request, only for a model, device, session or period that is met for the first time.
public struct ReportBuilder {
  let query: ReportQuery
  let now: Int64
  private let calendar: ReportCalendar

  private var models = ByteInterner()
  private(set) var modelFacts: [ModelFacts] = []
  private var owners = ByteInterner()
  private(set) var deviceFacts: [(id: DeviceID, isWanted: Bool)] = []
  private var devices = ByteInterner()
  private var span = ZoneRules.Span(range: 0..<0, offset: 0)
  private var index = KeyIndex()
  private(set) var cells: [UsageSum] = []
  private(set) var blockHours = BlockHours()
  private var cubeIndex = KeyIndex()
  private var cubeCells: [UsageSum] = []
  /// Devices and the days of their requests, whatever the query leaves out.
  private var usedDays = KeyIndex()
  private(set) var coarse: [CoarseRequest] = []
  private(set) var unreadable = 0

  /// What is known of a provider and model, found out once.
  struct ModelFacts {
    let name: ModelName
    let price: ModelPrice?
    let isWanted: Bool
  }

  /// - Parameter now: in milliseconds since 1970.
  public init(_ query: ReportQuery, now: Int64) {
    self.query = query
    self.now = now.flooredQuotient(1000)
    calendar = ReportCalendar(grouping: query.grouping, zone: query.zone)
  }

  /// Takes in one request.
  ///
  /// - Parameters:
  ///   - payload: canonical JSON.
  ///   - device: the 16 bytes of the device that recorded it.
  public mutating func add(payload: UnsafeRawBufferPointer, device: UnsafeRawBufferPointer) {
    guard device.count == DeviceID.byteCount, let fields = RequestFields(payload),
      let seconds = fields.seconds
    else {
      unreadable += 1
      return
    }
    let device = deviceNumber(device)
    if fields.provenance.count > 0 {
      coarse.append(CoarseRequest(payload: Array(payload), seconds: seconds, device: device))
      return
    }
    let day = day(at: seconds)
    _ = usedDays.number(Self.key(group: day &+ Self.dayBias, model: device))
    add(fields, at: seconds, day: day, device: device)
  }

  /// Adds what the query asks for.
  ///
  /// - Parameter isSumOfMany: then it says nothing of the size of one request, and where that decides there is no price.
  @inline(__always)
  mutating func add(
    _ fields: RequestFields, at seconds: Int64, day: Int64, device: Int, isSumOfMany: Bool = false
  ) {
    let isWanted = deviceFacts[device].isWanted
    let isAsked = isWanted && query.range.contains(seconds)
    // Blocks are the account's: what is left out of the sums was used all the same.
    guard isAsked || query.grouping == .blocks else { return }
    let model = modelNumber(fields.provider, fields.model)
    guard modelFacts[model].isWanted else { return }
    let price = modelFacts[model].price.flatMap { isSumOfMany && $0.above != nil ? nil : $0 }
    let (charge, isLogged) = charge(fields, price: price)
    if query.grouping == .blocks {
      blockHours.add(fields.tokens, at: seconds, charge, isLogged: isLogged, isWanted: isWanted)
    }
    guard isAsked else { return }
    add(fields, at: seconds, day: day, device: device, model: model, charge, isLogged: isLogged)
  }

  @inline(__always)
  private mutating func add(
    _ fields: RequestFields, at seconds: Int64, day: Int64, device: Int, model: Int, _ charge: Charge,
    isLogged: Bool
  ) {
    let group = group(fields, at: seconds, day: day, device: device)
    let (cell, isNew) = index.number(Self.key(group: group, model: model))
    if isNew { cells.append(UsageSum()) }
    cells[cell].add(fields.tokens, at: seconds, charge, isLogged: isLogged)
    guard query.keepsCube else { return }
    let place = (day &+ Self.dayBias) << Self.deviceBits | Int64(min(device, Self.mostDevices))
    let (cube, isNewCube) = cubeIndex.number(Self.key(group: place, model: model))
    if isNewCube { cubeCells.append(UsageSum()) }
    cubeCells[cube].add(fields.tokens, at: seconds, charge, isLogged: isLogged)
  }
}

// MARK: - Numbers that stand for things

extension ReportBuilder {
  private static let modelBits: UInt64 = 24
  private static let deviceBits: Int64 = 12
  private static let mostDevices = 1 << 12 - 1
  /// Makes days before 1970, which a hostile record may name, positive.
  private static let dayBias: Int64 = 1 << 22

  @inline(__always)
  private static func key(group: Int64, model: Int) -> UInt64 {
    UInt64(bitPattern: group) << modelBits | UInt64(min(model, 1 << 24 - 1))
  }

  /// The day in the query's zone. Requests come in no order, but most lie in one or two stretches.
  @inline(__always)
  mutating func day(at seconds: Int64) -> Int64 {
    if !span.range.contains(seconds) { span = query.zone.span(at: seconds) }
    return (seconds &+ span.offset).flooredQuotient(86_400)
  }

  private mutating func deviceNumber(_ bytes: UnsafeRawBufferPointer) -> Int {
    let number = devices.number(bytes)
    if number == deviceFacts.count {
      let id = DeviceID(exactly: bytes)
      deviceFacts.append((id, query.devices?.contains(id) ?? true))
    }
    return number
  }

  mutating func modelNumber(_ provider: UnsafeRawBufferPointer, _ model: UnsafeRawBufferPointer) -> Int {
    let number = models.number(provider, model)
    if number == modelFacts.count {
      let provider = ProviderName.canonical(JSONText.unescaped(provider))
      let model = JSONText.unescaped(model)
      modelFacts.append(
        ModelFacts(
          name: ModelName(
            provider: String(decoding: provider, as: UTF8.self), model: String(decoding: model, as: UTF8.self)
          ),
          price: query.prices.price(provider: provider, model: model),
          isWanted: query.canonicalProviders?.contains(provider) ?? true))
    }
    return number
  }

  private mutating func group(
    _ fields: RequestFields, at seconds: Int64, day: Int64, device: Int
  ) -> Int64 {
    switch query.grouping {
    case .daily, .weekly, .monthly: calendar.period(ofDay: day) &+ Self.dayBias
    case .blocks: seconds.flooredQuotient(3600) &+ Self.dayBias * 24
    case .provider, .model: 0
    case .device: Int64(device)
    case .account: Int64(owners.number(fields.account))
    case .session: Int64(owners.number(fields.session))
    }
  }

  @inline(__always)
  func charge(_ fields: RequestFields, price: ModelPrice?) -> (Charge, isLogged: Bool) {
    if !query.ignoresLoggedCosts, !fields.cost.isEmpty, let cost = Money(decimal: fields.cost), !cost.isZero {
      return (Charge(cost: cost), true)
    }
    guard fields.isStandard, let price else {
      return (Charge(unpricedTokens: fields.tokens.total), false)
    }
    return (price.charge(for: fields.tokens), false)
  }
}

// MARK: - What came of it

extension ReportBuilder {
  /// One sum of a group and a model.
  struct Cell {
    let group: Int64
    let model: Int
    let sum: UsageSum
  }

  /// All sums, groups as `group` numbered them.
  var allCells: [Cell] {
    zip(index.keys, cells).map { key, sum in
      let group = Int64(key >> Self.modelBits)
      return Cell(
        group: query.grouping == .blocks
          ? group - Self.dayBias * 24 : query.grouping.isPeriod ? group - Self.dayBias : group,
        model: Int(key & (1 << Self.modelBits - 1)), sum: sum)
    }
  }

  /// The account or session that a group stands for; nil where the record named none.
  func owner(_ group: Int64) -> String? {
    let text = owners.pairs[Int(group)].first
    return text.isEmpty ? nil : String(decoding: JSONText.unescaped(text), as: UTF8.self)
  }

  var cube: [CubeCell] {
    zip(cubeIndex.keys, cubeCells).map { key, sum in
      let place = Int64(key >> Self.modelBits)
      let device = Int(place & (1 << Self.deviceBits - 1))
      return CubeCell(
        day: place >> Self.deviceBits - Self.dayBias, device: deviceFacts[device].id,
        model: modelFacts[Int(key & (1 << Self.modelBits - 1))].name, sum: sum)
    }
  }

  func hasRequests(device: Int, day: Int64) -> Bool {
    usedDays.contains(Self.key(group: day &+ Self.dayBias, model: device))
  }
}
