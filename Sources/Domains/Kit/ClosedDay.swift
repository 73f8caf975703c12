import Core

/// A day that has ended, with every figure that was collected on it.
public struct ClosedDay: Equatable, Sendable {
    public let day: UTCDay
    /// In the order of `Figure.all`; a figure without data is absent.
    public let figures: [Entry]

    /// A figure and its value.
    public struct Entry: Equatable, Sendable {
        public let figure: Figure
        public let value: FigureValue

        public init(_ figure: Figure, _ value: FigureValue) {
            self.figure = figure
            self.value = value
        }
    }

    public init(day: UTCDay, figures: [Entry]) {
        self.day = day
        self.figures = figures
    }

    /// The source of a figure of this day.
    public func source(of figure: Figure) -> Source {
        figure.source { other in figures.contains { $0.figure.id == other } }
    }
}
