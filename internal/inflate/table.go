package inflate

import "math/bits"

// Limits of the format.
const (
	maxLiterals  = 286
	maxDistances = 30
	maxBits      = 15
)

// The first look at a table takes so many bits; codes that are longer go on in
// a second table, which stands behind the first.
const (
	literalBits  = 11
	distanceBits = 8

	literalMask  = 1<<literalBits - 1
	distanceMask = 1<<distanceBits - 1

	// The most that any code needs, first and second tables together, are 2342
	// and 402 entries. Powers of two make indices that need no check.
	literalReach  = 1 << 12
	distanceReach = 1 << 9
	literalSpace  = literalReach
	distanceSpace = distanceReach
)

// entry is what a code means: its length in bits 0-3, the number of extra bits
// in 4-7, flags in 8-11, and from 16 on the byte, the least length, the least
// distance or the place of a second table, whose width is in the extra bits.
type entry uint32

const (
	literal    entry = 1 << 8
	endOfBlock entry = 1 << 9
	subtable   entry = 1 << 10
	invalid    entry = 1 << 11
)

func (e entry) is(flags entry) bool { return e&flags != 0 }
func (e entry) length() uint        { return uint(e & 15) }
func (e entry) extra() uint         { return uint(e >> 4 & 15) }
func (e entry) value() int          { return int(e >> 16) }

func meaning(value, extra int) entry { return entry(value)<<16 | entry(extra)<<4 }

// What the symbols of the two alphabets mean.
var (
	literalMeanings  = makeLiterals()
	distanceMeanings = makeDistances()
)

func makeLiterals() (m [maxLiterals + 2]entry) {
	for i := range 256 {
		m[i] = meaning(i, 0) | literal
	}
	m[256] = endOfBlock
	least := 3
	for i := range 28 {
		extra := max(0, i/4-1)
		m[257+i] = meaning(least, extra)
		least += 1 << extra
	}
	m[285] = meaning(longestMatch, 0)
	m[286], m[287] = invalid, invalid
	return m
}

func makeDistances() (m [maxDistances + 2]entry) {
	least := 1
	for i := range maxDistances {
		extra := max(0, i/2-1)
		m[i] = meaning(least, extra)
		least += 1 << extra
	}
	m[30], m[31] = invalid, invalid
	return m
}

// longCode is a symbol whose code goes on in a second table.
type longCode struct {
	symbol, code int
	length       uint
}

// build fills a table for the code in which each symbol has the length given,
// with a first look of so many bits. It refuses lengths that make no code.
func build(table []entry, first uint, lengths []uint8, meanings []entry) error {
	var counts [maxBits + 1]int
	for _, n := range lengths {
		counts[n]++
	}
	counts[0] = 0
	var next [maxBits + 2]int
	space, longest := 1, uint(0)
	for n := uint(1); n <= maxBits; n++ {
		next[n+1] = (next[n] + counts[n]) << 1
		if space = space<<1 - counts[n]; space < 0 {
			return ErrCorrupt // more codes than there can be
		}
		if counts[n] > 0 {
			longest = n
		}
	}
	if space > 0 {
		// A code with gaps is allowed only where it has one symbol or none.
		if longest > 1 {
			return ErrCorrupt
		}
		for i := range table[:1<<first] {
			table[i] = invalid
		}
	}
	var space2 [maxLiterals + 2]longCode
	long := space2[:0]
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		length := uint(n)
		code := int(bits.Reverse16(uint16(next[length])) >> (16 - length))
		next[length]++
		if length > first {
			long = append(long, longCode{symbol, code, length})
			continue
		}
		e := meanings[symbol] | entry(length)
		for i := code; i < 1<<first; i += 1 << length {
			table[i] = e
		}
	}
	buildSecond(table, first, long, meanings)
	return nil
}

// buildSecond makes the second tables, each as wide as its longest code needs.
func buildSecond(table []entry, first uint, long []longCode, meanings []entry) {
	mask := 1<<first - 1
	for _, l := range long {
		table[l.code&mask] = subtable
	}
	for _, l := range long {
		e := &table[l.code&mask]
		*e = subtable | meaning(0, int(max(e.extra(), l.length-first)))
	}
	free := 1 << first
	for _, l := range long {
		e := &table[l.code&mask]
		if e.value() == 0 {
			*e |= meaning(free, 0)
			free += 1 << e.extra()
		}
		second := table[e.value() : e.value()+1<<e.extra()]
		for i := l.code >> first; i < len(second); i += 1 << (l.length - first) {
			second[i] = meanings[l.symbol] | entry(l.length-first)
		}
	}
}

// fixedTables sets the codes that the format itself defines.
func (d *Decoder) fixedTables() {
	var lengths [maxLiterals + 2]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	_ = build(d.literals[:], literalBits, lengths[:], literalMeanings[:]) // both are codes
	for i := range maxDistances + 2 {
		lengths[i] = 5
	}
	_ = build(d.distances[:], distanceBits, lengths[:maxDistances+2], distanceMeanings[:])
}

// lengthOrder is how the code of the code lengths is written.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// lengthMeanings are the symbols of that code themselves.
var lengthMeanings = func() (m [19]entry) {
	for i := range m {
		m[i] = meaning(i, 0)
	}
	return m
}()

// readTables reads the codes that stand at the head of a block.
func (d *Decoder) readTables() error {
	literals, distances, kinds := int(d.take(5))+257, int(d.take(5))+1, int(d.take(4))+4
	if literals > maxLiterals || distances > maxDistances {
		return ErrCorrupt
	}
	var kindLengths [19]uint8
	for _, symbol := range lengthOrder[:kinds] {
		d.refill()
		kindLengths[symbol] = uint8(d.take(3))
	}
	const kindBits = 7
	var table [1 << kindBits]entry
	if err := build(table[:], kindBits, kindLengths[:], lengthMeanings[:]); err != nil {
		return err
	}
	lengths := d.lengths[:literals+distances]
	for i := 0; i < len(lengths); {
		d.refill()
		e := table[d.bits&(1<<kindBits-1)]
		if e.is(invalid) {
			return ErrCorrupt
		}
		d.take(e.length())
		symbol := e.value()
		if symbol < 16 {
			lengths[i] = uint8(symbol)
			i++
			continue
		}
		var repeated uint8
		var times int
		switch symbol {
		case 16:
			if i == 0 {
				return ErrCorrupt
			}
			repeated, times = lengths[i-1], 3+int(d.take(2))
		case 17:
			times = 3 + int(d.take(3))
		default:
			times = 11 + int(d.take(7))
		}
		if times > len(lengths)-i {
			return ErrCorrupt
		}
		for range times {
			lengths[i] = repeated
			i++
		}
	}
	if err := build(d.literals[:], literalBits, lengths[:literals], literalMeanings[:]); err != nil {
		return err
	}
	return build(d.distances[:], distanceBits, lengths[literals:], distanceMeanings[:])
}
