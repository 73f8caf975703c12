import Core

extension ActivityFeatures {
    /// The share of the horizontal power at the pace of steps that two feet put at half that pace. Walks and runs that
    /// shake along the ground fall below it in 0.5 % of the windows; hands that clap or brush teeth in most.
    private static let leastAlternation: Float = 1 / 16

    mutating func measureSpectra(_ window: UprightWindow) {
        let bins = PowerSpectrum.bins
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * bins) { memory in
            memory.initialize(repeating: 0)
            let (lengths, vectors) = (window.lengths, window.vectors)
            let length = PowerSpectrum(power: .init(rebasing: memory[0..<bins]))
            let vertical = PowerSpectrum(power: .init(rebasing: memory[bins..<2 * bins]))
            let horizontal = PowerSpectrum(power: .init(rebasing: memory[2 * bins..<3 * bins]))
            addPower(of: { lengths[$0] }, to: length.power, of: { vectors[$0].z }, to: vertical.power)
            addPower(of: { vectors[$0].x }, to: horizontal.power, of: { vectors[$0].y }, to: horizontal.power)
            take(length: length, vertical: vertical, horizontal: horizontal)
        }
    }

    private mutating func take(length: PowerSpectrum, vertical: PowerSpectrum, horizontal: PowerSpectrum) {
        let bands = PowerSpectrum.bands
        lengthBand0 = length.level(bands.0)
        lengthBand1 = length.level(bands.1)
        lengthBand2 = length.level(bands.2)
        lengthBand3 = length.level(bands.3)
        lengthBand4 = length.level(bands.4)
        lengthBand5 = length.level(bands.5)
        verticalBand0 = vertical.level(bands.0)
        verticalBand1 = vertical.level(bands.1)
        verticalBand2 = vertical.level(bands.2)
        verticalBand3 = vertical.level(bands.3)
        verticalBand4 = vertical.level(bands.4)
        verticalBand5 = vertical.level(bands.5)
        horizontalBand0 = horizontal.level(bands.0)
        horizontalBand1 = horizontal.level(bands.1)
        horizontalBand2 = horizontal.level(bands.2)
        horizontalBand3 = horizontal.level(bands.3)
        horizontalBand4 = horizontal.level(bands.4)
        horizontalBand5 = horizontal.level(bands.5)
        lengthDominant = length.dominant()
        vectorDominant = vertical.dominant(with: horizontal)
        (lengthEntropy, lengthCentroid, lengthPeak) = length.spread()
        (horizontalEntropy, horizontalCentroid, horizontalPeak) = horizontal.spread()
        verticalToHorizontal = vertical.level(PowerSpectrum.movement) - horizontal.level(PowerSpectrum.movement)
        slowToFast = length.level(PowerSpectrum.slow) - length.level(PowerSpectrum.fast)
        let pace = length.strongest(PowerSpectrum.pace)
        let along = horizontal.sum(around: pace)
        isOneSided =
            horizontal.sum(aroundHalfOf: pace) < ActivityFeatures.leastAlternation * along
            && vertical.sum(around: pace) < along
    }
}
