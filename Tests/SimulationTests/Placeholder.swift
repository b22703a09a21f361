import Testing

@Suite struct PlaceholderSimulation {}
