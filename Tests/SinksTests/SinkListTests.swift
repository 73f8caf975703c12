import Delivery
import Testing

@Suite struct SinkListTests {
    @Test func everySinkHasANumberAndANameOfItsOwn() {
        let ids = SinkKind.all.map(\.id)
        #expect(Set(ids).count == ids.count && !ids.contains(0))
        #expect(Set(SinkKind.all.map(\.name)).count == ids.count)
    }
}
