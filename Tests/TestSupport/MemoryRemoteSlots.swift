import ObjectStore

extension MemoryRemote.View {
  public func slots() throws(RemoteError) -> [SlotID: [UInt8]] {
    remote.state.withLock { state in
      var slots: [SlotID: [UInt8]] = [:]
      for (name, file) in state.tree.files[.keys] ?? [:] {
        if case .slot(let id) = name, file.bytes.count <= Limits.smallFile { slots[id] = file.bytes }
      }
      return slots
    }
  }
}
