import Testing

@Suite struct PlaceholderObjectStore {}
