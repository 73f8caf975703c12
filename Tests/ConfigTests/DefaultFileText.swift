import Permissions
@testable import Config

/// The required content of `deploy/anicca.conf`: every key of the table, explained, with its default commented out.
var defaultFileText: String {
    let defaults = Settings()
    var text = """
        # The configuration of Anicca Edge.
        #
        # Every key is listed with its default behind a #. Remove the # and change the value, or better, put what
        # you change into a file of your own such as anicca.conf.d/mine.conf beside this one, which a new version of the
        # package leaves alone. Files there are read in the order of their names; a later value wins, and an empty
        # one stands for the default. `anicca validate-config` checks everything; the daemon reads it again at
        # `systemctl reload aniccad`.

        """
    for section in Settings.table(sensors: .known) {
        text += "\n# \(section.help)\n[\(section.name)]\n"
        for key in section.keys {
            let value = key.text(defaults)
            text += "\n# \(key.help)\n# Allowed: \(key.allowed).\n#\(key.name) =\(value.isEmpty ? "" : " " + value)\n"
        }
    }
    return text
}
