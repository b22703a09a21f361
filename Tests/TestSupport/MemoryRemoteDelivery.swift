import ObjectStore

extension MemoryRemote.State {
  /// One operation begins: second deliveries that are due take place.
  mutating func tick() {
    now += 1
    counters.calls += 1
    if !returns.isEmpty { deliverReturns(before: now + 1) }
  }

  mutating func deliverReturns(before time: Int) {
    for item in returns where item.at < time && tree[item.name] == nil && tree.isThere {
      tree.makeFolders(of: item.name.folder)
      tree[item.name] = DeliveredFile(item.bytes)
      mishaps.returned += 1
    }
    returns.removeAll { $0.at < time }
  }

  /// A file passes between the place and a device, if the place is still there.
  mutating func pass(_ place: String) throws(RemoteError) {
    guard let left = filesLeft else { return }
    guard left > 0 else { throw RemoteError(.unreachable, place: place) }
    filesLeft = left - 1
  }

  /// Takes a file from a side, with whatever befalls it on the way to the others.
  mutating func deliver(_ bytes: [UInt8], as name: TreeName, from side: DeviceID) {
    tree.makeFolders(of: name.folder)
    tree.oddities[name.path] = nil
    counters.filesWritten += 1
    counters.bytesWritten += bytes.count
    guard name.digest != nil else {
      tree[name] = DeliveredFile(bytes)
      return
    }
    var file = DeliveredFile(bytes, writers: [side], arrives: now)
    if random.strikes(vices.late) {
      file.arrives = now + delay()
      mishaps.late += 1
    }
    if !vices.outOfOrder { file.arrives = max(file.arrives, lastArrival[side] ?? 0) }
    file.whole = file.arrives
    if random.strikes(vices.torn), !bytes.isEmpty {
      file.prefix = Int.random(in: 0..<bytes.count, using: &random)
      file.whole = file.arrives + delay()
      mishaps.torn += 1
    }
    lastArrival[side] = max(lastArrival[side] ?? 0, file.whole)
    if let old = tree[name], old.bytes == bytes { file.join(old) }
    befall(&file, name)
    tree[name] = file
  }

  private mutating func befall(_ file: inout DeliveredFile, _ name: TreeName) {
    if random.strikes(vices.conflictCopies) {
      tree.oddities["\(name.path) (conflicted copy)"] = .file(file.bytes)
      mishaps.conflictCopies += 1
    }
    if random.strikes(vices.twice) { returns.append((now + delay(), name, file.bytes)) }
    if random.strikes(vices.damaged), !file.bytes.isEmpty {
      random.flip(&file.bytes)
      mishaps.damaged += 1
    }
  }

  mutating func take(_ name: TreeName) {
    tree.oddities[name.path] = nil
    guard let file = tree[name] else { return }
    tree[name] = nil
    counters.filesRemoved += 1
    if name.digest != nil, random.strikes(vices.twice) {
      returns.append((now + delay(), name, file.bytes))
    }
  }

  private mutating func delay() -> Int { Int.random(in: vices.delay, using: &random) }
}

extension DeliveredFile {
  /// The same bytes were written before: whoever saw them goes on to.
  fileprivate mutating func join(_ old: DeliveredFile) {
    writers += old.writers.filter { !writers.contains($0) }
    if old.arrives < arrives || old.whole < whole {
      (arrives, whole, prefix) = (min(old.arrives, arrives), min(old.whole, whole), max(old.prefix, prefix))
    }
  }
}
