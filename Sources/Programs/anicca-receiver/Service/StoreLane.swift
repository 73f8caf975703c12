import Foundation

/// A connection to the store with a thread of its own, because its calls block. It opens at the first use, and again
/// after a failure. Work that is interrupted by the end of a connection is repeated once on the next.
final class StoreLane: Sendable {
    private let thread: DispatchQueue
    private let connection: Connection

    init(_ address: StoreAddress, number: Int) {
        thread = DispatchQueue(label: "store-\(number)")
        connection = Connection(address)
    }

    /// Runs the work on the lane's thread, after earlier work.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (any RecordStore) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let outcome: Swift.Result<Result, StoreFailure> = await withCheckedContinuation { waiting in
            thread.async { waiting.resume(returning: self.connection.perform(work)) }
        }
        return try outcome.get()
    }

    /// The same, for what only PostgreSQL does: `Serve` makes desks for it alone.
    func study<Result: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLStore) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        try await perform { (store) throws(StoreFailure) in
            guard let store = store as? PostgreSQLStore else { throw StoreFailure(.unusable, "this takes PostgreSQL") }
            return try work(store)
        }
    }

    /// Used only on the lane's thread, so it is safe to share.
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
                // A failed connection may hold half an answer. An in-memory SQLite database ends with its connection.
                if error.kind != .badValue, !(store is SQLiteStore) { store = nil }
                // If it was stored already, its key is known.
                if error.kind == .disconnected, !isFirst { return perform(work) }
                return .failure(error)
            }
        }
    }
}
