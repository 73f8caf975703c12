import Foundation
import Loopback

/// Greets every client of its port of the loopback interface as gpsd does, and hangs up.
final class ScriptedGPSD {
    private let listener: LoopbackListener
    var port: UInt16 { listener.port }

    init() throws {
        listener = try LoopbackListener(backlog: 8)
        Thread.detachNewThread { [descriptor = listener.descriptor] in
            let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                _ = send(connection, greeting, greeting.utf8.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }
    }
}
