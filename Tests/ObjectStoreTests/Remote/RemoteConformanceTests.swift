import ObjectStore
import TestSupport
import Testing

@Suite struct RemoteConformanceTests {
  @Test(arguments: RemoteConformance.checks)
  func directoryRemoteKeepsTheContract(check: RemoteConformance) throws {
    try check.run(DirectoryPlace())
  }

  @Test(arguments: RemoteConformance.checks)
  func memoryRemoteKeepsTheContract(check: RemoteConformance) throws {
    try check.run(MemoryRemotePlace())
  }
}
