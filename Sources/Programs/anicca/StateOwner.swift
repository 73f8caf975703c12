import Files
import Glibc

/// The user to whom the state directory belongs: the daemon's. Root becomes this user before it opens anything of the
/// agent's, so that every file which a command makes is one that the daemon can use, and nothing that lies in that
/// directory is ever followed with the rights of root.
struct StateOwner {
    private let user: uid_t
    private let group: gid_t
    private let name: String
    private let home: String

    /// Nil where nobody is to be become: for a process that is not root, for a directory that belongs to root, and where
    /// there is no such directory.
    init?(of directory: String) throws(Failure) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0 else { return nil }
        guard let entry = getpwuid(status.st_uid)?.pointee else {
            throw Failure(
                "\(directory) belongs to user \(status.st_uid), of whom passwd(5) knows nothing: chown it to the user of "
                    + "aniccad.service", .noPermission)
        }
        user = entry.pw_uid
        group = entry.pw_gid
        name = String(cString: entry.pw_name)
        home = String(cString: entry.pw_dir)
    }

    /// Gives up root for good, with the groups, the home and the file mode mask that the daemon has.
    ///
    /// After an error this process is neither, and must end.
    func become() throws(Failure) {
        // The user comes last, since groups take root's rights. Of root, both calls set the saved ids too (setuid(2)).
        guard initgroups(name, group) == 0, setgid(group) == 0, setuid(user) == 0 else {
            throw Failure("cannot become \(name): \(String(cString: strerror(errno)))", .systemError)
        }
        guard setuid(0) != 0, seteuid(0) != 0, getuid() == user, geteuid() == user else {
            throw Failure("cannot become \(name): the kernel lets root come back", .systemError)
        }
        umask(0o077)
        setenv("HOME", home, 1)
    }
}
