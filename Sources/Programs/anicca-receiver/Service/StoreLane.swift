import Foundation

/// A connection to the store with a thread of its own, as calls to it block. It opens when it is first used, and anew after a failure.
/// What meets the end of a connection is tried once more on the next.
final class StoreLane: Sendable {
    private let thread: DispatchQueue
    private let connection: Connection

    init(_ address: StoreAddress, number: Int) {
        thread = DispatchQueue(label: "store-\(number)")
        connection = Connection(address)
    }

    /// Runs the work on the lane's thread, after what it was given before.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (any RecordStore) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let outcome: Swift.Result<Result, StoreFailure> = await withCheckedContinuation { waiting in
            thread.async { waiting.resume(returning: self.connection.perform(work)) }
        }
        return try outcome.get()
    }

    /// Used on the lane's thread alone, which makes it safe to share.
    private final class Connection: @unchecked Sendable {
        private let address: StoreAddress
        private var store: (any RecordStore)?

        init(_ address: StoreAddress) { self.address = address }

        private func opened() throws(StoreFailure) -> any RecordStore {
            if let store { return store }
            let opened = try address.open()
            store = opened
            return opened
        }

        func perform<Result>(
            _ work: (any RecordStore) throws(StoreFailure) -> Result
        ) -> Swift.Result<Result, StoreFailure> {
            let isFirst = store == nil
            do throws(StoreFailure) {
                let store = try opened()
                return .success(try work(store))
            } catch {
                // A connection that failed may hold half an answer. An SQLite file in memory ends with its connection.
                if error.kind != .badValue, !(store is SQLiteStore) { store = nil }
                // Where it was kept already, its key is known.
                if error.kind == .disconnected, !isFirst { return perform(work) }
                return .failure(error)
            }
        }
    }
}
