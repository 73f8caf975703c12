import ArgumentParser
import System

/// `anicca-receiver`
@main
struct Receiver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anicca-receiver",
        abstract: "Takes what devices send, strictly, and keeps it in SQLite or PostgreSQL.",
        discussion: """
            Without a command it is for development: it takes any token, listens on loopback, and misbehaves on request. \
            serve is for real, behind a proxy that has TLS; docs/fleet.md tells how.

            Exit status (sysexits): 0 done, 64 usage, 65 a line of the input is wrong, 69 the port or the database cannot \
            be used.
            """,
        version: "anicca-receiver \(aniccaVersion)",
        subcommands: [
            Develop.self, Serve.self, Migrate.self, Enroll.self, Approve.self, Revoke.self, Export.self,
            EraseAccount.self,
            Maintain.self, Table.self, Page.self, Policy.self, DescribeParticipant.self, Subscribe.self,
        ],
        defaultSubcommand: Develop.self)
}
