import Commands
import System
import Glibc

/// The owner of the state directory: the daemon's user. A command run by root becomes this user before it opens any of
/// the agent's files. So the daemon can use every file that the command makes, and no link in that directory is
/// followed with root's rights.
struct StateOwner {
    private let user: uid_t
    private let group: gid_t
    private let name: String
    private let home: String

    /// Nil if the process must not change its user: it is not root, the directory belongs to root, or the directory
    /// does not exist.
    init?(of directory: String) throws(Failure) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0 else { return nil }
        guard let entry = getpwuid(status.st_uid)?.pointee else {
            throw Failure(
                "\(directory) belongs to user \(status.st_uid), who is not in passwd(5): chown it to the user of "
                    + "aniccad.service", .noPermission)
        }
        user = entry.pw_uid
        group = entry.pw_gid
        name = String(cString: entry.pw_name)
        home = String(cString: entry.pw_dir)
    }

    /// Gives up root permanently, and takes the daemon's groups, home and umask.
    ///
    /// After an error the process may have only part of the new identity, and must end.
    func become() throws(Failure) {
        // The user is set last, because setting groups needs root's rights. As root, both calls set the saved ids too
        // (setuid(2)).
        guard initgroups(name, group) == 0, setgid(group) == 0, setuid(user) == 0 else {
            throw Failure("cannot become \(name): \(String(cString: strerror(errno)))", .systemError)
        }
        guard setuid(0) != 0, seteuid(0) != 0, getuid() == user, geteuid() == user else {
            throw Failure("cannot drop to user \(name): root rights could be regained", .systemError)
        }
        umask(0o077)
        setenv("HOME", home, 1)
    }
}
